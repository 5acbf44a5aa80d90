import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { testDatabase } from '../../../test/database.ts'
import { findEndpoint } from '../endpoints/list-endpoints.ts'
import { setEndpointStatus } from '../endpoints/set-endpoint-status.ts'
import { findDelivery, listDeliveries } from '../history/list-deliveries.ts'
import { aFact, aReceiver, aSendingStore, type Received, testSettings } from '../receiver.test-helper.ts'
import { createDeliveryEngine, type DeliveryEngine } from './delivery-engine.ts'

const { db } = await testDatabase()
const parsed = ({ body }: Received) => JSON.parse(body) as { webhook_id: string; data: { subscription_id: string } }

test('a receiver can prove a delivery by either signature, over the exact bytes', async () => {
  const receiver = await aReceiver()
  const store = await aSendingStore(db, { clock: '2026-03-01T12:00:00Z' })
  const { secret } = await store.anEndpoint({ url: receiver.url })
  await store.record(aFact(1))
  await store.settle()

  assert.equal(receiver.received.length, 1)
  const { headers, body } = receiver.received[0]!
  const sent = JSON.parse(body)
  assert.deepEqual(Object.keys(sent), ['event', 'timestamp', 'webhook_id', 'data'])
  assert.equal(JSON.stringify(sent), body)
  assert.equal(sent.event, 'subscription.paused')
  assert.equal(sent.timestamp, '2026-03-01T12:00:00.000Z')
  assert.match(sent.webhook_id, /^wh_[0-9a-f]{32}$/)
  assert.deepEqual(sent.data, aFact(1).data)

  assert.equal(headers['x-svc-signature'], `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`)
  assert.equal(headers['webhook-id'], sent.webhook_id)
  assert.equal(headers['content-type'], 'application/json')
  // As Standard Webhooks libraries do it: the key is the base64 after `whsec_`.
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  assert.equal(key.length, 32)
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  assert.equal(headers['webhook-signature'], `v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
  assert.ok(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1000) < 300)
})

test('an event stored with other spacing still goes out as compact JSON', async () => {
  const receiver = await aReceiver()
  const store = await aSendingStore(db)
  await store.anEndpoint({ url: receiver.url })
  await store.inStore(({ tx, storeId, now }) =>
    tx.run(sql`
      insert into facts (store_id, name, ordering_key, data, occurred_at)
      values (${storeId}, 'member.created', 'member:1', '{ "member_id" : "mem_1", "points" : 1.50 }', ${now})`)
  )
  await store.settle()
  assert.match(receiver.received[0]!.body, /"data":\{"member_id":"mem_1","points":1.5\}\}$/)
})

test('retries come exactly on the contract’s schedule under a test clock, and the sixth failure is the last', async () => {
  const receiver = await aReceiver((_, r) => r.writeHead(500).end('try later'))
  const start = Temporal.Instant.from('2026-01-31T08:00:00Z')
  const store = await aSendingStore(db, { clock: start.toString() })
  await store.anEndpoint({ url: receiver.url })
  await store.record(aFact(1))

  const times: string[] = []
  await store.settle()
  for (let due = await store.sender.nextDueAt(store.storeId); due; due = await store.sender.nextDueAt(store.storeId)) {
    await store.setClock(due.subtract({ seconds: 1 }))
    assert.equal(await store.sender.runOnce(store.storeId), 0)
    await store.setClock(due)
    times.push(due.since(start).round({ largestUnit: 'hour', smallestUnit: 'millisecond' }).toString())
    await store.settle()
  }

  assert.deepEqual(times, ['PT1M', 'PT6M', 'PT36M', 'PT2H36M', 'PT14H36M'])
  assert.equal(receiver.received.length, 6)
  assert.equal(new Set(receiver.received.map((r) => parsed(r).webhook_id)).size, 1)
  const detail = await store.inStore((ctx) => findDelivery(ctx, parsed(receiver.received[0]!).webhook_id))
  assert.equal(detail!.status, 'failed')
  assert.equal(detail!.tries, 6)
  assert.deepEqual(
    detail!.history.map((t) => [t.tryNumber, t.responseCode, t.failure, t.responseText]),
    [1, 2, 3, 4, 5, 6].map((n) => [n, 500, 'status', 'try later'])
  )
  assert.equal(detail!.history[5]!.startedAt.toString(), '2026-01-31T22:36:00Z')
})

test('a delivery that succeeds later is delivered, and the failing is forgotten', async () => {
  const receiver = await aReceiver((_, r) => r.writeHead(receiver.received.length < 3 ? 503 : 204).end())
  const store = await aSendingStore(db, { clock: '2026-01-01T00:00:00Z' })
  const { id } = await store.anEndpoint({ url: receiver.url })
  await store.record(aFact(1))
  await store.settle()
  assert.ok((await store.inStore((ctx) => findEndpoint(ctx, id)))!.failingSince)
  await store.setClock(Temporal.Instant.from('2026-01-01T00:01:00Z'))
  await store.settle()
  await store.setClock(Temporal.Instant.from('2026-01-01T00:06:00Z'))
  await store.settle()

  const { deliveries } = await store.inStore((ctx) => listDeliveries(ctx))
  assert.deepEqual(
    deliveries.map((d) => [d.status, d.tries, d.responseCode]),
    [['delivered', 3, 204]]
  )
  assert.equal((await store.inStore((ctx) => findEndpoint(ctx, id)))!.failingSince, null)
})

test('first tries of one object go in order, one after the other; other objects do not wait', async () => {
  let atOnce = 0
  let maxConcurrent = 0
  const receiver = await aReceiver((got, r) => {
    if (got.body.includes('"sub_1"')) maxConcurrent = Math.max(maxConcurrent, ++atOnce)
    setTimeout(() => {
      if (got.body.includes('"sub_1"')) atOnce--
      r.writeHead(Number(parsed(got).data.subscription_id.slice(4)) === 3 ? 500 : 200).end()
    }, 5)
  })
  const store = await aSendingStore(db, { clock: '2026-01-01T00:00:00Z' })
  await store.anEndpoint({ url: receiver.url })
  const facts = Array.from({ length: 12 }, (_, i) => ({ ...aFact(1), data: { subscription_id: 'sub_1', n: i } }))
  await store.record(aFact(3), ...facts, { ...aFact(3), data: { subscription_id: 'sub_3', n: 1 } }, aFact(4))
  await store.settle()

  const ofOne = receiver.received.map(parsed).filter((p) => p.data.subscription_id === 'sub_1')
  assert.deepEqual(
    ofOne.map((p) => (p.data as { n?: number }).n),
    facts.map((_, i) => i)
  )
  assert.equal(maxConcurrent, 1)
  // The first of object 3 failed and is to be retried; it does not hold back the second.
  assert.equal(receiver.received.filter((r) => r.body.includes('"sub_3"')).length, 2)
})

test('two senders at once share the work: nothing is sent twice, and order holds', async () => {
  const receiver = await aReceiver((_, r) => setTimeout(() => r.end(), 2))
  const store = await aSendingStore(db)
  await store.anEndpoint({ url: receiver.url })
  await store.record(...Array.from({ length: 200 }, (_, i) => ({ ...aFact(i % 40), data: { object: i % 40, n: i } })))
  const second = createDeliveryEngine({ db, leaseOwner: 0, ...testSettings })
  while ((await store.dispatch.runOnce(store.storeId)) > 0);
  const run = async (sender: DeliveryEngine) => {
    while ((await store.sender.nextDueAt(store.storeId)) !== null) await sender.runOnce(store.storeId)
  }
  await Promise.all([run(store.sender), run(second)])
  await second.stop()

  const sent = receiver.received.map(({ body }) => JSON.parse(body).data as { object: number; n: number })
  assert.equal(sent.length, 200)
  for (const [object, ofObject] of Map.groupBy(sent, (s) => s.object)) {
    assert.deepEqual(
      ofObject.map((s) => s.n),
      [0, 1, 2, 3, 4].map((round) => round * 40 + object)
    )
  }
})

test('a receiver that answers 410 is disabled with a reason, and its open deliveries are visibly cancelled', async () => {
  const receiver = await aReceiver((_, r) => r.writeHead(410).end())
  const store = await aSendingStore(db)
  const { id } = await store.anEndpoint({ url: receiver.url })
  await store.record(aFact(1), aFact(1), aFact(1))
  await store.settle()

  const endpoint = await store.inStore((ctx) => findEndpoint(ctx, id))
  assert.equal(endpoint!.status, 'disabled')
  assert.match(endpoint!.disabledReason!, /410/)
  const { deliveries } = await store.inStore((ctx) => listDeliveries(ctx, { status: 'failed' }))
  assert.deepEqual(
    deliveries.map((d) => [d.cancelled, d.tries]),
    [
      [true, 0],
      [true, 0],
      [true, 1]
    ]
  )
  assert.equal(await store.sender.nextDueAt(store.storeId), null)
  // Events that occur while it is off make no delivery; switched on it receives again.
  await store.record(aFact(2))
  await store.settle()
  await store.inStore((ctx) => setEndpointStatus(ctx, id, 'enabled'))
  await store.settle()
  assert.equal(receiver.received.length, 1)
})

test('answers that are none, or none to trust, are recorded as what they are', async (t) => {
  const canary = await aReceiver()
  const cases: [string, (r: import('node:http').ServerResponse) => void, number | null, string | null][] = [
    ['redirect', (r) => r.writeHead(307, { location: canary.url }).end(), 307, 'redirect'],
    ['not found', (r) => r.writeHead(404).end(), 404, 'status'],
    ['too many', (r) => r.writeHead(429, { 'retry-after': '9' }).end(), 429, 'status'],
    ['hang', () => {}, null, 'timeout'],
    ['reset', (r) => r.destroy(), null, 'reset'],
    ['no HTTP', (r) => r.socket!.end('SSH-2.0-nothing\r\n\r\n'), null, 'protocol'],
    ['drip', (r) => drip(r, 500), 500, 'status'],
    ['huge', (r) => flood(r, 200), 200, null],
    ['NUL', (r) => r.writeHead(500).end('a\0b'), 500, 'status']
  ]
  for (const [name, respond, code, failure] of cases) {
    await t.test(name, async () => {
      const receiver = await aReceiver((_, r) => respond(r))
      const store = await aSendingStore(db, { timeoutMs: 300 })
      await store.anEndpoint({ url: receiver.url })
      await store.record(aFact(1))
      await store.settle()
      const { deliveries } = await store.inStore((ctx) => listDeliveries(ctx))
      assert.deepEqual(
        deliveries.map((d) => [d.responseCode, d.failure, d.status]),
        [[code, failure, failure ? 'retrying' : 'delivered']]
      )
      const { history } = (await store.inStore((ctx) => findDelivery(ctx, deliveries[0]!.webhookId)))!
      assert.ok(history[0]!.responseText.length <= 1024)
    })
  }
  assert.equal(canary.received.length, 0)
  assert.ok(flooded < 32 * 2 ** 20, `${flooded} bytes were read of an answer without end`)
})

function drip(response: import('node:http').ServerResponse, status: number) {
  response.writeHead(status)
  const timer = setInterval(() => response.write('.'), 20)
  response.on('close', () => clearInterval(timer))
}

let flooded = 0
function flood(response: import('node:http').ServerResponse, status: number) {
  response.writeHead(status)
  const chunk = Buffer.alloc(64 * 1024, 'x')
  const more = () => {
    while (!response.destroyed && flooded < 2 ** 30) {
      flooded += chunk.length
      if (!response.write(chunk)) return response.once('drain', more)
    }
  }
  more()
}

test('a receiver that hangs does not hold up another endpoint', async () => {
  const hanging = await aReceiver(() => {})
  const healthy = await aReceiver()
  const store = await aSendingStore(db, { timeoutMs: 20_000, perEndpoint: 4, overall: 8 })
  await store.anEndpoint({ url: hanging.url })
  await store.anEndpoint({ url: healthy.url })
  await store.record(...Array.from({ length: 40 }, (_, i) => aFact(i + 1)))
  await store.dispatch.runOnce(store.storeId)
  while (healthy.received.length < 40) await store.sender.runOnce(store.storeId)
  assert.ok(hanging.received.length <= 2)
  await store.sender.stop(0)
  const { deliveries } = await store.inStore((ctx) => listDeliveries(ctx, { status: 'retrying' }))
  assert.equal(deliveries.length, 40)
  // Those that the stop cut off have had a try of which nobody knows how it ended.
  const tried = deliveries.filter((d) => d.tries > 0)
  assert.deepEqual(
    tried.map((d) => [d.tries, d.failure]),
    hanging.received.map(() => [1, 'interrupted'])
  )
})

test('the history answers by status, event and endpoint, page by page, and only its own store’s', async () => {
  const good = await aReceiver()
  const bad = await aReceiver((_, r) => r.writeHead(500).end())
  const store = await aSendingStore(db)
  const { id } = await store.anEndpoint({ url: good.url, events: ['subscription.paused'] })
  await store.anEndpoint({ url: bad.url })
  await store.record(aFact(1), aFact(2), { ...aFact(3), name: 'subscription.resumed' })
  await store.settle()

  const list = (filters: Parameters<typeof listDeliveries>[1]) => store.inStore((ctx) => listDeliveries(ctx, filters))
  const count = async (filters: Parameters<typeof listDeliveries>[1]) => (await list(filters)).deliveries.length
  assert.equal(await count({}), 5)
  assert.equal(await count({ status: 'delivered' }), 2)
  assert.equal(await count({ status: 'retrying' }), 3)
  assert.equal(await count({ event: 'subscription.resumed' }), 1)
  assert.equal(await count({ endpoint: id }), 2)
  assert.equal(await count({ endpoint: id, status: 'failed' }), 0)
  const first = await list({ limit: 3 })
  const rest = await list({ limit: 3, before: first.next! })
  assert.deepEqual([first.deliveries.length, rest.deliveries.length, rest.next], [3, 2, null])
  assert.equal(new Set([...first.deliveries, ...rest.deliveries].map((d) => d.webhookId)).size, 5)

  const other = await aSendingStore(db)
  assert.deepEqual((await other.inStore((ctx) => listDeliveries(ctx))).deliveries, [])
  assert.equal(await other.inStore((ctx) => findDelivery(ctx, first.deliveries[0]!.webhookId)), null)
  await assert.rejects(list({ event: 'nope' }), { code: 'invalid_request' })
  await assert.rejects(list({ endpoint: 'x' }), { code: 'not_found' })
  await assert.rejects(list({ before: 'wh_x' }), { code: 'not_found' })
})
