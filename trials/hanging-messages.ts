// Two nodes handle the platform's messages while some handlers hang for longer than a lease lasts.
import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '#kit/postgres'
import { int, row, sql } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { readWebhookHeaders, receiveWebhook } from '#platform'
import { createInboundEngine } from '../src/sync/inbound-engine.ts'
import type { TopicHandler } from '../src/sync/topics.ts'
import { aStore } from '../test/store-builder.ts'

/** `leaseMs`: of a message; some handlers take `hangMs`, which is longer. */
export type HangingMessagesTrial = { db: Database; seed: number; messages: number; leaseMs: number; hangMs: number }
export type HangingMessagesReport = { messages: number; hanging: number; besides: number }

const TOPIC = 'subscription_billing_attempts/success'
const CONTRACTS = 12
const EVERY_MS = 40
const HANGS_EVERY = 121
/** Of the messages that come in while one hangs, so many at least are handled before its end. */
const MIN_BESIDES = 0.5
/** Of one during which fewer come in, at the end, that says nothing. */
const MIN_CAME = 30
const LIMIT_MS = 120_000

/**
 * Messages about twelve contracts come in one after the other; one of 121 hangs, and where several are handled together some
 * fail. In the end each was handled once, those of a contract in their order and one at a time, and half of what came in while
 * one hung was handled meanwhile. Throws otherwise.
 */
export async function hangMessages(trial: HangingMessagesTrial): Promise<HangingMessagesReport> {
  const { db, seed, messages, leaseMs, hangMs } = trial
  const random = randomFrom(seed)
  const { storeId, credentials } = await aStore(db)
  const violations: string[] = []
  const busy = new Set<number>()
  const handled: number[] = []
  // Each about another contract than the one before it: those of one contract wait for each other.
  const hangs = (n: number) => n % HANGS_EVERY === 20
  const besides: number[] = []
  let received = 0

  const handle = async (ns: number[]) => {
    const contracts = new Set(ns.map((n) => n % CONTRACTS))
    for (const one of contracts) if (busy.has(one)) violations.push(`contract ${one} was handled twice at once`)
    for (const one of contracts) busy.add(one)
    const [before, after] = [received, handled.length]
    try {
      if (ns.some(hangs)) {
        await sleep(hangMs)
        const came = received - before
        if (came >= MIN_CAME) besides.push((handled.length - after) / came)
      } else await sleep(5 * random())
      if (ns.length > 1 && random() < 0.3) throw new Error('Not together')
      handled.push(...ns)
    } finally {
      for (const one of contracts) busy.delete(one)
    }
  }
  const handler: TopicHandler = (_deps, _storeId, some) =>
    handle(some.map(({ payload }) => (payload as { id: number }).id))
  const never = async () => assert.fail('No handler of this trial reads the platform')
  let isOver = false
  const node = async (leaseOwner: number) => {
    const engine = createInboundEngine(
      {
        db,
        leaseOwner,
        connectorOf: never,
        checkUninstalled: never,
        patience: { slowMs: 50, comeBackMs: 50 },
        limits: { leaseMs }
      },
      { [TOPIC]: handler }
    )
    while (!isOver) if ((await engine.runOnce(storeId)) === 0) await sleep(20 * random())
    await engine.endUnderWay?.(storeId)
  }

  const nodes = Promise.all([1, 2].map(node))
  try {
    for (; received < messages; received++) {
      await receive(db, storeId, credentials.appSecret, received)
      await sleep(EVERY_MS)
    }
    const endAt = performance.now() + LIMIT_MS
    while ((await left(db, storeId)) > 0 && performance.now() < endAt) await sleep(50)
  } finally {
    isOver = true
    await nodes
  }
  const said = JSON.stringify({ handled: handled.length, besides })
  assert.deepEqual([...new Set(violations)], [], said)
  assert.equal(await left(db, storeId), 0, `messages that are left after two minutes: ${said}`)
  for (let contract = 0; contract < CONTRACTS; contract++) {
    const own = Array.from({ length: messages }, (_, n) => n).filter((n) => n % CONTRACTS === contract)
    const of = handled.filter((n) => n % CONTRACTS === contract)
    assert.deepEqual(of, own, `contract ${contract}: each message once and in order`)
  }
  assert.ok(
    besides.length > 0 && Math.min(...besides) >= MIN_BESIDES,
    `a message that hangs has held up others: ${said}`
  )
  return { messages, hanging: besides.length, besides: Number(Math.min(...besides).toFixed(2)) }
}

async function receive(db: Database, storeId: number, appSecret: string, n: number): Promise<void> {
  const contract = n % CONTRACTS
  const body = JSON.stringify({
    admin_graphql_api_id: `gid://platform/SubscriptionBillingAttempt/${n}`,
    id: n,
    idempotency_key: `key-${n}`,
    admin_graphql_api_subscription_contract_id: `gid://platform/SubscriptionContract/${contract}`,
    subscription_contract_id: contract,
    ready: true
  })
  const headers = readWebhookHeaders({
    'x-platform-topic': TOPIC,
    'x-platform-hmac-sha256': createHmac('sha256', appSecret).update(body).digest('base64'),
    'x-platform-shop-domain': 'store.example',
    'x-platform-webhook-id': randomUUID()
  })
  const { status } = await receiveWebhook(db, { storeId, appSecret, profile: 'platform' }, headers!, Buffer.from(body))
  assert.equal(status, 200)
}

/** How many messages are not done. */
async function left(db: Database, storeId: number): Promise<number> {
  const { n } = await db.inStore(storeId, ({ tx }) =>
    tx.one(
      row({ n: int }),
      sql`select count(*)::int as n from inbound_webhooks where store_id = ${storeId} and status <> 'done'`
    )
  )
  return n
}
