import { test } from 'node:test'
import { injectIntoFilters } from '../trials/filter-injection.ts'
import { testDatabase } from './database.ts'

// A short run; `npm run trials` is the long one.
test('SQL, patterns and Unicode in filters and ids find exactly what they name', async () => {
  const { db, url } = await testDatabase()
  await injectIntoFilters({ databaseUrl: url, db, requests: 1_500, seed: 7 })
})
