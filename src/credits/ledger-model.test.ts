import { test } from 'node:test'
import { testDatabase } from '../../test/database.ts'
import { compareLedgers } from '../../trials/ledger-model.ts'

const { db } = await testDatabase()

// A short run; `npm run trials` is the long one.
test('random sequences of adding, spending, repeating, expiring and transferring: the tables say what the model says', async () => {
  await compareLedgers({ db, sequences: 40, seed: 3 })
})
