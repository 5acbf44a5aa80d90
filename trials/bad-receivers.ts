import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { record } from '#kit/outbox'
import { type Database, int, nullable, row, sql, text } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { customerKey, upsertCustomers } from '#members'
import { createEndpoint } from '#webhooks'
import { startProcess } from '../test/service-process.ts'
import { aStore, type BuiltStore, testVault } from '../test/store-builder.ts'
import { BESIDE_THE_PLATFORM } from './platform.ts'
import { aRawReceiver } from './raw-receiver.ts'
import { NO_CONTENT, type ReceiverCounts, type ReceiverKind, receiverKinds } from './receiver-kinds.ts'
import { receiversApart } from './receivers-apart.ts'
import { memoryOf } from './service-memory.ts'

export type BadReceiversTrial = {
  databaseUrl: string
  db: Database
  dataDir: string
  /** Receivers of each kind; each gets one event. */
  each: number
  /** The kinds whose names are here; all by default. */
  kinds?: string[]
  /** Whether the events of other stores are timed: while as many good receivers get an event, and while the bad ones do. */
  timesOthers: boolean
  seed: number
}
export type BadReceiversReport = {
  tries: number
  rss_mib: { before: number; most: number }
  /** From the request to the receiver, of events of other stores, beside good receivers and beside bad ones. */
  others_ms?: { besideGood: Latency; besideBad: Latency; ratio: { median: number; p95: number } }
}
type Latency = { events: number; median: number; p95: number; longest: number }

const MIB = 1024 * 1024
const SETTINGS = { vault: testVault, addresses: { loopback: false, allow: ['127.0.0.0/8'] } }
/** Of memory, while receivers offer hundreds of bodies of 1 GiB. */
const MAX_GROWTH_MIB = 256
/** What receivers can get rid of before the service ends the connection: what the system's buffers take. */
const MAX_BYTES_PER_RECEIVER = 16 * MIB
const OTHER_STORES = 4
/** A store may make 300 requests a minute. */
const REQUEST_EVERY_MS = 300
/** Of one request that is answered 503. */
const MAX_TRIES = 5
/** So long the others are timed, at least: longer than a try. */
const TIMED_MS = 40_000
/**
 * Of the times of other stores' events. If they had to wait for receivers that hang, both would be above a hundred. The receivers
 * have a process of their own, but hundreds of connections and the beginnings of long bodies share the processor with the rest.
 */
const MAX_RATIO = { median: 3, p95: 15 }
/** Of receivers of each kind, for the ratios to say something. */
const MIN_JUDGED = 20
const ALL_OVER_WITHIN_MS = 240_000
const FROZEN = Temporal.Instant.from('2026-03-01T12:00:00Z')

/**
 * Sends an event to each of many receivers that are broken in 14 ways, all at once, while other stores go on. Each try must be
 * recorded as what it was and end within its 30 seconds; no redirect may be followed, memory must not grow with what receivers
 * send, a receiver that is gone be disabled, the events of other stores be as quick as beside as many good receivers, and the
 * auditor have no findings. Throws otherwise.
 */
export async function sendToBadReceivers(trial: BadReceiversTrial): Promise<BadReceiversReport> {
  const random = randomFrom(trial.seed)
  const kinds = receiverKinds('').filter(({ name }) => trial.kinds?.includes(name) ?? true)
  const receivers = await receiversApart(kinds)
  const service = await startProcess({ ...trial, env: BESIDE_THE_PLATFORM })
  const others = await otherStores(trial.db, service.url)
  /** One store for each, with an event for every receiver. */
  const prepare = (urls: string[]) =>
    Promise.all(
      urls.map(async (url) => {
        // Its clock stands still, so that nothing is tried a second time.
        const store = await aStore(trial.db, { clockAt: FROZEN })
        for (let n = 0; n < trial.each; n++) {
          await createEndpoint(trial.db, store.storeId, { url: `${url}${n}` }, SETTINGS)
        }
        return store
      })
    )
  /** Returns the times of the others meanwhile. */
  const sendTo = async (stores: BuiltStore[]) => {
    const least = sleep(trial.timesOthers ? TIMED_MS : 0)
    others.takeTimes()
    for (const store of stores) {
      await sleep(random() * 500)
      await store.inStore((ctx) => record(ctx, anEvent))
    }
    await untilAllTried(stores, trial.each)
    await least
    return others.takeTimes()
  }
  try {
    const good = trial.timesOthers ? await prepare(kinds.map(() => receivers.canaryUrl)) : []
    const stores = await prepare(receivers.urls)
    if (trial.timesOthers) others.start()
    const besideGood = await sendTo(good)
    const ofGood = await receivers.counts()
    const memory = await watchMemory(service.url)
    const besideBad = await sendTo(stores)
    await others.stop()
    const rss = await memory.stop()

    const counts = await receivers.counts()
    for (const [i, kind] of kinds.entries()) await checkTries(kind, stores[i]!, counts.receivers[i]!, trial.each)
    assert.equal(counts.canaryConnections, ofGood.canaryConnections, 'redirects are followed')
    assert.ok(rss.most - rss.before < MAX_GROWTH_MIB, `memory grew from ${rss.before} to ${rss.most} MiB`)
    assert.deepEqual((await service.call('POST', '/doctor', {})).findings, [])
    const report = { tries: kinds.length * trial.each, rss_mib: rss }
    if (!trial.timesOthers) return report
    const others_ms = compare(besideGood, besideBad)
    if (trial.each < MIN_JUDGED) return { ...report, others_ms }
    assert.ok(others_ms.ratio.median < MAX_RATIO.median, JSON.stringify(others_ms))
    assert.ok(others_ms.ratio.p95 < MAX_RATIO.p95, JSON.stringify(others_ms))
    return { ...report, others_ms }
  } finally {
    await others.stop()
    await service.kill()
    receivers.close()
    others.close()
  }
}

const anEvent = {
  name: 'subscription.paused',
  orderingKey: customerKey(1),
  data: { subscription_id: 'sub_1' }
} as const

async function checkTries(
  kind: ReceiverKind,
  store: BuiltStore,
  { requests, maxBytes }: ReceiverCounts['receivers'][number],
  each: number
): Promise<void> {
  const { tries, disabled } = await store.inStore(async ({ tx, storeId }) => ({
    tries: await tx.many(
      row({ responseCode: nullable(int), failure: nullable(text), ms: int }),
      sql`select response_code, failure, duration_ms as ms from webhook_tries where store_id = ${storeId}`
    ),
    ...(await tx.one(
      row({ disabled: int }),
      sql`select count(*) as disabled from webhook_endpoints where store_id = ${storeId} and status = 'disabled'`
    ))
  }))
  assert.equal(tries.length, each, kind.name)
  for (const { ms, ...outcome } of tries) {
    assert.deepEqual(outcome, kind.expected, kind.name)
    assert.ok(ms >= kind.lastsMs.least && ms <= kind.lastsMs.most, `${kind.name}: a try of ${ms} ms`)
  }
  assert.equal(disabled, kind.expected.responseCode === 410 ? each : 0, `${kind.name}: disabled receivers`)
  if (kind.tls === 'trusted') assert.equal(requests, each, `${kind.name}: requests`)
  assert.ok(maxBytes < MAX_BYTES_PER_RECEIVER, `${kind.name}: a receiver got rid of ${maxBytes} bytes`)
}

async function untilAllTried(stores: BuiltStore[], each: number): Promise<void> {
  const end = performance.now() + ALL_OVER_WITHIN_MS
  const triesOf = (store: BuiltStore) =>
    store.inStore(async ({ tx, storeId }) => {
      const query = sql`select count(*) as count from webhook_tries where store_id = ${storeId}`
      return (await tx.one(row({ count: int }), query)).count
    })
  for (;;) {
    const counts = await Promise.all(stores.map(triesOf))
    if (counts.every((count) => count >= each)) return
    assert.ok(performance.now() < end, `tries of each kind after ${ALL_OVER_WITHIN_MS} ms: ${counts}`)
    await sleep(500)
  }
}

/**
 * Stores whose only receiver is a good one, and to whose customer credit is added again and again; an event reports each
 * addition.
 */
async function otherStores(db: Database, serviceUrl: string) {
  const beganAt = new Map<string, number>()
  let times: number[] = []
  const receiver = await aRawReceiver('trusted', (socket, _, body) => {
    const reason = /"reason":"(trial-\d+)"/.exec(body)?.[1]
    if (reason) times.push(performance.now() - beganAt.get(reason)!)
    socket.write(NO_CONTENT)
  })
  const over = new AbortController()
  let last = 0
  const add = async (path: string, key: string) => {
    while (!over.signal.aborted) {
      const reason = `trial-${++last}`
      beganAt.set(reason, performance.now())
      const request = {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': reason },
        body: JSON.stringify({ amount: 1, reason })
      }
      let response = await fetch(`${serviceUrl}${path}`, request)
      // On a machine that is too busy. It is repeated as the answer says, and the time goes on.
      for (let tries = 1; response.status === 503 && tries < MAX_TRIES; tries++) {
        await sleep(Number(response.headers.get('retry-after')) * 1_000)
        response = await fetch(`${serviceUrl}${path}`, request)
      }
      assert.equal(response.status, 200, await response.text())
      await sleep(REQUEST_EVERY_MS)
    }
  }
  const stores = await Promise.all(
    Array.from({ length: OTHER_STORES }, async () => {
      const store = await aStore(db)
      const reported = [{ id: '1', email: 'ada@example.com', firstName: null, lastName: null }]
      const { id } = (await store.inStore((ctx) => upsertCustomers(ctx, reported))).get('1')!
      await createEndpoint(db, store.storeId, { url: receiver.url }, SETTINGS)
      return { path: `/v1/store-credits/cust_${id}/add`, key: await store.aKey() }
    })
  )
  let adding: Promise<unknown> = Promise.resolve()
  return {
    start() {
      adding = Promise.all(stores.map(({ path, key }) => add(path, key)))
      adding.catch(() => {})
    },
    /** Of the events since the last time, in milliseconds. */
    takeTimes(): number[] {
      const taken = times
      times = []
      return taken
    },
    async stop() {
      over.abort()
      await adding
    },
    close: receiver.close
  }
}

function compare(good: number[], bad: number[]) {
  const [besideGood, besideBad] = [latencyOf(good), latencyOf(bad)]
  const ratioOf = (name: 'median' | 'p95') => Math.round((100 * besideBad[name]) / besideGood[name]) / 100
  return { besideGood, besideBad, ratio: { median: ratioOf('median'), p95: ratioOf('p95') } }
}

function latencyOf(times: number[]): Latency {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!)
  return { events: sorted.length, median: at(0.5), p95: at(0.95), longest: at(1) }
}

async function watchMemory(serviceUrl: string) {
  const rssMib = async () => Math.round(await memoryOf(serviceUrl))
  const before = await rssMib()
  let most = before
  let isOver = false
  const watch = async () => {
    while (!isOver) {
      most = Math.max(most, await rssMib())
      await sleep(100)
    }
  }
  const watching = watch()
  return {
    async stop() {
      isOver = true
      await watching
      return { before, most }
    }
  }
}
