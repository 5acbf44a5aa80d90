import { test } from 'node:test'
import { crashAtEveryStatement } from '../trials/crash-points.ts'
import { testDatabase } from './database.ts'

// The slice that every run takes; `npm run trials` has every statement.
test('a process that dies at a statement of charge, settle, credit or deliver leaves one charge behind, one entry, and all told once', async () => {
  const { url } = await testDatabase()
  await crashAtEveryStatement({ databaseUrl: url, stride: 31, seed: 7 })
})
