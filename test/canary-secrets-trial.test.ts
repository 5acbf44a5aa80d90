import { test } from 'node:test'
import { searchForSecrets } from '../trials/canary-secrets.ts'
import { testDatabase } from './database.ts'

// The whole trial: it is short.
test('no secret is in the log, the metrics, the history or a row of the database', async () => {
  const { db, url } = await testDatabase()
  await searchForSecrets({ databaseUrl: url, db })
})
