import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Fact } from '#kit/outbox'
import { sql } from '#kit/postgres'
import { testDatabase } from '../../../test/database.ts'
import { listDeliveries } from '../history/list-deliveries.ts'
import { resendDelivery } from '../queue/resend-deliveries.ts'
import { sendSample } from '../queue/send-sample.ts'
import { aReceiver, aSendingStore, type Received, testSettings } from '../receiver.test-helper.ts'
import { createDeliveryEngine, type DeliveryEngine } from './delivery-engine.ts'

const { db } = await testDatabase()

/** An event of a customer, about one of their subscriptions or about themselves. */
const eventOf = (customer: number, n: number, subscription?: number): Fact => ({
  name: subscription ? 'subscription.paused' : n === 0 ? 'member.created' : 'member.updated',
  orderingKey: `member:${customer}`,
  data: { customer, n },
  refs: { memberId: customer, ...(subscription && { subscriptionId: subscription }) }
})

const dataOf = ({ body }: Received) => (JSON.parse(body) as { data: { customer: number; n: number } }).data
const sequenceOf = ({ headers }: Received) => {
  assert.match(String(headers['x-svc-sequence']), /^[1-9]\d*$/)
  return Number(headers['x-svc-sequence'])
}

test('events of one customer come one after the other, whatever they are about, with numbers that rise', async () => {
  let ofFirst = 0
  let atOnce = 0
  const receiver = await aReceiver((got, response) => {
    const isFirst = dataOf(got).customer === 1
    if (isFirst) atOnce = Math.max(atOnce, ++ofFirst)
    setTimeout(() => {
      if (isFirst) ofFirst--
      response.writeHead(dataOf(got).n === 2 && receiver.received.length < 20 ? 500 : 200).end()
    }, 5)
  })
  const store = await aSendingStore(db, { clock: '2026-01-01T00:00:00Z' })
  await store.anEndpoint({ url: receiver.url })
  const events = Array.from({ length: 12 }, (_, n) => [
    eventOf(1, n, n % 3 === 0 ? undefined : 10 + (n % 3)),
    eventOf(2, n, n === 0 ? undefined : 20)
  ]).flat()
  await store.record(...events)
  await store.settle()

  assert.equal(atOnce, 1)
  for (const [customer, got] of Map.groupBy(receiver.received, (one) => dataOf(one).customer)) {
    assert.deepEqual(
      got.map((one) => dataOf(one).n),
      events.filter((event) => (event.data as { customer: number }).customer === customer).map((_, n) => n)
    )
    const sequences = got.map(sequenceOf)
    assert.deepEqual(
      sequences,
      sequences.toSorted((a, b) => a - b)
    )
    assert.equal(new Set(sequences).size, 12)
  }
  // What failed does not hold up the later ones, and comes again under its number.
  const failed = receiver.received.filter((one) => dataOf(one).n === 2)
  await store.setClock(Temporal.Instant.from('2026-01-01T00:01:00Z'))
  await store.settle()
  assert.deepEqual(receiver.received.slice(24).map(sequenceOf).toSorted(), failed.map(sequenceOf).toSorted())
  const { deliveries } = await store.inStore((ctx) => listDeliveries(ctx, { object: 'sub_11' }))
  assert.equal(deliveries.length, 4, 'the history still knows what each is about')
})

test('an event has one number: at every endpoint, sent by any node, and sent again by hand', async () => {
  const receivers = await Promise.all([aReceiver(), aReceiver()])
  const store = await aSendingStore(db)
  for (const { url } of receivers) await store.anEndpoint({ url })
  const second = createDeliveryEngine({ db, leaseOwner: 0, ...testSettings })
  for (let n = 0; n < 60; n += 20) {
    await store.record(...Array.from({ length: 20 }, (_, i) => eventOf(i % 4, n + i, 1 + (i % 4))))
    while ((await store.dispatch.runOnce(store.storeId)) > 0);
    const run = async (sender: DeliveryEngine) => {
      while ((await store.sender.nextDueAt(store.storeId)) !== null) await sender.runOnce(store.storeId)
    }
    await Promise.all([run(store.sender), run(second)])
  }
  await second.stop()

  const [ofOne, ofOther] = receivers.map(
    ({ received }) => new Map(received.map((one) => [dataOf(one).n, sequenceOf(one)]))
  )
  assert.equal(ofOne!.size, 60)
  assert.deepEqual([...ofOne!].toSorted(), [...ofOther!].toSorted())
  for (const { received } of receivers) {
    for (const got of Map.groupBy(received, (one) => dataOf(one).customer).values()) {
      got.reduce((last, one) => {
        assert.ok(sequenceOf(one) > last)
        return sequenceOf(one)
      }, 0)
    }
  }

  const [first] = receivers[0]!.received
  const { webhook_id } = JSON.parse(first!.body) as { webhook_id: string }
  await store.inStore((ctx) => resendDelivery(ctx, webhook_id))
  await store.settle()
  assert.equal(sequenceOf(receivers[0]!.received.at(-1)!), sequenceOf(first!))

  const { endpoint } = (await store.inStore((ctx) => listDeliveries(ctx))).deliveries[0]!
  await store.inStore((ctx) => sendSample(ctx, endpoint, 'member.created'))
  await store.settle()
  const sample = receivers.flatMap(({ received }) => received).find(({ headers }) => headers['x-svc-test'] === 'true')
  assert.equal(sample!.headers['x-svc-sequence'], undefined)
})

test('what older code has recorded or queued has its customer and its number too', async () => {
  let underWay = 0
  let atOnce = 0
  const receiver = await aReceiver((_, response) => {
    atOnce = Math.max(atOnce, ++underWay)
    setTimeout(() => {
      underWay--
      response.end()
    }, 20)
  })
  const store = await aSendingStore(db)
  await store.anEndpoint({ url: receiver.url })
  const older = (n: number, subscription: number): Fact => ({
    ...eventOf(1, n, subscription),
    orderingKey: `subscription:${subscription}`
  })
  await store.record(older(1, 10), older(2, 11), eventOf(1, 3, 10))
  while ((await store.dispatch.runOnce(store.storeId)) > 0);
  await store.inStore(({ tx, storeId }) =>
    tx.run(sql`update webhook_deliveries set sequence = null where store_id = ${storeId}`)
  )
  await store.settle()
  assert.deepEqual(
    receiver.received.map((one) => dataOf(one).n),
    [1, 2, 3]
  )
  assert.equal(atOnce, 1, 'they wait for each other')
  const sequences = receiver.received.map(sequenceOf)
  assert.ok(sequences[0]! < sequences[1]! && sequences[1]! < sequences[2]!)
})
