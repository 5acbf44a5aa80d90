import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { testDatabase } from '../../../test/database.ts'
import { findDelivery, listDeliveries } from '../history/list-deliveries.ts'
import { aFact, aReceiver, aSendingStore, testSettings } from '../receiver.test-helper.ts'
import { createDeliveryEngine } from './delivery-engine.ts'

const { db } = await testDatabase()

test('a service that keeps dying over its tries repeats the first at once and the others as the schedule has it', async () => {
  let isHung = true
  const receiver = await aReceiver((_, response) => (isHung ? undefined : response.writeHead(204).end()))
  const store = await aSendingStore(db, { clock: '2026-03-01T12:00:00Z' })
  await store.anEndpoint({ url: receiver.url })
  await store.record(aFact(1), aFact(1))
  await store.dispatch.runOnce(store.storeId)

  /** Begins what is due, and is cut off. */
  const aShortLife = async () => {
    const sender = createDeliveryEngine({ db, leaseOwner: 1, ...testSettings })
    const before = receiver.received.length
    for (let turns = 0; turns < 3 && receiver.received.length === before; turns++) await sender.runOnce(store.storeId)
    await sender.stop(0)
  }
  for (let lives = 0; lives < 8; lives++) await aShortLife()
  const listed = async () =>
    (await store.inStore((ctx) => listDeliveries(ctx))).deliveries.map((d) => [d.status, d.tries])
  // The later one of the same object waits for it, since nobody knows whether it was sent at all.
  assert.deepEqual(await listed(), [
    ['retrying', 0],
    ['retrying', 2]
  ])
  assert.equal(receiver.received.length, 2)

  isHung = false
  await store.settle()
  assert.equal(receiver.received.length, 2)
  await store.setClock(Temporal.Instant.from('2026-03-01T12:05:00Z'))
  await store.settle()
  assert.deepEqual(await listed(), [
    ['delivered', 1],
    ['delivered', 3]
  ])
  assert.equal(receiver.received.length, 4)
})

test('an interrupted try is recorded with the time at which it began, and without a response time', async () => {
  const store = await aSendingStore(db, { clock: '2026-03-01T12:00:00Z' })
  const receiver = await aReceiver((_, response) => (receiver.received.length === 1 ? undefined : response.end()))
  await store.anEndpoint({ url: receiver.url })
  await store.record(aFact(1))
  await store.dispatch.runOnce(store.storeId)
  // As it is after kill -9: what this sender has leased stays leased, and its dead node's leases are freed.
  await store.sender.runOnce(store.storeId)
  while (receiver.received.length === 0) await store.sender.runOnce(store.storeId)
  await store.inStore(({ tx, storeId }) =>
    tx.run(sql`update webhook_queue set lease_owner = null, leased_until = null where store_id = ${storeId}`)
  )

  await store.setClock(Temporal.Instant.from('2026-03-01T15:30:00Z'))
  const next = createDeliveryEngine({ db, leaseOwner: 0, ...testSettings })
  while ((await listed(store)).some(({ status }) => status === 'retrying')) await next.runOnce(store.storeId)
  await next.stop()
  const [{ webhookId } = assert.fail()] = await listed(store)
  const { history, ...delivery } = (await store.inStore((ctx) => findDelivery(ctx, webhookId)))!
  assert.deepEqual(
    history.map((t) => [t.tryNumber, String(t.startedAt), t.failure, t.durationMs === null]),
    [
      [1, '2026-03-01T12:00:00Z', 'interrupted', true],
      [2, '2026-03-01T15:30:00Z', null, false]
    ]
  )
  assert.ok(delivery.durationMs! >= 0)
})

const listed = async (store: Awaited<ReturnType<typeof aSendingStore>>) =>
  (await store.inStore((ctx) => listDeliveries(ctx))).deliveries
