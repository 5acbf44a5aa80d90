import { test } from 'node:test'
import { readWhileWriting } from '../trials/cursor-reads.ts'
import { testDatabase } from './database.ts'

// A short run; `npm run trials` is the long one.
test('who follows the events while rows commit misses none and gets none twice', async () => {
  const { db, url } = await testDatabase()
  await readWhileWriting({ databaseUrl: url, db, changes: 200, seed: 7 })
})
