// Four processes on one database, one key: the rate limits of the contract are exact over all of them.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { beforeDrop, testDatabase } from './database.ts'
import { startProcess } from './service-process.ts'
import { aStore } from './store-builder.ts'

const PROCESSES = 4
const RUNS = 10
const PER_MINUTE = 60
const PER_DAY = 10_000
const LEFT_OF_DAY = 23
/** Sends requests to each process concurrently. */
const REQUESTS = 40

const { db, url } = await testDatabase()
const dataDir = await mkdtemp(join(tmpdir(), 'perennial-limits-'))
const processes = await Promise.all(
  Array.from({ length: PROCESSES }, () =>
    startProcess({
      databaseUrl: url,
      dataDir,
      env: { SANDBOX: 'off', PERENNIAL_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') }
    })
  )
)
beforeDrop(async () => {
  await Promise.all(processes.map((process) => process.stop()))
  await rm(dataDir, { recursive: true, force: true })
})

/** Sends concurrent requests; groups the responses by their window: its limit and end. */
async function rush(key: string) {
  const responses = await Promise.all(
    processes.flatMap(({ url }) =>
      Array.from({ length: REQUESTS }, async () => {
        const response = await fetch(`${url}/v1/members?limit=1`, { headers: { authorization: `Bearer ${key}` } })
        await response.arrayBuffer()
        return {
          status: response.status,
          limit: Number(response.headers.get('x-ratelimit-limit')),
          remaining: Number(response.headers.get('x-ratelimit-remaining')),
          window: response.headers.get('x-ratelimit-reset')!
        }
      })
    )
  )
  assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200, 429]))
  return [...Map.groupBy(responses, ({ window }) => window).values()]
}

for (let run = 1; run <= RUNS; run++) {
  test(`run ${run}: exactly the limit of the minute is admitted`, async () => {
    const store = await aStore(db, { plan: 'starter' })
    // A run over the end of a minute has two windows; each admits exactly its limit.
    for (const window of await rush(await store.aKey())) {
      const admitted = window.filter(({ status }) => status === 200)
      if (admitted.length < window.length) assert.equal(admitted.length, PER_MINUTE)
      assert.deepEqual(
        admitted.map(({ remaining }) => remaining).sort((a, b) => b - a),
        admitted.map((_, i) => PER_MINUTE - 1 - i),
        'each response has a different number of remaining requests'
      )
      assert.ok(window.every(({ limit }) => limit === PER_MINUTE))
    }
  })

  test(`run ${run}: exactly the rest of the day's limit is admitted`, async () => {
    const store = await aStore(db, { plan: 'starter' })
    await store.inStore(({ tx }) =>
      tx.run(sql`
        insert into rate_windows (store_id, bucket, window_start, used)
        select ${store.storeId}, 'rest:day', date_trunc('day', clock_timestamp(), 'UTC') + d * interval '1 day',
               ${PER_DAY - LEFT_OF_DAY}
          from generate_series(0, 1) d`)
    )
    for (const window of await rush(await store.aKey())) {
      const admitted = window.filter(({ status }) => status === 200)
      assert.equal(admitted.length, LEFT_OF_DAY)
      assert.ok(window.every(({ limit }) => limit === PER_DAY))
    }
  })
}
