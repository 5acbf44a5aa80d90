import { test } from 'node:test'
import { sumInWarehouse } from '../trials/warehouse-sums.ts'
import { testDatabase } from './database.ts'

// A short run; `npm run trials` has the long one.
test('sums over an export of all seven endpoints are those of the tables, in each format', async () => {
  const { url } = await testDatabase()
  await sumInWarehouse({ databaseUrl: url, members: 10, months: 2, seed: 4 })
})
