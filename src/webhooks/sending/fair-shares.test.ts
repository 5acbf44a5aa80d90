import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { LeaseQuotas } from '../delivery/claim-deliveries.ts'
import { createEndpointConcurrency } from './endpoint-concurrency.ts'
import type { Reply } from './endpoint-window.ts'

const TURN_MS = 250
const TICKS = 5
/** What has waited for so long is not sent: the lease would end before its result is recorded. */
const START_WITHIN_MS = 25_000

type Receiver = {
  storeId: number
  endpointId: number
  reply: Reply
  lastsMs: number
  failing?: boolean
  everyMs?: number
}
type Call = { receiver: Receiver; dueAtMs: number; begunAtMs: number }

/**
 * Stores whose receivers respond as they say, with the limits of the service. Deliveries of a receiver fall due all the time, or
 * every `everyMs`; they are leased as the statement does it. Times are those of the mocked timers.
 */
async function simulate(t: TestContext, receivers: Receiver[], forMs: number) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const byEndpoint = new Map(receivers.map((receiver) => [receiver.endpointId, receiver]))
  const stores = Map.groupBy(receivers, ({ storeId }) => storeId)
  const due = new Map<number, number[]>(receivers.map(({ endpointId }) => [endpointId, []]))
  const calls: Call[] = []
  let nowMs = 0
  let expired = 0
  let most = 0
  let underWay = 0
  type Leased = {
    storeId: number
    endpointId: number
    failing: boolean
    isRetry: boolean
    dueAtMs: number
    leasedAtMs: number
  }
  const concurrency = createEndpointConcurrency<Leased, null>({
    perEndpoint: 8,
    overall: 256,
    slowMs: 2_000,
    async deliver({ endpointId, leasedAtMs, dueAtMs }) {
      const receiver = byEndpoint.get(endpointId)!
      if (nowMs - leasedAtMs > START_WITHIN_MS) {
        expired++
        return { result: null, reply: 'not called' }
      }
      calls.push({ receiver, dueAtMs, begunAtMs: nowMs })
      most = Math.max(most, ++underWay)
      const { promise, resolve } = Promise.withResolvers<void>()
      setTimeout(resolve, receiver.lastsMs)
      await promise
      underWay--
      return { result: null, reply: receiver.reply }
    }
  })
  const lease = (storeId: number, { endpoints, elsewhere, paces }: LeaseQuotas): Leased[] =>
    paces.flatMap(({ pace, deliveries, after }) => {
      const ofPace = (stores.get(storeId) ?? []).filter(
        ({ endpointId, failing }) => (endpoints.get(endpointId)?.pace ?? (failing ? 'silent' : 'unknown')) === pace
      )
      const inTurn = [...ofPace.filter((r) => r.endpointId > after), ...ofPace.filter((r) => r.endpointId <= after)]
      const leased: Leased[] = []
      for (const { endpointId, failing = false, everyMs } of inTurn) {
        const quota = endpoints.get(endpointId)?.deliveries ?? (failing ? 1 : elsewhere)
        for (let n = 0; n < quota && leased.length < deliveries; n++) {
          const dueAtMs = everyMs ? due.get(endpointId)!.shift() : nowMs
          if (dueAtMs === undefined) break
          leased.push({ storeId, endpointId, failing, isRetry: false, dueAtMs, leasedAtMs: nowMs })
        }
      }
      return leased
    })
  for (; nowMs < forMs; nowMs += TURN_MS) {
    for (const { endpointId, everyMs } of receivers) {
      if (everyMs && nowMs % everyMs === 0) due.get(endpointId)!.push(nowMs)
    }
    const turns = [...stores.keys()].map(async (storeId) => {
      concurrency.done(storeId, await concurrency.take(storeId, 1), true)
      concurrency.add(storeId, lease(storeId, concurrency.quotas(storeId)))
      concurrency.underWay(storeId)
    })
    for (let tick = 0; tick < TICKS; tick++) {
      t.mock.timers.tick(TURN_MS / TICKS)
      for (let n = 0; n < 3; n++) await new Promise((resolve) => setImmediate(resolve))
    }
    await Promise.all(turns)
  }
  t.mock.timers.reset()
  return { calls, expired, most }
}

const some = (count: number, receiver: Omit<Receiver, 'endpointId'>): Receiver[] =>
  Array.from({ length: count }, (_, i) => ({ ...receiver, endpointId: receiver.storeId * 10_000 + i }))
const slowOnes = (storeId: number, count: number) => some(count, { storeId, reply: { ms: 30_000 }, lastsMs: 30_000 })
const perSecond = ({ calls }: { calls: Call[] }, storeId: number, fromMs: number, toMs: number) =>
  (calls.filter((c) => c.receiver.storeId === storeId && c.begunAtMs >= fromMs && c.begunAtMs < toMs).length * 1_000) /
  (toMs - fromMs)

for (const count of [1, 10, 100, 1_000]) {
  test(`a slow receiver gets what it can take beside ${count} slow ones of another store`, async (t) => {
    const run = await simulate(t, [...slowOnes(1, count), ...slowOnes(2, 1)], 300_000)
    assert.ok(perSecond(run, 2, 150_000, 300_000) > 3.6, `${perSecond(run, 2, 150_000, 300_000)} a second`)
    assert.equal(run.expired, 0)
  })
}

test('stores share the places of slow receivers, however many endpoints each has', async (t) => {
  const stores = [400, 40, 10, 5, 3].map((count, i) => slowOnes(i + 1, count))
  const run = await simulate(t, stores.flat(), 240_000)
  const rates = stores.map((_, i) => perSecond(run, i + 1, 120_000, 240_000))
  // 480 places are not reserved: 16 calls a second.
  for (const rate of rates) assert.ok(rate > 2.9 && rate < 3.7, `${rates}`)
  assert.ok(run.expired < run.calls.length / 50, `${run.expired} were leased in vain`)
})

test('while new receivers of many stores turn out to be slow, that of another store has its events at once', async (t) => {
  const others = Array.from({ length: 20 }, (_, i) =>
    some(100, { storeId: i + 1, reply: { ms: 30_000 }, lastsMs: 30_000, everyMs: 60_000 })
  )
  const quiet = some(1, { storeId: 30, reply: { ms: 10 }, lastsMs: 10, everyMs: 5_000 })
  const run = await simulate(t, [...others.flat(), ...quiet], 120_000)
  const waits = run.calls.filter((c) => c.receiver.storeId === 30).map((c) => c.begunAtMs - c.dueAtMs)
  assert.equal(waits.length, 24)
  assert.ok(Math.max(...waits) <= TURN_MS, `${waits}`)
  assert.ok(run.most <= 1_728, `${run.most} calls at a time`)
})

test('a receiver that fails is tried in time beside a thousand of another store that do not respond', async (t) => {
  const hanging = some(1_000, { storeId: 1, reply: 'none', lastsMs: 30_000, failing: true })
  const other = some(1, { storeId: 2, reply: 'none', lastsMs: 1_000, failing: true, everyMs: 5_000 })
  const run = await simulate(t, [...hanging, ...other], 120_000)
  const waits = run.calls.filter((c) => c.receiver.storeId === 2).map((c) => c.begunAtMs - c.dueAtMs)
  assert.equal(waits.length, 24)
  assert.ok(Math.max(...waits) <= TURN_MS, `${waits}`)
  // Each of the thousand is tried before one is tried again.
  const tried = Map.groupBy(run.calls, (c) => c.receiver.endpointId)
  assert.ok(tried.size > 500, `${tried.size}`)
  assert.equal(run.expired, 0)
})
