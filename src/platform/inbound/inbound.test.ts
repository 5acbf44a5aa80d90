import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { instant, int, nullable, row, sql, text } from '#kit/postgres'
import { setClock } from '#stores'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { MalformedPayload } from '../wire/fields.ts'
import { createInboundEngine, type InboundHandler } from './inbound-engine.ts'
import { receiveWebhook, type WebhookStore } from './receive-webhook.ts'
import { readWebhookHeaders } from './webhook-headers.ts'

const { db } = await testDatabase()
const START = Temporal.Instant.from('2026-01-31T10:00:00Z')

/** A sandbox store whose clock stays at START. */
async function aWebhookStore(): Promise<WebhookStore> {
  const { storeId, credentials } = await aStore(db, { clockAt: START })
  return { storeId, appSecret: credentials.appSecret, profile: 'platform' }
}

type Headers = Record<string, string | undefined>

const hmac = (secret: string, body: string | Buffer) => createHmac('sha256', secret).update(body).digest('base64')

function headersFor({ appSecret }: WebhookStore, body: string | Buffer, headers: Headers = {}) {
  return {
    'x-platform-topic': 'orders/paid',
    'x-platform-hmac-sha256': hmac(appSecret, body),
    'x-platform-shop-domain': 'Store.Example',
    'x-platform-webhook-id': randomUUID() as string,
    'x-platform-triggered-at': '2026-01-31T09:59:58.5Z',
    ...headers
  }
}

function receive(store: WebhookStore, body: string | Buffer, headers: Headers = {}) {
  const read = readWebhookHeaders(headersFor(store, body, headers))
  assert.ok(read)
  return receiveWebhook(db, store, read, Buffer.from(body))
}

/** Receives messages whose payload is {n}, in order. */
async function receiveAll(store: WebhookStore, ...messages: [topic: string, n: number][]) {
  for (const [topic, n] of messages) {
    const { status } = await receive(store, JSON.stringify({ n }), { 'x-platform-topic': topic })
    assert.equal(status, 200)
  }
}

const Kept = row({
  id: int,
  topic: text,
  body: text,
  status: text,
  attempts: int,
  runAt: instant,
  receivedAt: instant,
  triggeredAt: nullable(instant),
  lastError: nullable(text),
  leaseOwner: nullable(int)
})
const kept = ({ storeId }: WebhookStore) =>
  db.inStore(storeId, ({ tx }) =>
    tx.many(
      Kept,
      sql`select id, topic, body, status, attempts, run_at, received_at, triggered_at, last_error, lease_owner
            from inbound_webhooks where store_id = ${storeId} order by id`
    )
  )

const setClockOf = ({ storeId }: WebhookStore, at: Temporal.Instant) => db.inStore(storeId, (ctx) => setClock(ctx, at))

const minutesAfterStart = (minutes: number) => START.add({ minutes })

/** Handlers that record their calls, and an engine with them. */
function anEngine(topics: string[], behaviour: (n: number) => void = () => {}) {
  const calls: [topic: string, ns: number[]][] = []
  const handlerOf =
    (topic: string): InboundHandler =>
    async (_storeId, messages) => {
      const ns = messages.map((message) => (message.payload as { n: number }).n)
      calls.push([topic, ns])
      ns.forEach(behaviour)
    }
  const handlers = Object.fromEntries(topics.map((topic) => [topic, handlerOf(topic)]))
  return { calls, engine: createInboundEngine({ db, leaseOwner: 1, handlers }) }
}

test('a signed message is stored as it came, at the time of the store', async () => {
  const store = await aWebhookStore()
  const body = readFileSync(new URL('../../../test/fixtures/platform/payloads/orders__paid.json', import.meta.url))
  assert.deepEqual(await receive(store, body), { status: 200, outcome: 'stored' })
  const [message] = await kept(store)
  assert.deepEqual(message, {
    id: message!.id,
    topic: 'orders/paid',
    body: body.toString(),
    status: 'waiting',
    attempts: 0,
    runAt: START,
    receivedAt: START,
    triggeredAt: Temporal.Instant.from('2026-01-31T09:59:58.5Z'),
    lastError: null,
    leaseOwner: null
  })
})

test('receiving takes one statement', async () => {
  const store = await aWebhookStore()
  await receive(store, '{}')
  const before = { ...db.stats }
  await receive(store, '{}')
  assert.equal(db.stats.statements - before.statements, 1)
  assert.equal(db.stats.transactions - before.transactions, 0)
})

test('a repeated delivery gets 200 and is stored once, also when it comes many times at once', async () => {
  const store = await aWebhookStore()
  const id = { 'x-platform-webhook-id': 'w-1' }
  const answers = await Promise.all(Array.from({ length: 10 }, () => receive(store, '{"n":1}', id)))
  assert.deepEqual(answers.map((answer) => answer.outcome).sort(), [...Array(9).fill('repeated'), 'stored'])
  assert.equal((await kept(store)).length, 1)
})

test('two stores may receive the same delivery id', async () => {
  const [a, b] = [await aWebhookStore(), await aWebhookStore()]
  const id = { 'x-platform-webhook-id': 'w-1' }
  assert.equal((await receive(a, '{}', id)).outcome, 'stored')
  assert.equal((await receive(b, '{}', id)).outcome, 'stored')
  assert.equal((await kept(a)).length, 1)
})

test('a bad signature is 401 and nothing is stored, whatever the body', async () => {
  const store = await aWebhookStore()
  const forged = { 'x-platform-hmac-sha256': hmac('guess', '{}') }
  const bad = { status: 401, outcome: 'bad_signature' }
  assert.deepEqual(await receive(store, '{}', forged), bad)
  assert.deepEqual(await receive(store, 'no json', forged), bad)
  assert.deepEqual(await receive(store, '', forged), bad)
  assert.deepEqual(await receive({ ...store, profile: 'shopify' }, '{}'), bad)
  const other = await aWebhookStore()
  assert.deepEqual(await receive(store, '{}', headersFor(other, '{}')), bad)
  assert.deepEqual(await kept(store), [])
})

test('a signed body that is not a JSON object in UTF-8 is 400 and nothing is stored', async () => {
  const store = await aWebhookStore()
  const bodies = ['', '[]', 'null', '"text"', '1', '{"a":', '{"a":"\0"}', '\ufeff{}', Buffer.from([123, 255, 125])]
  for (const body of bodies) assert.equal((await receive(store, body)).status, 400)
  assert.deepEqual(await kept(store), [])
})

test('headers are read in either spelling, and only when all are present', async () => {
  const headers = headersFor(await aWebhookStore(), '{}')
  const shopify = Object.fromEntries(Object.entries(headers).map(([k, v]) => [k.replace('platform', 'shopify'), v]))
  assert.equal(readWebhookHeaders(headers)?.profile, 'platform')
  assert.equal(readWebhookHeaders(headers)?.shopDomain, 'store.example')
  assert.equal(readWebhookHeaders(shopify)?.profile, 'shopify')
  assert.equal(readWebhookHeaders({ ...headers, 'x-platform-triggered-at': 'soon' })?.triggeredAt, null)
  for (const name of ['topic', 'hmac-sha256', 'shop-domain', 'webhook-id']) {
    assert.equal(readWebhookHeaders({ ...headers, [`x-platform-${name}`]: undefined }), null, name)
    assert.equal(readWebhookHeaders({ ...headers, [`x-platform-${name}`]: 'x'.repeat(256) }), null, name)
  }
})

test('all messages of a handler go to it together, in the order of arrival, and each once', async () => {
  const store = await aWebhookStore()
  await receiveAll(store, ['orders/paid', 1], ['orders/paid', 2], ['customers/update', 3], ['orders/paid', 4])
  const { calls, engine } = anEngine(['orders/paid', 'customers/update'])
  assert.deepEqual(await engine.nextDueAt(store.storeId), START)
  assert.equal(await engine.runOnce(store.storeId), 4)
  assert.deepEqual(calls, [
    ['orders/paid', [1, 2, 4]],
    ['customers/update', [3]]
  ])
  assert.equal(await engine.runOnce(store.storeId), 0)
  assert.equal(await engine.nextDueAt(store.storeId), null)
  assert.deepEqual(new Set((await kept(store)).map((m) => [m.status, m.leaseOwner].join())), new Set(['done,']))
})

test('a topic without a handler is marked ignored', async () => {
  const store = await aWebhookStore()
  await receiveAll(store, ['themes/publish', 1], ['__proto__', 2])
  assert.equal(await anEngine(['orders/paid']).engine.runOnce(store.storeId), 2)
  assert.deepEqual(
    (await kept(store)).map((m) => m.status),
    ['ignored', 'ignored']
  )
})

test('a message that fails blocks no other, and is tried again later by the clock of the store', async () => {
  const store = await aWebhookStore()
  await receiveAll(store, ['orders/paid', 1], ['orders/paid', 2], ['orders/paid', 3])
  let broken = true
  const { calls, engine } = anEngine(['orders/paid'], (n) => {
    if (n === 2 && broken) throw new Error('Order 2 cannot be kept\0')
  })
  await engine.runOnce(store.storeId)
  assert.deepEqual(
    calls.map(([, ns]) => ns),
    [[1, 2, 3], [1], [2], [3]]
  )
  const [, second] = await kept(store)
  assert.equal(second!.status, 'waiting')
  assert.equal(second!.attempts, 1)
  assert.equal(second!.lastError, 'Error: Order 2 cannot be kept')
  assert.deepEqual(await engine.nextDueAt(store.storeId), minutesAfterStart(1))
  assert.equal(await engine.runOnce(store.storeId), 0)

  await setClockOf(store, minutesAfterStart(1))
  broken = false
  assert.equal(await engine.runOnce(store.storeId), 1)
  assert.deepEqual(
    (await kept(store)).map((m) => m.status),
    ['done', 'done', 'done']
  )
})

test('a handler may throw synchronously', async () => {
  const store = await aWebhookStore()
  await receiveAll(store, ['orders/paid', 1], ['orders/paid', 2])
  const handlers: Record<string, InboundHandler> = {
    'orders/paid': () => {
      throw new Error('at once')
    }
  }
  assert.equal(await createInboundEngine({ db, leaseOwner: 1, handlers }).runOnce(store.storeId), 2)
  assert.deepEqual(
    (await kept(store)).map((m) => m.lastError),
    ['Error: at once', 'Error: at once']
  )
})

test('a message is tried twenty times, after 1, 5 and 30 minutes, 2 hours and then every 6 hours, and then fails', async () => {
  const store = await aWebhookStore()
  await receiveAll(store, ['orders/paid', 1])
  const { calls, engine } = anEngine(['orders/paid'], () => {
    throw new Error('no')
  })
  const waits: number[] = []
  for (let due = await engine.nextDueAt(store.storeId); due; due = await engine.nextDueAt(store.storeId)) {
    await setClockOf(store, due)
    await engine.runOnce(store.storeId)
    const next = await engine.nextDueAt(store.storeId)
    if (next) waits.push(next.since(due).total('minutes'))
  }
  assert.deepEqual(waits, [1, 5, 30, 120, ...Array(15).fill(360)])
  assert.equal(calls.length, 20)
  assert.equal((await kept(store))[0]!.status, 'failed')
})

test('a message that cannot be read fails at once, because a repetition does not help', async () => {
  const store = await aWebhookStore()
  await receiveAll(store, ['orders/paid', 1])
  const { engine } = anEngine(['orders/paid'], () => {
    throw new MalformedPayload('order.id', 'must be a global id')
  })
  await engine.runOnce(store.storeId)
  const [message] = await kept(store)
  assert.equal(message!.status, 'failed')
  assert.match(message!.lastError!, /order\.id must be a global id/)
})

test('a NUL that someone typed is removed from the payload', async () => {
  const store = await aWebhookStore()
  await receive(store, '{"note":"a\\u0000b"}')
  const payloads: unknown[] = []
  const handlers = { 'orders/paid': async (_: number, m: { payload: unknown }[]) => void payloads.push(m[0]!.payload) }
  await createInboundEngine({ db, leaseOwner: 1, handlers }).runOnce(store.storeId)
  assert.deepEqual(payloads, [{ note: 'ab' }])
})

test('while one process has messages of a store, another leases none of that store', async () => {
  const [store, other] = [await aWebhookStore(), await aWebhookStore()]
  await receiveAll(store, ['orders/paid', 1])
  await receiveAll(other, ['orders/paid', 9])
  const second = anEngine(['orders/paid'])
  const first = createInboundEngine({
    db,
    leaseOwner: 2,
    handlers: {
      'orders/paid': async () => {
        await receiveAll(store, ['orders/paid', 2])
        assert.equal(await second.engine.runOnce(store.storeId), 0)
        assert.equal(await second.engine.runOnce(other.storeId), 1)
      }
    }
  })
  await first.runOnce(store.storeId)
  assert.deepEqual(second.calls, [['orders/paid', [9]]])
  assert.equal((await kept(store))[0]!.status, 'done')
  assert.equal(await second.engine.runOnce(store.storeId), 1)
})

test('many engines at once handle each message once, in order', async () => {
  const store = await aWebhookStore()
  await receiveAll(store, ...Array.from({ length: 150 }, (_, n): [string, number] => ['orders/paid', n]))
  const { calls, engine } = anEngine(['orders/paid'])
  const drain = async () => {
    while (await engine.nextDueAt(store.storeId)) await engine.runOnce(store.storeId)
  }
  await Promise.all([drain(), drain(), drain(), drain()])
  assert.deepEqual(
    calls.flatMap(([, ns]) => ns),
    Array.from({ length: 150 }, (_, n) => n)
  )
})

test('a result that comes after the lease has expired changes nothing', async () => {
  const store = await aWebhookStore()
  await receiveAll(store, ['orders/paid', 1])
  const second = anEngine(['orders/paid'])
  const first = createInboundEngine({
    db,
    leaseOwner: 2,
    handlers: {
      'orders/paid': async () => {
        await db.inStore(store.storeId, ({ tx }) =>
          tx.run(sql`update inbound_webhooks set leased_until = clock_timestamp() - interval '1 second'
                      where store_id = ${store.storeId}`)
        )
        await second.engine.runOnce(store.storeId)
        throw new Error('too late')
      }
    }
  })
  await first.runOnce(store.storeId)
  const [message] = await kept(store)
  assert.deepEqual([message!.status, message!.attempts, message!.lastError], ['done', 0, null])
})

test('finished messages are deleted after thirty days; failed and waiting ones stay', async () => {
  const store = await aWebhookStore()
  await receiveAll(store, ['orders/paid', 1], ['themes/publish', 2], ['orders/paid', 3])
  const { engine } = anEngine(['orders/paid'], (n) => {
    if (n === 3) throw new MalformedPayload('order', 'must be an object')
  })
  await engine.runOnce(store.storeId)
  await setClockOf(store, START.add({ hours: 24 * 30 }))
  await receiveAll(store, ['orders/paid', 4])
  await engine.runOnce(store.storeId)
  assert.equal((await kept(store)).length, 4)

  await setClockOf(store, START.add({ hours: 24 * 30 + 1 }))
  await receiveAll(store, ['orders/paid', 5])
  await engine.runOnce(store.storeId)
  assert.deepEqual(
    (await kept(store)).map((m) => [JSON.parse(m.body).n, m.status]),
    [
      [3, 'failed'],
      [4, 'done'],
      [5, 'done']
    ]
  )
})
