import { test } from 'node:test'
import { compareLoyalty } from '../trials/loyalty-model.ts'
import { testDatabase } from './database.ts'

const { db } = await testDatabase()

// A short run; `npm run trials loyalty-model` is the long one.
test('random lives of a store with loyalty: customers have what the model says', async () => {
  await compareLoyalty({ db, sequences: 10, seed: 3, shortensMs: 3_000 })
})
