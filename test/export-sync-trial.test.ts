import { test } from 'node:test'
import { syncWhileWriting } from '../trials/export-sync.ts'
import { testDatabase } from './database.ts'

// A short run; `npm run trials` is the long one.
test('who copies the Data API while rows commit, change and are undone has exactly the rows of the database', async () => {
  const { url } = await testDatabase()
  await syncWhileWriting({ databaseUrl: url, changes: 150, seed: 7 })
})
