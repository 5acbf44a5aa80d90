import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Patience } from '#kit/engines'
import { int, nullable, row, sql, text } from '#kit/postgres'
import { MalformedPayload, readWebhookHeaders, receiveWebhook } from '#platform'
import { setClock } from '#stores'
import { testDatabase } from '../../test/database.ts'
import { aStore, type BuiltStore } from '../../test/store-builder.ts'
import { createInboundEngine } from './inbound-engine.ts'
import type { TopicHandler } from './topics.ts'

const { db } = await testDatabase()
const START = Temporal.Instant.from('2026-01-31T10:00:00Z')

/** A sandbox store whose clock stays at START. */
const aWebhookStore = () => aStore(db, { clockAt: START })

async function receive({ storeId, credentials: { appSecret } }: BuiltStore, topic: string, body: string) {
  const headers = readWebhookHeaders({
    'x-platform-topic': topic,
    'x-platform-hmac-sha256': createHmac('sha256', appSecret).update(body).digest('base64'),
    'x-platform-shop-domain': 'Store.Example',
    'x-platform-webhook-id': randomUUID()
  })
  const { status } = await receiveWebhook(db, { storeId, appSecret, profile: 'platform' }, headers!, Buffer.from(body))
  assert.equal(status, 200)
}

/** Receives messages whose payload is {n}, in order. */
async function receiveAll(store: BuiltStore, ...messages: [topic: string, n: number][]) {
  for (const [topic, n] of messages) await receive(store, topic, JSON.stringify({ n }))
}

const Kept = row({
  body: text,
  status: text,
  attempts: int,
  lastError: nullable(text),
  leaseOwner: nullable(int)
})
const kept = ({ storeId }: BuiltStore) =>
  db.inStore(storeId, ({ tx }) =>
    tx.many(
      Kept,
      sql`select body, status, attempts, last_error, lease_owner
            from inbound_webhooks where store_id = ${storeId} order by id`
    )
  )

/** An engine with these handlers, none of which reads the platform. */
const engineWith = (topics: Record<string, TopicHandler>, leaseOwner = 1, patience: Patience = {}) => {
  const never = async () => assert.fail('No handler of these tests reads the platform')
  return createInboundEngine({ db, leaseOwner, connectorOf: never, disconnect: never, patience }, topics)
}

const setClockOf = ({ storeId }: BuiltStore, at: Temporal.Instant) => db.inStore(storeId, (ctx) => setClock(ctx, at))

const minutesAfterStart = (minutes: number) => START.add({ minutes })

/** Handlers that record their calls, and an engine with them. */
function anEngine(topics: string[], behaviour: (n: number) => void = () => {}) {
  const calls: [topic: string, ns: number[]][] = []
  const handlerOf =
    (topic: string): TopicHandler =>
    async (_deps, _storeId, messages) => {
      const ns = messages.map((message) => (message.payload as { n: number }).n)
      calls.push([topic, ns])
      ns.forEach(behaviour)
    }
  const handlers = Object.fromEntries(topics.map((topic) => [topic, handlerOf(topic)]))
  return { calls, engine: engineWith(handlers) }
}

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
  const handlers: Record<string, TopicHandler> = {
    'orders/paid': () => {
      throw new Error('at once')
    }
  }
  assert.equal(await engineWith(handlers).runOnce(store.storeId), 2)
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
  await receive(store, 'orders/paid', '{"note":"a\\u0000b"}')
  const payloads: unknown[] = []
  const handlers: Record<string, TopicHandler> = {
    'orders/paid': async (_deps, _storeId, messages) => void payloads.push(messages[0]!.payload)
  }
  await engineWith(handlers).runOnce(store.storeId)
  assert.deepEqual(payloads, [{ note: 'ab' }])
})

test('while one process has messages of a store, another leases none of that store', async () => {
  const [store, other] = [await aWebhookStore(), await aWebhookStore()]
  await receiveAll(store, ['orders/paid', 1])
  await receiveAll(other, ['orders/paid', 9])
  const second = anEngine(['orders/paid'])
  const first = engineWith(
    {
      'orders/paid': async () => {
        await receiveAll(store, ['orders/paid', 2])
        assert.equal(await second.engine.runOnce(store.storeId), 0)
        assert.equal(await second.engine.runOnce(other.storeId), 1)
      }
    },
    2
  )
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
  const first = engineWith(
    {
      'orders/paid': async () => {
        await db.inStore(store.storeId, ({ tx }) =>
          tx.run(sql`update inbound_webhooks set leased_until = clock_timestamp() - interval '1 second'
                      where store_id = ${store.storeId}`)
        )
        await second.engine.runOnce(store.storeId)
        throw new Error('too late')
      }
    },
    2
  )
  await first.runOnce(store.storeId)
  const [message] = await kept(store)
  assert.deepEqual([message!.status, message!.attempts, message!.lastError], ['done', 0, null])
})

/** A message about a contract, with a number of its own. */
const aboutContract = (contract: number, n: number): [topic: string, body: string] => [
  'subscription_billing_attempts/success',
  JSON.stringify({
    admin_graphql_api_id: `gid://platform/SubscriptionBillingAttempt/${n}`,
    id: n,
    idempotency_key: `key-${n}`,
    admin_graphql_api_subscription_contract_id: `gid://platform/SubscriptionContract/${contract}`,
    subscription_contract_id: contract,
    ready: true
  })
]

test('a read that hangs holds up no other messages of the store, but those about the same contract, which keep their order', async () => {
  const store = await aWebhookStore()
  const handled: (number | string)[] = []
  const hanging = Promise.withResolvers<void>()
  const topics: Record<string, TopicHandler> = {
    'subscription_billing_attempts/success': async (_deps, _storeId, messages) => {
      const ns = messages.map(({ payload }) => (payload as { id: number }).id)
      if (ns.includes(1)) await hanging.promise
      handled.push(...ns)
    },
    'orders/paid': async () => void handled.push('order')
  }
  const engine = engineWith(topics, 1, { slowMs: 20, comeBackMs: 50 })
  const other = engineWith(topics, 2)
  await receive(store, ...aboutContract(7, 1))
  await receiveAll(store, ['orders/paid', 0])
  await engine.runOnce(store.storeId)
  assert.deepEqual(handled, ['order'], 'what was received with it')
  for (const [contract, n] of [
    [8, 2],
    [7, 3],
    [9, 4],
    [8, 5]
  ] as const) {
    await receive(store, ...aboutContract(contract, n))
  }
  assert.ok((await engine.runOnce(store.storeId)) > 0)
  assert.deepEqual(handled, ['order', 2, 4, 5], 'what was received later about other contracts')
  assert.equal(await other.runOnce(store.storeId), 0, 'no other process takes what waits')
  await receive(store, ...aboutContract(7, 6))
  await engine.runOnce(store.storeId)
  assert.deepEqual(handled, ['order', 2, 4, 5])

  hanging.resolve()
  while ((await engine.runOnce(store.storeId)) > 0);
  assert.deepEqual(handled, ['order', 2, 4, 5, 1, 3, 6], 'each contract in the order of arrival')
  assert.deepEqual(new Set((await kept(store)).map((m) => [m.status, m.leaseOwner].join())), new Set(['done,']))
})

test('when the background stops, what is under way is ended first', async () => {
  const store = await aWebhookStore()
  let isHandled = false
  const topics: Record<string, TopicHandler> = {
    'orders/paid': async () => {
      await sleep(300)
      isHandled = true
    }
  }
  const engine = engineWith(topics, 1, { slowMs: 20, comeBackMs: 50 })
  await receiveAll(store, ['orders/paid', 1])
  assert.ok((await engine.runOnce(store.storeId)) > 0)
  assert.equal(isHandled, false)
  await engine.endUnderWay?.(store.storeId)
  assert.equal(isHandled, true)
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
