import { test } from 'node:test'
import { testDatabase } from '../../test/database.ts'
import { comparePoints } from '../../trials/points-model.ts'

const { db } = await testDatabase()

// A short run; `npm run trials points-model` is the long one.
test('random lives of points: the tables say what the model says', async () => {
  await comparePoints({ db, sequences: 40, seed: 3 })
})
