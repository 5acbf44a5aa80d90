import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { atOnce } from '../../../test/at-once.ts'
import { testDatabase } from '../../../test/database.ts'
import { claimDueDeliveries } from '../delivery/claim-deliveries.ts'
import { RETRY_SCHEDULE } from '../delivery/delivery-retry-schedule.ts'
import { endpointIdOf } from '../endpoints/endpoint.ts'
import { findEndpoint } from '../endpoints/list-endpoints.ts'
import { aFact, aSendingStore } from '../receiver.test-helper.ts'
import { recordTries } from './record-tries.ts'

const { db } = await testDatabase()

const QUOTAS = {
  endpoints: new Map(),
  elsewhere: 2,
  paces: (['unknown', 'silent'] as const).map((pace) => ({ pace, deliveries: 9, retries: 0, after: 0 }))
}

for (const wellOne of ['first', 'second'] as const) {
  test(`endpoints are locked in the order of their ids; the ${wellOne} is well again, the other fails`, async () => {
    const store = await aSendingStore(db, { clock: '2026-01-01T00:00:00Z' })
    const endpoints = [
      await store.anEndpoint({ url: 'http://127.0.0.1:1/' }),
      await store.anEndpoint({ url: 'http://127.0.0.1:1/' })
    ]
    const [first, second] = endpoints.map(({ id }) => endpointIdOf(id)) as [number, number]
    const well = wellOne === 'first' ? first : second
    await store.record(aFact(1))
    while ((await store.dispatch.runOnce(store.storeId)) > 0);
    await store.inStore(({ tx, storeId, now }) =>
      tx.run(sql`update webhook_endpoints set failing_since = ${now} where store_id = ${storeId} and id = ${well}`)
    )
    const claimed = await store.inStore((ctx) => claimDueDeliveries(ctx, 1, QUOTAS, { listener: null }))
    assert.deepEqual(claimed.map((one) => one.endpointId).sort(), [first, second])

    const lock = (id: number) => (ctx: Parameters<typeof recordTries>[0]) =>
      ctx.tx.run(sql`select from webhook_endpoints where store_id = ${ctx.storeId} and id = ${id} for no key update`)
    // Another node holds the first, and then wants the second.
    let begun = 0
    const outcome = await atOnce(
      store,
      (ctx) => {
        begun++
        return lock(first)(ctx)
      },
      (ctx) => {
        begun++
        return recordTries(
          ctx,
          claimed.map((one) => ({
            ...one,
            testClock: true,
            startedAtMs: ctx.now.epochMilliseconds,
            response: {
              durationMs: 1,
              responseCode: one.endpointId === well ? 200 : 500,
              failure: one.endpointId === well ? null : ('status' as const),
              responseText: ''
            }
          })),
          { schedule: RETRY_SCHEDULE }
        )
      },
      lock(second)
    )
    assert.equal(outcome.status, 'fulfilled', String((outcome as PromiseRejectedResult).reason))
    assert.equal(begun, 2, 'a transaction was repeated after a deadlock')
    const found = await store.inStore(async (ctx) => [
      await findEndpoint(ctx, endpoints[0]!.id),
      await findEndpoint(ctx, endpoints[1]!.id)
    ])
    assert.deepEqual(
      found.map((one) => one!.failingSince === null),
      [first === well, second === well]
    )
  })
}

/** A delivery that is leased for its last try, and what its receiver answers. */
async function aLastTry() {
  const store = await aSendingStore(db, { clock: '2026-01-01T00:00:00Z' })
  const { id } = await store.anEndpoint({ url: 'http://127.0.0.1:1/' })
  await store.record(aFact(1))
  while ((await store.dispatch.runOnce(store.storeId)) > 0);
  const [leased = assert.fail()] = await store.inStore((ctx) => claimDueDeliveries(ctx, 1, QUOTAS, { listener: null }))
  const record = (responseCode: number, given: { url?: string; leaseToken?: number } = {}) =>
    store.inStore((ctx) =>
      recordTries(
        ctx,
        [
          {
            ...leased,
            ...given,
            testClock: true,
            startedAtMs: ctx.now.epochMilliseconds,
            response: { durationMs: 1, responseCode, failure: 'status', responseText: '' }
          }
        ],
        { schedule: { maxTries: 1, delaysSeconds: [] } }
      )
    )
  return { store, leased, record, endpoint: async () => (await store.inStore((ctx) => findEndpoint(ctx, id)))! }
}

test('a delivery is counted as failed once, by the result that counts', async () => {
  const { leased, record, endpoint } = await aLastTry()
  await record(500, { leaseToken: leased.leaseToken - 1 })
  assert.equal((await endpoint()).failedDeliveries, 0)
  await record(500)
  await record(500)
  assert.equal((await endpoint()).failedDeliveries, 1)
})

test('410 disables an endpoint only if it came from the URL that it has now', async () => {
  const { record, endpoint } = await aLastTry()
  await record(410, { url: 'http://127.0.0.1:1/before' })
  assert.equal((await endpoint()).status, 'enabled')
  const other = await aLastTry()
  await other.record(410, { url: 'http://127.0.0.1:1/' })
  assert.equal((await other.endpoint()).status, 'disabled')
})
