import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { audit } from '#audit'
import { type Fact, record } from '#kit/outbox'
import { Database, int, row, sql } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { createEndpoint, RETRY_SCHEDULE } from '#webhooks'
import { aStore, type BuiltStore, testVault } from '../test/store-builder.ts'
import { listenHere } from './listen-here.ts'

/** `events` of a fifth as many customers are sent to two receivers. */
export type SenderTrial = { databaseUrl: string; events: number; kills: number; seed: number }
export type SenderReport = {
  kills: number
  killedUnderWay: number
  deliveries: number
  posts: number
  interrupted: number
  highestTries: number
}

const SENDER = fileURLToPath(new URL('../src/webhooks/sender-process.test-helper.ts', import.meta.url))
const RECEIVERS = 2
const START = Temporal.Instant.from('2026-03-01T12:00:00Z')
/** Longer than the sum of the schedule's waits. */
const MAX_DAYS = 3

/**
 * Kills the sender with SIGKILL during its work and starts it again. In the end every event must be delivered to every receiver,
 * with the same webhook_id and sequence in all tries, in order at the first try, under sequences that rise for each customer,
 * with at most the allowed number of tries, all of them in the history. Throws otherwise.
 */
export async function killSender(trial: SenderTrial): Promise<SenderReport> {
  const random = randomFrom(trial.seed)
  const db = new Database({ url: trial.databaseUrl })
  const receivers = await Promise.all(Array.from({ length: RECEIVERS }, aReceiver))
  const received = () => receivers.reduce((sum, r) => sum + r.posts.length, 0)
  try {
    const store = await aStore(db, { clockAt: START })
    for (const { url } of receivers) {
      const settings = { vault: testVault, addresses: { loopback: true, allow: [] } }
      await createEndpoint(db, store.storeId, { url }, settings)
    }
    for (let i = 0; i < trial.events; i += 1000) {
      const portion = Array.from({ length: Math.min(1000, trial.events - i) }, (_, n) => fact(i + n))
      await store.inStore((ctx) => record(ctx, ...portion))
    }

    const run = () => spawn(process.execPath, [SENDER, trial.databaseUrl, String(store.storeId)], { stdio: 'inherit' })
    const wanted = trial.events * RECEIVERS
    let killedUnderWay = 0
    for (let kill = 1; kill <= trial.kills; kill++) {
      const killAt = received() + 1 + Math.floor(random() * (wanted / trial.kills))
      const sender = run()
      const exited = once(sender, 'exit')
      await Promise.race([exited, ...receivers.map((r) => r.when(() => received() >= killAt))])
      sender.kill('SIGKILL')
      if ((await exited)[1] === 'SIGKILL') killedUnderWay++
    }
    // Deliveries that were interrupted twice wait for their next try.
    for (let day = 0; day < MAX_DAYS && (await countOpen(store)) > 0; day++) {
      const at = START.add({ hours: 24 * day })
      await store.inStore(({ tx, storeId }) =>
        tx.run(sql`update stores set clock_at = ${at} where store_id = ${storeId}`)
      )
      const [code] = await once(run(), 'exit')
      assert.equal(code, 0)
    }

    const recorded = await store.inStore(({ tx, storeId }) =>
      tx.one(
        row({ deliveries: int, delivered: int, successes: int, interrupted: int, highestTries: int, open: int }),
        sql`
        select (select count(*) from webhook_deliveries where store_id = ${storeId}) as deliveries,
               count(distinct delivery_id) filter (where failure is null) as delivered,
               count(*) filter (where failure is null) as successes,
               count(*) filter (where failure = 'interrupted') as interrupted, max(try_number) as highest_tries,
               (select count(*) from webhook_queue where store_id = ${storeId}) as open
          from webhook_tries where store_id = ${storeId}`
      )
    )
    const { deliveries, delivered, successes, open } = recorded
    assert.deepEqual(
      { deliveries, delivered, successes, open },
      { deliveries: wanted, delivered: wanted, successes: wanted, open: 0 }
    )
    assert.ok(recorded.highestTries <= RETRY_SCHEDULE.maxTries, `${recorded.highestTries} tries`)
    for (const { posts } of receivers) checkPosts(posts, trial.events, recorded.highestTries)
    assert.deepEqual((await store.inStore(audit)).findings, [])
    const { interrupted, highestTries } = recorded
    return { kills: trial.kills, killedUnderWay, deliveries, posts: received(), interrupted, highestTries }
  } finally {
    for (const receiver of receivers) receiver.close()
    await db.close()
  }
}

function countOpen(store: BuiltStore): Promise<number> {
  return store.inStore(async ({ tx, storeId }) => {
    // Events whose deliveries are not queued yet are open too.
    const query = sql`
      select (select count(*) from webhook_queue where store_id = ${storeId})
             + (select count(*) from facts where store_id = ${storeId} and position is null)
             + (select count(*) from fact_consumers where store_id = ${storeId} and position < last_position) as open`
    return (await tx.one(row({ open: int }), query)).open
  })
}

/** Five of a customer follow each other, about one of two subscriptions: without an order they would be sent together. */
function fact(n: number): Fact {
  const customer = Math.floor(n / 5)
  return {
    name: 'subscription.paused',
    orderingKey: `member:${customer}`,
    data: { customer, n },
    refs: { memberId: customer, subscriptionId: 1 + 2 * customer + (n % 2) }
  }
}

type Post = { webhookId: string; headerId: string; sequence: number; customer: number; n: number }

function checkPosts(posts: Post[], events: number, highestTries: number): void {
  const idOf = new Map<number, string>()
  const times = new Map<string, number>()
  const sequenceOf = new Map<number, number>()
  const lastOf = new Map<number, { n: number; sequence: number }>()
  for (const { webhookId, headerId, sequence, customer, n } of posts) {
    assert.equal(headerId, webhookId, `event ${n} bears another id in its header`)
    assert.equal(idOf.get(n) ?? webhookId, webhookId, `event ${n} bears two ids`)
    assert.equal(sequenceOf.get(n) ?? sequence, sequence, `event ${n} bears two sequences`)
    if (!idOf.has(n)) {
      const last = lastOf.get(customer) ?? { n: -1, sequence: 0 }
      assert.ok(last.n < n, `event ${n} came after ${last.n}`)
      assert.ok(last.sequence < sequence, `event ${n} bears ${sequence}, and the one before it ${last.sequence}`)
      lastOf.set(customer, { n, sequence })
    }
    idOf.set(n, webhookId)
    sequenceOf.set(n, sequence)
    times.set(webhookId, (times.get(webhookId) ?? 0) + 1)
  }
  assert.equal(idOf.size, events)
  assert.ok(Math.max(...times.values()) <= highestTries, 'a receiver had more tries than the history shows')
}

async function aReceiver() {
  const posts: Post[] = []
  let reported: { holds: () => boolean; resolve: () => void } | null = null
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { webhook_id, data } = JSON.parse(Buffer.concat(chunks).toString())
    const { 'webhook-id': headerId, 'x-svc-sequence': sequence } = request.headers
    posts.push({ webhookId: webhook_id, headerId: String(headerId), sequence: Number(sequence), ...data })
    if (reported?.holds()) reported.resolve()
    setTimeout(() => response.end(), 2)
  })
  return {
    ...(await listenHere(server)),
    posts,
    /** Called for each POST. */
    when: (holds: () => boolean) =>
      new Promise<void>((resolve) => {
        reported = { holds, resolve }
      })
  }
}
