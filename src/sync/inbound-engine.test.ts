import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Patience } from '#kit/engines'
import { instant, int, isOutage, nullable, row, sql, text, UnknownStore } from '#kit/postgres'
import { MalformedPayload, readWebhookHeaders, receiveWebhook } from '#platform'
import { setClock } from '#stores'
import { testDatabase } from '../../test/database.ts'
import { awayWhile } from '../../test/failing-database.ts'
import { aStore, type BuiltStore } from '../../test/store-builder.ts'
import { createInboundEngine } from './inbound-engine.ts'
import type { InboundLimits } from './messages-under-way.ts'
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
const engineWith = (
  topics: Record<string, TopicHandler>,
  leaseOwner = 1,
  patience: Patience = {},
  limits: Partial<InboundLimits> = {}
) => {
  const never = async () => assert.fail('No handler of these tests reads the platform')
  return createInboundEngine({ db, leaseOwner, connectorOf: never, checkUninstalled: never, patience, limits }, topics)
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
  return { calls, handlers, engine: engineWith(handlers) }
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

test('many nodes at once handle each message once, in order', async () => {
  const store = await aWebhookStore()
  await receiveAll(store, ...Array.from({ length: 150 }, (_, n): [string, number] => ['orders/paid', n]))
  const { calls, handlers } = anEngine(['orders/paid'])
  const drain = async (leaseOwner: number) => {
    const engine = engineWith(handlers, leaseOwner, {}, { batch: 20 })
    while (await engine.nextDueAt(store.storeId)) await engine.runOnce(store.storeId)
  }
  await Promise.all([1, 2, 3, 4].map(drain))
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

/** Runs that do not wait long for what hangs. */
const IMPATIENT: Patience = { slowMs: 20, comeBackMs: 30 }

/** An engine whose handler of messages about contracts does `handle` with their numbers. */
const contractEngine = (
  handle: (ns: number[]) => Promise<void>,
  { leaseOwner = 1, ...limits }: Partial<InboundLimits> & { leaseOwner?: number } = {},
  patience = IMPATIENT
) =>
  engineWith(
    {
      'subscription_billing_attempts/success': (_deps, _storeId, messages) =>
        handle(messages.map(({ payload }) => (payload as { id: number }).id))
    },
    leaseOwner,
    patience,
    limits
  )

async function receiveAbout(store: BuiltStore, ...messages: [contract: number, n: number][]) {
  for (const [contract, n] of messages) await receive(store, ...aboutContract(contract, n))
}

async function runToEnd(engine: ReturnType<typeof engineWith>, { storeId }: BuiltStore) {
  while ((await engine.runOnce(storeId)) > 0);
}

const endLeases = ({ storeId }: BuiltStore) =>
  db.inStore(storeId, ({ tx }) =>
    tx.run(sql`update inbound_webhooks set leased_until = clock_timestamp() - interval '1 second'
                where store_id = ${storeId} and leased_until is not null`)
  )

const leasedUntil = ({ storeId }: BuiltStore) =>
  db.inStore(storeId, async ({ tx }) => {
    const { at } = await tx.one(
      row({ at: nullable(instant) }),
      sql`select min(leased_until) as at from inbound_webhooks where store_id = ${storeId}`
    )
    return at!
  })

test('what is under way is not claimed again when its lease is over, and its outcome counts', async () => {
  const store = await aWebhookStore()
  const calls: number[][] = []
  const hanging = Promise.withResolvers<void>()
  const engine = contractEngine(async (ns) => {
    calls.push(ns)
    await hanging.promise
    if (ns.includes(1)) throw new Error('The platform does not respond')
  })
  await receiveAbout(store, [7, 1])
  await engine.runOnce(store.storeId)
  await receiveAbout(store, [8, 2])
  await engine.runOnce(store.storeId)
  for (let i = 0; i < 2; i++) {
    await endLeases(store)
    await engine.runOnce(store.storeId)
  }
  hanging.resolve()
  await runToEnd(engine, store)
  assert.deepEqual(calls, [[1], [2]])
  assert.deepEqual(
    (await kept(store)).map((m) => [m.status, m.attempts, m.lastError, m.leaseOwner]),
    [
      ['waiting', 1, 'Error: The platform does not respond', null],
      ['done', 0, null, null]
    ]
  )
  assert.deepEqual(await engine.nextDueAt(store.storeId), minutesAfterStart(1))
})

test('a lease is extended for as long as a call lasts, from the first on', async () => {
  const store = await aWebhookStore()
  const hanging = Promise.withResolvers<void>()
  const engine = contractEngine(() => hanging.promise, { leaseMs: 3_000 })
  await receiveAbout(store, [7, 1], [8, 2])
  await engine.runOnce(store.storeId)
  for (let before = await leasedUntil(store), times = 0; times < 2; times++) {
    const extended = async () => Temporal.Instant.compare(await leasedUntil(store), before) > 0
    for (let i = 0; !(await extended()); i++) {
      assert.ok(i < 200, 'the lease is extended')
      await sleep(50)
    }
    before = await leasedUntil(store)
  }
  hanging.resolve()
  await runToEnd(engine, store)
  assert.deepEqual(
    (await kept(store)).map((m) => m.status),
    ['done', 'done']
  )
})

test('when another node has taken messages over, no more calls begin for them here', async () => {
  const store = await aWebhookStore()
  const calls: number[][] = []
  const engine = contractEngine(
    async (ns) => {
      calls.push(ns)
      if (ns.length > 1) throw new Error('together')
      await db.inStore(store.storeId, ({ tx }) =>
        tx.run(sql`update inbound_webhooks set lease_owner = 2, lease_token = lease_token + 1,
                          leased_until = clock_timestamp() + interval '1 minute' where store_id = ${store.storeId}`)
      )
      await sleep(900)
    },
    { leaseMs: 600 }
  )
  await receiveAbout(store, [7, 1], [7, 2])
  await runToEnd(engine, store)
  assert.deepEqual(calls, [[1, 2], [1]])
  assert.deepEqual(
    (await kept(store)).map((m) => [m.status, m.leaseOwner]),
    [
      ['waiting', 2],
      ['waiting', 2]
    ]
  )
})

test('a lease that ran out is not extended: another node may handle later messages already', async () => {
  const store = await aWebhookStore()
  const calls: number[][] = []
  const engine = contractEngine(
    async (ns) => {
      calls.push(ns)
      if (ns.length > 1) throw new Error('together')
      if (calls.length > 2) return
      await endLeases(store)
      await sleep(900)
    },
    { leaseMs: 600 }
  )
  await receiveAbout(store, [7, 1], [7, 2])
  await runToEnd(engine, store)
  assert.deepEqual(calls, [[1, 2], [1], [2]])
  const tokens = await db.inStore(store.storeId, ({ tx }) =>
    tx.many(
      row({ token: int }),
      sql`select lease_token as token from inbound_webhooks where store_id = ${store.storeId} order by id`
    )
  )
  assert.deepEqual(
    tokens.map(({ token }) => token),
    [1, 2],
    'the second was claimed again before its call'
  )
})

test('messages that fail together are tried by themselves for longer than a lease, each contract in order', async () => {
  const store = await aWebhookStore()
  const tried: number[] = []
  const engine = contractEngine(
    async (ns) => {
      if (ns.length > 1) throw new Error('together')
      await sleep(100)
      tried.push(ns[0]!)
    },
    { leaseMs: 600 }
  )
  await receiveAbout(store, ...Array.from({ length: 32 }, (_, i): [number, number] => [i % 8, i]))
  await runToEnd(engine, store)
  assert.equal(tried.length, 32)
  for (const ofContract of Map.groupBy(tried, (n) => n % 8).values()) {
    assert.deepEqual(
      ofContract,
      ofContract.toSorted((a, b) => a - b)
    )
  }
})

test('a backlog that waits for what hangs hides no other messages, and keeps its order', async () => {
  const store = await aWebhookStore()
  const [hanging7, hanging8] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const handled: number[] = []
  const handle = async (ns: number[]) => {
    if (ns.includes(1)) await hanging7.promise
    if (ns.includes(2)) await hanging8.promise
    handled.push(...ns)
  }
  const engine = contractEngine(handle, { batch: 4 })
  const other = contractEngine(handle, { leaseOwner: 2 })
  for (const message of [
    [7, 1],
    [8, 2]
  ] satisfies [number, number][]) {
    await receiveAbout(store, message)
    await engine.runOnce(store.storeId)
  }
  const backlog = Array.from({ length: 12 }, (_, i): [number, number] => [7 + (i % 2), 10 + i])
  await receiveAbout(store, ...backlog, [9, 3])
  await engine.runOnce(store.storeId)
  assert.deepEqual(handled, [3])
  await receiveAbout(store, [7, 30], [9, 4])
  await engine.runOnce(store.storeId)
  assert.deepEqual(handled, [3, 4])
  assert.equal(await other.runOnce(store.storeId), 0)

  hanging7.resolve()
  for (let i = 0; i < 20; i++) await engine.runOnce(store.storeId)
  assert.deepEqual(handled, [3, 4, 1, 10, 12, 14, 16, 18, 20, 30], 'while the other contract hangs')
  hanging8.resolve()
  await runToEnd(engine, store)
  assert.deepEqual(handled.slice(10), [2, 11, 13, 15, 17, 19, 21])
})

test('a message that comes in when those before it may begin does not pass them by', async () => {
  const store = await aWebhookStore()
  const hanging = Promise.withResolvers<void>()
  const handled: number[] = []
  const engine = contractEngine(
    async (ns) => {
      if (ns.includes(1)) await hanging.promise
      handled.push(...ns)
    },
    { batch: 2 }
  )
  await receiveAbout(store, [7, 1])
  await engine.runOnce(store.storeId)
  await receiveAbout(store, [7, 2], [7, 3], [7, 4])
  await engine.runOnce(store.storeId)
  hanging.resolve()
  await sleep(50)
  await receiveAbout(store, [7, 5])
  await runToEnd(engine, store)
  assert.deepEqual(handled, [1, 2, 3, 4, 5])
})

test('what could not be marked nor given back, because the database was away, is given back at the next end', async () => {
  const store = await aWebhookStore()
  const hanging = Promise.withResolvers<void>()
  let isAway = false
  const faulty = awayWhile(db, () => isAway)
  const never = async () => assert.fail('No handler of these tests reads the platform')
  const deps = { db: faulty, leaseOwner: 1, connectorOf: never, checkUninstalled: never, patience: IMPATIENT }
  const engine = createInboundEngine(deps, { 'orders/paid': () => hanging.promise })
  await receiveAll(store, ['orders/paid', 1])
  await engine.runOnce(store.storeId)
  isAway = true
  hanging.resolve()
  await assert.rejects(engine.endUnderWay!(store.storeId), isOutage)
  await assert.rejects(engine.endUnderWay!(store.storeId), isOutage)
  isAway = false
  await engine.endUnderWay!(store.storeId)
  assert.deepEqual(
    (await kept(store)).map((m) => [m.status, m.attempts, m.leaseOwner]),
    [['waiting', 0, null]]
  )
})

test('what is under way in a store that is deleted ends, and nothing is kept of it', async () => {
  const store = await aWebhookStore()
  const hanging = Promise.withResolvers<void>()
  const engine = contractEngine(() => hanging.promise)
  await receiveAbout(store, [7, 1])
  await engine.runOnce(store.storeId)
  await db.inInstallation((tx) =>
    tx.run(sql`update stores set deleting_since = statement_timestamp() where store_id = ${store.storeId}`)
  )
  hanging.resolve()
  await assert.rejects(engine.endUnderWay!(store.storeId), UnknownStore)
  await engine.endUnderWay!(store.storeId)
})

test('only so many waiting messages are remembered; the others are found when some may begin', async () => {
  const store = await aWebhookStore()
  const hanging = Promise.withResolvers<void>()
  const handled: number[] = []
  const engine = contractEngine(
    async (ns) => {
      if (ns.includes(1)) await hanging.promise
      handled.push(...ns)
    },
    { batch: 2, waiting: 2 }
  )
  await receiveAbout(store, [7, 1])
  await engine.runOnce(store.storeId)
  await receiveAbout(store, [7, 2], [7, 3], [7, 4], [8, 5])
  await engine.runOnce(store.storeId)
  assert.deepEqual(handled, [])
  hanging.resolve()
  await runToEnd(engine, store)
  assert.deepEqual(handled, [1, 2, 3, 4, 5])
})

test('the bodies under way in a store have only so many bytes together, whatever hangs', async () => {
  const store = await aWebhookStore()
  const hanging = Promise.withResolvers<void>()
  const begun: number[] = []
  const bytes = Buffer.byteLength(aboutContract(7, 1)[1])
  const engine = contractEngine(
    async (ns) => {
      begun.push(...ns)
      await hanging.promise
    },
    { bytesUnderWay: bytes * 3 }
  )
  for (const n of [1, 2]) {
    await receiveAbout(store, [n, n])
    await engine.runOnce(store.storeId)
  }
  await receiveAbout(store, [3, 3], [4, 4])
  await engine.runOnce(store.storeId)
  assert.deepEqual(begun, [1, 2, 3], 'the last bytes that are free')
  await engine.runOnce(store.storeId)
  assert.deepEqual(begun, [1, 2, 3])
  hanging.resolve()
  await runToEnd(engine, store)
  assert.deepEqual(begun, [1, 2, 3, 4])
})

test('calls that are not slow are sixteen at most', async () => {
  const store = await aWebhookStore()
  const hanging = Promise.withResolvers<void>()
  let begun = 0
  const engine = contractEngine(
    () => {
      begun++
      return hanging.promise
    },
    {},
    { slowMs: 60_000, comeBackMs: 10 }
  )
  for (let n = 0; n < 18; n++) {
    await receiveAbout(store, [n, n])
    await engine.runOnce(store.storeId)
  }
  assert.equal(begun, 16)
  hanging.resolve()
  await runToEnd(engine, store)
  assert.equal(begun, 17, 'the other two together')
})

test('messages about different contracts are tried by themselves four at once', async () => {
  const store = await aWebhookStore()
  let [underWay, most] = [0, 0]
  const engine = contractEngine(async (ns) => {
    if (ns.length > 1) throw new Error('together')
    underWay++
    most = Math.max(most, underWay)
    await sleep(100)
    underWay--
  })
  await receiveAbout(store, ...Array.from({ length: 9 }, (_, n): [number, number] => [n, n]))
  await runToEnd(engine, store)
  assert.equal(most, 4)
})

test('once what is under way is to end, no call begins any more, and what was not tried is given back', async () => {
  const store = await aWebhookStore()
  const calls: number[][] = []
  const [together, alone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const engine = contractEngine(async (ns) => {
    calls.push(ns)
    await (ns.length > 1 ? together : alone).promise
    if (ns.length > 1) throw new Error('The connection was cut')
  })
  const leases = async () => (await kept(store)).map((m) => [m.status, m.attempts, m.leaseOwner].join())
  await receiveAbout(store, ...Array.from({ length: 6 }, (_, n): [number, number] => [n, n]))
  await engine.runOnce(store.storeId)
  let ended = engine.endUnderWay!(store.storeId)
  together.resolve()
  await ended
  assert.deepEqual(calls, [[0, 1, 2, 3, 4, 5]])
  assert.deepEqual(await leases(), Array(6).fill('waiting,0,'))

  // Four single calls are under way: they are ended, and the other two do not begin.
  await engine.runOnce(store.storeId)
  ended = engine.endUnderWay!(store.storeId)
  alone.resolve()
  await ended
  assert.deepEqual(calls.slice(2), [[0], [1], [2], [3]])
  assert.deepEqual(await leases(), [...Array(4).fill('done,0,'), ...Array(2).fill('waiting,0,')])

  await runToEnd(engine, store)
  assert.deepEqual(new Set(await leases()), new Set(['done,0,']))
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
