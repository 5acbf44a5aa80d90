import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../test/database.ts'
import { aStore } from '../../test/store-builder.ts'
import { claimKeys, peekKey, pruneResponses, releaseKeys, storeResponses } from './idempotency.ts'
import { sql } from './postgres/index.ts'

const { db } = await testDatabase()
const claimOf = (key: string, what = 'a') => ({ key, fingerprint: Buffer.from(what) })

/** A store, and its keys by age. */
async function aKeyedStore() {
  const store = await aStore(db)
  const { inStore, storeId } = store
  return {
    inStore,
    /** What one transaction claims, answers and releases. */
    request: (key: string, what: string, status: number) =>
      inStore(async (ctx) => {
        const [claimed] = await claimKeys(ctx, [claimOf(key, what)])
        if (claimed!.state === 'fresh') storeResponses(ctx, [{ key, status, body: `body ${status}` }])
        return claimed!
      }),
    age: (key: string, hours: number) =>
      inStore(({ tx }) =>
        tx.run(sql`
          update idempotent_responses set created_at = statement_timestamp() - ${hours}::float8 * interval '1 hour'
           where store_id = ${storeId} and idempotency_key = ${key}`)
      ),
    count: () => inStore(({ tx }) => tx.run(sql`select from idempotent_responses where store_id = ${storeId}`))
  }
}

test('the same request with a key has the response that is stored; another request with it has none', async () => {
  const { request, inStore } = await aKeyedStore()
  assert.deepEqual(await request('k', 'a', 201), { state: 'fresh' })
  const stored = { state: 'stored', response: { status: 201, body: 'body 201' } }
  assert.deepEqual(await request('k', 'a', 202), stored)
  assert.deepEqual(await request('k', 'b', 203), { state: 'other' })
  assert.deepEqual(await inStore((ctx) => peekKey(ctx, claimOf('k'))), stored)
  assert.deepEqual(await inStore((ctx) => peekKey(ctx, claimOf('k', 'b'))), { state: 'other' })
  assert.deepEqual(await inStore((ctx) => peekKey(ctx, claimOf('unknown'))), { state: 'fresh' })
  const mixed = await inStore((ctx) => claimKeys(ctx, [claimOf('z'), claimOf('k'), claimOf('b')]))
  assert.deepEqual(mixed, [{ state: 'fresh' }, stored, { state: 'fresh' }])
})

test('a key is free again a day later, and not before; what is stored then is the new response', async () => {
  const { request, age, inStore } = await aKeyedStore()
  await request('k', 'a', 201)
  await age('k', 23.9)
  assert.equal((await request('k', 'b', 202)).state, 'other')
  await age('k', 24.1)
  assert.deepEqual(await inStore((ctx) => peekKey(ctx, claimOf('k'))), { state: 'fresh' })
  assert.deepEqual(await request('k', 'b', 202), { state: 'fresh' })
  assert.deepEqual(await request('k', 'b', 203), { state: 'stored', response: { status: 202, body: 'body 202' } })
})

test('a key that was claimed without effect is free; one that has a response is not released', async () => {
  const { request, inStore } = await aKeyedStore()
  await request('answered', 'a', 201)
  await inStore(async (ctx) => {
    await claimKeys(ctx, [claimOf('free'), claimOf('kept')])
    await releaseKeys(ctx, ['free', 'answered'])
    storeResponses(ctx, [{ key: 'kept', status: 200, body: '' }])
  })
  assert.equal((await request('free', 'b', 202)).state, 'fresh')
  assert.equal((await request('kept', 'a', 203)).state, 'stored')
  assert.equal((await request('answered', 'a', 203)).state, 'stored')
})

test('only responses of more than a day are deleted', async () => {
  const { request, age, count } = await aKeyedStore()
  for (const [key, hours] of [
    ['young', 23.9],
    ['old', 24.1]
  ] as const) {
    await request(key, 'a', 200)
    await age(key, hours)
  }
  assert.equal(await pruneResponses(db), 1)
  assert.equal(await count(), 1)
})
