import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from './database.ts'
import { fuzz } from './fuzz.ts'

const requests = Number(process.env.FUZZ_REQUESTS ?? 20_000)
const seed = Number(process.env.FUZZ_SEED ?? 3)
const { db } = await testDatabase()

test(`${requests} requests made from the published document (seed ${seed}): no internal error, and every response as declared`, async (t) => {
  const { neverDone, ...report } = await fuzz(db, { requests, seed })
  t.diagnostic(JSON.stringify(report))
  assert.deepEqual(neverDone, [], 'each operation has succeeded at least once')
})
