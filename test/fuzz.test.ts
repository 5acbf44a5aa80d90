import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fuzz } from '../trials/fuzz.ts'
import { testDatabase } from './database.ts'

// A short run; `npm run trials` is the long one.
test('8,000 requests made from the published document: no internal error, and every response as declared', async (t) => {
  const { db, url } = await testDatabase()
  const { neverDone, ...report } = await fuzz({ databaseUrl: url, db, requests: 8_000, seed: 3 })
  t.diagnostic(JSON.stringify(report))
  assert.deepEqual(neverDone, [], 'each operation has succeeded at least once')
})
