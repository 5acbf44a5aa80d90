import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import type { Connector } from '#platform'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { finishCreations } from './finish-creations.ts'

const { db } = await testDatabase()

/** Creations without an answer that are two days old, by their keys, and what the job says of them. */
async function finish(keys: string[], findIdByKey: (key: string) => Promise<unknown>) {
  const { storeId, inStore } = await aStore(db)
  await inStore(({ tx, now }) =>
    tx.run(sql`
      insert into subscription_creations (store_id, create_key, idempotency_key, fingerprint, platform_customer_id, actor,
        created_at, requested_at)
      select ${storeId}, key, key, key::bytea, '1', 'operator', ${now.subtract({ hours: 48 })},
             statement_timestamp() - interval '2 days' from unnest(${keys}::text[]) key`)
  )
  const contracts = { findIdByKey: (_customer: string, key: string) => findIdByKey(key) }
  const deps = { db, connectorOf: async () => ({ contracts }) as unknown as Connector }
  return finishCreations.run(
    deps,
    storeId,
    keys.map((createKey) => ({ input: { createKey }, attempts: 1, renewLease: async () => {} }))
  )
}

const NONE = { ok: true, value: null }

test('a search that hangs is under way beside the others, eight at once', async () => {
  const keys = Array.from({ length: 20 }, (_, i) => `key-${i}`)
  const others = Promise.withResolvers<void>()
  const asked = new Set<string>()
  let [underWay, max] = [0, 0]
  const outcomes = await finish(keys, async (key) => {
    asked.add(key)
    max = Math.max(max, ++underWay)
    if (asked.size === keys.length) others.resolve()
    // It responds only when all others were asked for.
    if (key === 'key-0') await others.promise
    await new Promise(setImmediate)
    underWay--
    return NONE
  })
  assert.equal(max, 8)
  assert.deepEqual(outcomes, Array(20).fill({ done: true }))
})

test('a search that fails does not fail the others', async () => {
  const outcomes = await finish(['bad', 'good'], async (key) => {
    if (key === 'bad') throw new Error('The platform does not respond')
    return NONE
  })
  assert.deepEqual(outcomes, [{ done: false, reason: 'The platform does not respond' }, { done: true }])
})
