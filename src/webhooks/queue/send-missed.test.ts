import assert from 'node:assert/strict'
import { test } from 'node:test'
import { internalId } from '#kit/ids'
import { int, row, sql } from '#kit/postgres'
import { listAlerts } from '#stores'
import { atOnce } from '../../../test/at-once.ts'
import { testDatabase } from '../../../test/database.ts'
import { setEndpointStatus } from '../endpoints/set-endpoint-status.ts'
import { listTroubledEndpoints } from '../endpoints/troubled-endpoints.ts'
import { listEvents } from '../event-log/list-events.ts'
import { listDeliveries } from '../history/list-deliveries.ts'
import { openListener } from '../listeners/open-listener.ts'
import { aFact, aReceiver, aSendingStore, testSettings } from '../receiver.test-helper.ts'
import { enableEndpoint } from './enable-endpoint.ts'
import { lockReceiver } from './missed-events.ts'
import { queueDeliveries } from './queue-deliveries.ts'
import { sendMissed } from './send-missed.ts'

const { db } = await testDatabase()
const at = (text: string) => Temporal.Instant.from(text)
const NOON = '2026-03-01T12:00:00Z'

const numbered = (n: number, customer: number) => ({ ...aFact(customer), data: { n } })

/** A store at noon, and an endpoint that has got one event (0) of customer 1 and is disabled since then. */
async function aDisabledEndpoint(events?: string[]) {
  const receiver = await aReceiver()
  const store = await aSendingStore(db, { clock: NOON })
  const { id } = await store.anEndpoint({ url: receiver.url, ...(events && { events }) })
  const occur = async (...facts: ReturnType<typeof aFact>[]) => {
    await store.record(...facts)
    await store.settle()
  }
  await occur(numbered(0, 1))
  await store.inStore((ctx) => setEndpointStatus(ctx, id, 'disabled'))
  return {
    ...store,
    id,
    occur,
    enable: () => store.inStore((ctx) => enableEndpoint(ctx, id)),
    send: (since = NOON) => sendMissed(db, store.storeId, { since: at(since), endpoint: id }),
    got: () => receiver.received.map(({ body }) => JSON.parse(body).data.n as number),
    received: receiver.received
  }
}

test('an endpoint gets what it missed while it was disabled, in order and once', async () => {
  const store = await aDisabledEndpoint()
  await store.setClock(at('2026-03-01T13:00:00Z'))
  await store.occur(numbered(1, 1), numbered(2, 2), numbered(3, 1))
  await store.setClock(at('2026-03-01T14:00:00Z'))
  const { endpoint, notReceived } = await store.enable()
  assert.deepEqual([endpoint.status, notReceived!.missedEvents, notReceived!.since], ['enabled', 3, at(NOON)])
  const { events } = await store.inStore((ctx) =>
    listEvents(ctx, { since: notReceived!.firstAfter!, limit: 10, offset: 0 })
  )
  assert.deepEqual(
    events.map(({ data }) => (data as { n: number }).n),
    [1, 2, 3]
  )

  await store.occur(numbered(4, 1))
  assert.deepEqual(store.got(), [0, 4])
  assert.equal(await store.send(), 3)
  const open = await store.inStore(({ tx, storeId }) =>
    tx.many(
      row({ orderingKey: int, ready: int }),
      sql`
      select split_part(ordering_key, ':', 2)::bigint as ordering_key, ready::int as ready from webhook_queue
       where store_id = ${storeId} order by delivery_id`
    )
  )
  // Those of customer 1 one behind the other.
  assert.deepEqual(
    open.map((queued) => [queued.orderingKey, queued.ready]),
    [
      [1, 1],
      [2, 1],
      [1, 0]
    ]
  )
  await store.settle()
  assert.deepEqual(new Set(store.got()), new Set([0, 4, 1, 2, 3]))
  const late = store.received.slice(2).map(({ body, headers }) => [JSON.parse(body), Number(headers['x-svc-sequence'])])
  assert.deepEqual(
    late.map(([body, sequence]) => [body.data.n, body.timestamp, sequence]).sort(([a], [b]) => a - b),
    events.map(({ data, sequence }) => [(data as { n: number }).n, '2026-03-01T13:00:00.000Z', sequence])
  )
  assert.ok(late.findIndex(([body]) => body.data.n === 1) < late.findIndex(([body]) => body.data.n === 3))

  assert.equal(await store.send(), 0)
  // A fan-out that is repeated finds them, under the same webhook_ids.
  await store.inStore(({ tx, storeId }) =>
    tx.run(sql`update fact_consumers set position = 0 where store_id = ${storeId} and consumer = 'webhooks'`)
  )
  await store.settle()
  assert.equal(store.received.length, 5)
  assert.equal((await store.enable()).notReceived, null)
})

test('two who send what was missed at the same time send it once', async () => {
  const store = await aDisabledEndpoint()
  await store.occur(numbered(1, 1), numbered(2, 2))
  await store.enable()
  const sent = await Promise.all([store.send(), store.send(), store.send()])
  assert.equal(
    sent.reduce((sum, queued) => sum + queued),
    2
  )
  await store.settle()
  assert.deepEqual(store.got(), [0, 1, 2])
})

test('the fan-out waits while missed events are queued, so that those of a customer stay in one line', async () => {
  const store = await aDisabledEndpoint()
  await store.enable()
  let waited = false
  await atOnce(
    store,
    (ctx) => lockReceiver(ctx, internalId('we', store.id)!),
    (ctx) => queueDeliveries(ctx, [], { isRepeat: false }),
    async () => {
      waited = true
    }
  )
  assert.ok(waited)
})

test('an event that occurred before the endpoint was disabled and was queued after it is missed too', async () => {
  const receiver = await aReceiver()
  const store = await aSendingStore(db, { clock: NOON })
  const { id } = await store.anEndpoint({ url: receiver.url })
  await store.record(numbered(1, 1))
  await store.setClock(at('2026-03-01T12:30:00Z'))
  await store.inStore((ctx) => setEndpointStatus(ctx, id, 'disabled'))
  await store.settle()
  const { notReceived } = await store.inStore((ctx) => enableEndpoint(ctx, id))
  assert.deepEqual([notReceived!.missedEvents, notReceived!.since], [1, at('2026-03-01T12:30:00Z')])
  assert.equal(await sendMissed(db, store.storeId, { since: notReceived!.since, endpoint: id }), 1)
})

test('only what the endpoint accepts, from the time on, since it was created, and what is not to come anyway', async () => {
  const receiver = await aReceiver()
  const store = await aSendingStore(db, { clock: NOON })
  await store.record(numbered(-1, 1))
  await store.settle()
  const { id } = await store.anEndpoint({ url: receiver.url, events: ['subscription.paused'] })
  const send = (since: string) => sendMissed(db, store.storeId, { since: at(since), endpoint: id })
  // At the same instant as the first event, which came before the endpoint.
  await store.record(numbered(0, 1))
  await store.settle()
  await store.inStore((ctx) => setEndpointStatus(ctx, id, 'disabled'))
  await store.record({ ...numbered(1, 1), name: 'subscription.resumed' }, numbered(2, 2))
  await store.settle()
  await store.setClock(at('2026-03-01T15:00:00Z'))
  await store.record(numbered(3, 3))
  await store.settle()
  // One that the fan-out put aside, and one that it has not come to.
  await store.record(numbered(4, 4))
  await store.settle()
  await store.inStore(({ tx, storeId }) =>
    tx.run(sql`
      insert into fact_retries (store_id, consumer, fact_id, name, position, ordering_key, attempts, retry_at, last_error)
      select store_id, 'webhooks', id, name, position, ordering_key, 1, '2027-01-01', 'a bug' from facts
       where store_id = ${storeId} and (data ->> 'n')::int = 4`)
  )
  await store.record(numbered(5, 5))
  await store.settle()
  await store.inStore(({ tx, storeId }) =>
    tx.run(sql`update fact_consumers set position = position - 1 where store_id = ${storeId} and consumer = 'webhooks'`)
  )
  await store.inStore((ctx) => enableEndpoint(ctx, id))
  assert.equal(await send('2026-03-01T16:00:00Z'), 1)
  assert.equal(await send('2026-01-01T00:00:00Z'), 1)
  const { deliveries } = await store.inStore((ctx) => listDeliveries(ctx, { endpoint: id }))
  assert.deepEqual(deliveries.map(({ object }) => object).sort(), ['sub_1', 'sub_2', 'sub_3'])
})

test('what failed before the last success and was not sent again is part of what an endpoint did not get', async () => {
  let code = 500
  const receiver = await aReceiver((_, r) => r.writeHead(code).end())
  const store = await aSendingStore(db, { clock: NOON, schedule: { maxTries: 1, delaysSeconds: [60] } })
  const { id } = await store.anEndpoint({ url: receiver.url })
  const occur = async (time: string, answer: number) => {
    code = answer
    await store.setClock(at(time))
    await store.record(numbered(1, 1))
    await store.settle()
  }
  await occur('2026-03-01T18:00:00Z', 200)
  await occur('2026-03-02T00:00:00Z', 500)
  await occur('2026-03-03T00:00:00Z', 200)
  await occur('2026-03-04T00:00:00Z', 410)
  const [troubled] = await listTroubledEndpoints(db, store.storeId, { all: false })
  const { alerts } = await store.inStore((ctx) => listAlerts(ctx, { limit: 1 }))
  const { notReceived } = await store.inStore((ctx) => enableEndpoint(ctx, id))
  assert.deepEqual(
    [troubled!.undeliveredSince, troubled!.failingSince, notReceived!.since],
    [at('2026-03-02T00:00:00Z'), at('2026-03-04T00:00:00Z'), at('2026-03-02T00:00:00Z')]
  )
  assert.match(alerts[0]!.message, /--since 2026-03-02T00:00:00Z --missed/)
  const { events } = await store.inStore((ctx) =>
    listEvents(ctx, { since: notReceived!.firstAfter!, limit: 10, offset: 0 })
  )
  assert.deepEqual([notReceived!.missedEvents, events[0]!.occurredAt], [0, at('2026-03-02T00:00:00Z')])
})

test('more than one transaction of missed events comes in order', async () => {
  const store = await aDisabledEndpoint()
  const many = Array.from({ length: 1005 }, (_, i) => numbered(i + 1, 1))
  await store.occur(...many)
  assert.equal((await store.enable()).notReceived!.missedEvents, 1005)
  assert.equal(await store.send(), 1005)
  const sequences = await store.inStore(({ tx, storeId }) =>
    tx.many(
      row({ sequence: int }),
      sql`select sequence from webhook_deliveries where store_id = ${storeId} order by id`
    )
  )
  assert.equal(sequences.length, 1006)
  assert.deepEqual(
    sequences.map(({ sequence }) => sequence),
    sequences.map(({ sequence }) => sequence).sort((a, b) => a - b)
  )
})

test('nothing is sent to an endpoint that is disabled, unknown or a listener', async () => {
  const store = await aDisabledEndpoint()
  await store.occur(numbered(1, 1))
  await assert.rejects(store.send(), { code: 'conflict', message: /is disabled \(Disabled by hand\)/ })
  const unknown = { since: at(NOON), endpoint: 'we_999999' }
  await assert.rejects(sendMissed(db, store.storeId, unknown), { code: 'not_found' })
  const other = await aSendingStore(db)
  await assert.rejects(sendMissed(db, other.storeId, { ...unknown, endpoint: store.id }), { code: 'not_found' })
  const listener = await store.inStore((ctx) => openListener(ctx, {}, testSettings))
  await assert.rejects(sendMissed(db, store.storeId, { ...unknown, endpoint: listener.id }), { code: 'conflict' })
})
