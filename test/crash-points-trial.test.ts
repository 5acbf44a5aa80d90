import { test } from 'node:test'
import { crashAtEveryStatement } from '../trials/crash-points.ts'
import { testDatabase } from './database.ts'

// A short run; `npm run trials` has every statement.
test('after a crash at any statement of charge, settle, credit or deliver there is one charge, one ledger entry and one event each', async () => {
  const { url } = await testDatabase()
  await crashAtEveryStatement({ databaseUrl: url, stride: 31, seed: 7 })
})
