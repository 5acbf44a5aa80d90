import { test } from 'node:test'
import { askForForeignIds } from '../trials/foreign-ids.ts'
import { testDatabase } from './database.ts'

// The whole trial: it is short.
test("another store's id in a path, a filter or a body is treated as unknown, on every route, and changes nothing", async () => {
  const { db, url } = await testDatabase()
  await askForForeignIds({ databaseUrl: url, db })
})
