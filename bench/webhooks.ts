// Delivers waiting webhooks to one https receiver on this machine, and sends the same bodies with a bare undici loop,
// graphile-worker and pg-boss. Fails if the service is below 0.6 of the bare loop, slower than a queue, or uses memory that grows
// with the queue.
// Usage: node bench/webhooks.ts [deliveries]
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { startNode } from '#kit/engines'
import { createFactEngines, record } from '#kit/outbox'
import { Database, int, row, sql, text } from '#kit/postgres'
import { createDeliveryEngine, createEndpoint } from '#webhooks'
import { consumers } from '../src/app/consumers.ts'
import { enginesInTurn } from '../test/engines-in-turn.ts'
import { aStore, testVault } from '../test/store-builder.ts'
import { benchDatabase, median, runOn } from './database.ts'
import { trustLoopbackOnly } from './loopback-tls.ts'
import { AT_A_TIME, createPost, type Message, startReceiver } from './webhooks-post.ts'
import { graphileWorker, pgBoss, type QueueSender } from './webhooks-queues.ts'

const COUNT = Number(process.argv[2] ?? 20_000)
const ROUNDS = 3
const WANTED = 0.6
/** The additional memory allowed for five times as many waiting deliveries: noise, not rows. */
const MAX_GROWTH_MB = 4

trustLoopbackOnly()
const database = await benchDatabase()
const db = new Database({ url: database.url })
const settings = { vault: testVault, addresses: { loopback: true, allow: [] } }
const receiver = await startReceiver()
const url = `https://127.0.0.1:${receiver.ports[0]}/hooks`
const node = await startNode(db)
const dispatch = enginesInTurn(createFactEngines({ db, consumers }))
const queues = [await graphileWorker(database.url), await pgBoss(database.url)]

type Waiting = { storeId: number; secret: string; messages: Message[]; fanOutPerSecond: number }
type Sent = { rate: number; statements: number }

async function waitingDeliveries(count: number): Promise<Waiting> {
  const { storeId, inStore } = await aStore(db)
  const { secret } = await createEndpoint(db, storeId, { url }, settings)
  const facts = Array.from({ length: count }, (_, i) => ({
    name: 'billing.success',
    orderingKey: `subscription:${i}` as const,
    data: {
      billing_attempt_id: `ba_${i}`,
      subscription_id: `sub_${i}`,
      customer: { id: `cust_${i}`, email: `c${i}@example.com` },
      amount: 29,
      currency: 'USD',
      next_billing_date: '2026-02-28T05:00:00.000Z'
    }
  }))
  for (let i = 0; i < count; i += 1000) await inStore((ctx) => record(ctx, ...facts.slice(i, i + 1000)))
  const began = performance.now()
  while ((await dispatch.runOnce(storeId)) > 0);
  const fanOutPerSecond = count / ((performance.now() - began) / 1000)
  // As the other queues do after they are filled.
  await runOn(database.url, 'vacuum analyze webhook_queue, webhook_deliveries')
  const messages = await inStore(({ tx }) =>
    tx.many(
      row({ webhookId: text, body: text }),
      sql`select webhook_id, body from webhook_deliveries where store_id = ${storeId} order by id`
    )
  )
  return { storeId, secret, messages, fanOutPerSecond }
}

async function sendOurs({ storeId, messages }: Waiting, measure?: () => void): Promise<Sent> {
  const sender = createDeliveryEngine({ db, leaseOwner: node.id, ...settings, perEndpoint: AT_A_TIME, measure })
  const before = db.stats.roundTrips
  const rate = await rateOf(messages.length, async () => {
    while ((await sender.runOnce(storeId)) > 0);
  })
  await sender.stop()
  const { tries, deliveries, open } = await db.inStore(storeId, ({ tx }) =>
    tx.one(
      row({ tries: int, deliveries: int, open: int }),
      sql`select count(*) as tries, count(distinct delivery_id) as deliveries,
                 (select count(*) from webhook_queue where store_id = ${storeId}) as open
            from webhook_tries where store_id = ${storeId} and failure is null`
    )
  )
  check('ours', messages.length, { tries, deliveries, open })
  return { rate, statements: (db.stats.roundTrips - before) / messages.length }
}

/** Sends without recording or claiming anything. */
async function sendBare({ secret, messages }: Waiting): Promise<Sent> {
  const { post, close } = createPost(url, secret)
  let next = 0
  const loop = async () => {
    while (next < messages.length) await (await post(messages[next++]!)).body.dump()
  }
  const rate = await rateOf(messages.length, () => Promise.all(Array.from({ length: AT_A_TIME }, loop)))
  await close()
  return { rate, statements: 0 }
}

async function sendByQueue(queue: QueueSender, { secret, messages }: Waiting): Promise<Sent> {
  await queue.fill(messages)
  const { post, close } = createPost(url, secret)
  const before = queue.sent()
  const rate = await rateOf(messages.length, () => queue.send(post))
  await queue.rest()
  const statements = (queue.sent() - before) / messages.length
  await close()
  check(queue.name, messages.length, await queue.counts())
  return { rate, statements }
}

async function rateOf(count: number, work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return count / ((performance.now() - began) / 1000)
}

function check(name: string, wanted: number, counts: { tries: number; deliveries: number; open: number }) {
  const { tries, deliveries, open } = counts
  if (tries === wanted && deliveries === wanted && open === 0) return
  throw new Error(`${name}: ${tries} tries of ${deliveries} deliveries recorded for ${wanted}, ${open} still open`)
}

const senders = [
  { name: 'bare loop', send: sendBare },
  { name: 'ours', send: (waiting: Waiting) => sendOurs(waiting) },
  ...queues.map((queue) => ({ name: queue.name, send: (waiting: Waiting) => sendByQueue(queue, waiting) }))
]

/** One round: every sender sends the same bodies; the first sender differs between rounds. */
async function sendAll(count: number, first: number): Promise<Map<string, Sent>> {
  const waiting = await waitingDeliveries(count)
  const sent = new Map<string, Sent>()
  for (let i = 0; i < senders.length; i++) {
    const { name, send } = senders[(first + i) % senders.length]!
    sent.set(name, await send(waiting))
    const { received, distinct } = await receiver.report()
    if (received !== count || distinct !== count) {
      throw new Error(`${name}: the receiver had ${received} POSTs of ${distinct} deliveries for ${count}`)
    }
  }
  console.log(
    `fan-out ${waiting.fanOutPerSecond.toFixed(0)}/s · ${senders
      .map(({ name }) => `${name} ${sent.get(name)!.rate.toFixed(0)}/s`)
      .join(' · ')}`
  )
  return sent
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
const MB = 1024 * 1024

/** The largest live heap while this many are sent, and the size of the process at that time. */
async function memoryOver(count: number) {
  const waiting = await waitingDeliveries(count)
  waiting.messages.length = 0
  let tries = 0
  let heapMb = 0
  let rssMb = 0
  const look = () => {
    collect()
    const { heapUsed, rss } = process.memoryUsage()
    heapMb = Math.max(heapMb, heapUsed / MB)
    rssMb = Math.max(rssMb, rss / MB)
  }
  look()
  const before = { heapMb, rssMb }
  await sendOurs({ ...waiting, messages: Array(count) }, () => {
    if (++tries % Math.ceil(count / 20) === 0) look()
  })
  await receiver.report()
  console.log(
    `memory over ${count}: heap ${before.heapMb.toFixed(1)} MB before, ${heapMb.toFixed(1)} at most; ` +
      `process ${before.rssMb.toFixed(0)} MB before, ${rssMb.toFixed(0)} at most`
  )
  return heapMb - before.heapMb
}

console.log('warming up')
await sendAll(Math.min(COUNT, 2_000), 0)
const rounds: Map<string, Sent>[] = []
for (let round = 0; round < ROUNDS; round++) rounds.push(await sendAll(COUNT, round))
const growthMb = -(await memoryOver(COUNT / 5)) + (await memoryOver(COUNT))

/** The ratio of the service to another sender, round by round. */
const against = (name: string) => rounds.map((sent) => sent.get('ours')!.rate / sent.get(name)!.rate)
const others = ['bare loop', ...queues.map((q) => q.name)]
console.log(`\n${COUNT} deliveries, ${AT_A_TIME} at a time, ${ROUNDS} rounds; medians`)
for (const { name } of senders) {
  const rate = median(rounds.map((sent) => sent.get(name)!.rate))
  const statements = median(rounds.map((sent) => sent.get(name)!.statements))
  const toBare = median(rounds.map((sent) => sent.get(name)!.rate / sent.get('bare loop')!.rate))
  console.log(
    `${name.padEnd(16)} ${rate.toFixed(0).padStart(6)}/s   ${toBare.toFixed(2)} of the bare loop   ` +
      `${statements.toFixed(3)} statements per delivery`
  )
}
for (const name of others) {
  const ratios = against(name)
  console.log(
    `ours to ${name}: ${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`
  )
}
console.log(`heap: ${growthMb.toFixed(1)} MB more over five times as many`)

const failures = [
  median(against('bare loop')) < WANTED && `below ${WANTED} of the bare loop`,
  ...queues.map((q) => median(against(q.name)) <= 1 && `not ahead of ${q.name}`),
  growthMb > MAX_GROWTH_MB && `memory grows with the queue`
].filter(Boolean)
for (const failure of failures) console.error(`NOT MET: ${failure}`)
if (failures.length > 0) process.exitCode = 1

for (const queue of queues) await queue.close()
receiver.stop()
await node.stop()
await db.close()
await database.close()
