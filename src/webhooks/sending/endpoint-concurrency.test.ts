import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pace } from '../delivery/claim-deliveries.ts'
import { createEndpointConcurrency } from './endpoint-concurrency.ts'
import type { Reply } from './endpoint-window.ts'

const SLOW_MS = 2_000
type Delivery = { storeId: number; endpointId: number; failing: boolean; isRetry: boolean; end: (reply: Reply) => void }

/** Windows whose receivers respond when the test says so, and how long they took then. */
function flow({ perEndpoint = 8, overall = 256, slowMs = SLOW_MS } = {}) {
  const under = new Map<number, Delivery[]>()
  const concurrency = createEndpointConcurrency<Delivery, null>({
    perEndpoint,
    overall,
    slowMs,
    async deliver(delivery) {
      const { promise, resolve } = Promise.withResolvers<Reply>()
      under.set(delivery.endpointId, [...(under.get(delivery.endpointId) ?? []), { ...delivery, end: resolve }])
      return { result: null, reply: await promise }
    }
  })
  const add = (
    endpointId: number,
    count: number,
    options: { failing?: boolean; isRetry?: boolean; storeId?: number } = {}
  ) =>
    concurrency.add(
      options.storeId ?? 1,
      Array.from({ length: count }, () => ({
        storeId: 1,
        endpointId,
        failing: false,
        isRetry: false,
        end: () => {},
        ...options
      }))
    )
  return {
    concurrency,
    add,
    /** How many calls of the endpoint are under way. */
    active: (endpointId: number) => under.get(endpointId)?.length ?? 0,
    quota: (endpointId: number) => concurrency.quotas(1).endpoints.get(endpointId)!,
    paceQuota: (pace: Pace, storeId = 1) => concurrency.quotas(storeId).paces.find((p) => p.pace === pace)!,
    /** Ends what is under way at the endpoint, the oldest first; what waited begins. */
    async respond(endpointId: number, reply: Reply, count = Number.POSITIVE_INFINITY) {
      const all = under.get(endpointId) ?? []
      const ending = all.slice(0, count)
      under.set(endpointId, all.slice(ending.length))
      for (const { end } of ending) end(reply)
      await sleep(0)
    }
  }
}

test('a receiver that takes long gets as many more at a time, so that it gets as many per second', async () => {
  for (const [ms, most] of [
    [1_000, 8],
    [4_000, 16],
    [30_000, 120]
  ] as const) {
    const { add, active, respond } = flow()
    add(1, 1_000)
    assert.equal(active(1), 2)
    for (let n = 0; n < 6; n++) await respond(1, { ms })
    assert.equal(active(1), most, `${ms} ms`)
  }
})

test('one that does not respond gets half as many after each call, in the end one; a response begins again', async () => {
  const { add, active, respond } = flow()
  add(1, 200)
  for (let n = 0; n < 4; n++) await respond(1, { ms: 100 })
  assert.equal(active(1), 8)
  await respond(1, 'none')
  assert.equal(active(1), 1)
  await respond(1, 'none')
  assert.equal(active(1), 1)
  await respond(1, { ms: 100 })
  assert.equal(active(1), 2)
  const one = flow()
  one.add(1, 10, { failing: true })
  assert.equal(one.active(1), 1, 'one that failed the last time')
})

test('a call without a response among many does not send a slow receiver back to the start', async () => {
  const { add, active, respond } = flow()
  add(1, 1_000)
  for (let n = 0; n < 6; n++) await respond(1, { ms: 30_000 })
  assert.equal(active(1), 120)
  await respond(1, 'none', 1)
  await respond(1, { ms: 30_000 }, 119)
  assert.equal(active(1), 120)
})

test('slow and silent receivers never take the places of quick ones', async () => {
  const { add, active, respond } = flow({ perEndpoint: 4, overall: 4 })
  for (const endpoint of [1, 2, 3]) {
    add(endpoint, 200)
    for (let n = 0; n < 6; n++) await respond(endpoint, { ms: 30_000 })
  }
  // All places of slow receivers are taken: twice as many as there are for quick ones.
  assert.equal(active(1) + active(2) + active(3), 8)
  add(4, 10, { failing: true })
  assert.equal(active(4), 1)
  add(5, 10)
  assert.equal(active(5), 2, 'a new one begins')
  await respond(5, { ms: 10 })
  assert.equal(active(5), 4)
})

test('however many receivers of a store do not respond at first, those of others have places', async () => {
  const { add, active } = flow({ perEndpoint: 4, overall: 32 })
  const endpoints = Array.from({ length: 40 }, (_, i) => i + 1)
  for (const endpoint of endpoints) add(endpoint, 1)
  const ofFirst = () => endpoints.reduce((sum, endpoint) => sum + active(endpoint), 0)
  assert.equal(ofFirst(), 24)
  for (const storeId of [2, 3, 4]) for (const n of [1, 2, 3]) add(100 * storeId + n, 1, { storeId })
  assert.deepEqual([201, 202, 203, 301, 302, 303, 401, 402, 403].map(active), [1, 1, 1, 1, 1, 0, 1, 0, 0])
  assert.equal(ofFirst(), 24)
})

test('a store has the places of its receivers again when they respond, those for stores with few too', async () => {
  const { add, active, respond } = flow({ perEndpoint: 4, overall: 32 })
  for (let endpoint = 1; endpoint <= 40; endpoint++) add(endpoint, 1)
  assert.deepEqual([active(24), active(25), active(27)], [1, 0, 0])
  for (const endpoint of [1, 2]) await respond(endpoint, { ms: 10 })
  assert.deepEqual([active(25), active(26), active(27)], [1, 1, 0])

  const ofOther = [201, 202, 203, 204, 205]
  for (const endpoint of ofOther) add(endpoint, 1, { storeId: 2 })
  assert.deepEqual(ofOther.map(active), [1, 1, 1, 0, 0])
  await respond(202, { ms: 10 })
  assert.deepEqual(ofOther.map(active), [1, 0, 1, 1, 0])
})

test('a call that turns out to be slow leaves its place while it is under way', async () => {
  const { add, active, respond } = flow({ perEndpoint: 2, overall: 2, slowMs: 20 })
  add(1, 2)
  add(2, 2)
  assert.deepEqual([active(1), active(2)], [2, 0])
  for (let waits = 0; waits < 500 && active(2) < 2; waits++) await sleep(10)
  assert.deepEqual([active(1), active(2)], [2, 2])
  await respond(2, { ms: 1 })
  assert.equal(active(1), 2)
})

test('calls that take long leave their places even if there are none left for such', async () => {
  const { add, active, respond } = flow({ perEndpoint: 2, overall: 2, slowMs: 20 })
  const endpoints = Array.from({ length: 12 }, (_, i) => i + 1)
  for (const endpoint of endpoints) {
    add(endpoint, 1)
    await respond(endpoint, { ms: 1 })
  }
  for (const endpoint of endpoints) add(endpoint, 1)
  const all = () => endpoints.reduce((sum, endpoint) => sum + active(endpoint), 0)
  // There are five places for those that take long.
  for (let waits = 0; waits < 500 && all() < 12; waits++) await sleep(10)
  assert.equal(all(), 12)
})

test('calls that have left their places do not count for their store', async () => {
  const { add, active } = flow({ overall: 32, slowMs: 10 })
  for (const endpoint of [201, 202, 203, 204]) add(endpoint, 1, { storeId: 2 })
  await sleep(20)
  for (let endpoint = 1; endpoint <= 40; endpoint++) add(endpoint, 1)
  assert.deepEqual([active(24), active(25)], [1, 0])
  add(205, 1, { storeId: 2 })
  assert.equal(active(205), 1)
})

test('half of what a slow receiver gets is for its retries; nobody else is asked for them', async () => {
  const { concurrency, add, quota, respond } = flow()
  add(1, 100)
  for (let n = 0; n < 4; n++) await respond(1, { ms: 10_000 })
  // 40 at a time; what is under way ends, and nothing waits.
  concurrency.drop(1, () => null)
  await respond(1, { ms: 10_000 })
  assert.deepEqual(quota(1), { pace: 'slow', deliveries: 40, retries: 20 })
  add(1, 15, { isRetry: true })
  assert.deepEqual(quota(1), { pace: 'slow', deliveries: 25, retries: 5 })
  add(1, 15, { isRetry: true })
  assert.deepEqual(quota(1), { pace: 'slow', deliveries: 10, retries: 0 })
  await respond(1, { ms: 10_000 })
  assert.deepEqual(quota(1), { pace: 'slow', deliveries: 40, retries: 20 })

  add(2, 2)
  await respond(2, { ms: 10 })
  assert.equal(quota(2).retries, 0)
})

test('no more is leased than can begin soon: half of the free places, and a few while others have the share of a store', async () => {
  const { add, paceQuota, respond } = flow({ perEndpoint: 4, overall: 16 })
  // 40 slow places, of which ten are reserved.
  assert.deepEqual(paceQuota('slow'), { pace: 'slow', deliveries: 15, retries: 8, after: 0 })
  add(1, 1_000)
  for (let n = 0; n < 6; n++) await respond(1, { ms: 30_000 })
  assert.equal(paceQuota('slow').deliveries, 0)
  assert.equal(paceQuota('slow', 2).deliveries, 4)
  assert.equal(paceQuota('quick', 2).deliveries, 30)
})

test('leasing goes on after the endpoint that was leased last, and begins again at the end', () => {
  const { add, paceQuota, concurrency } = flow()
  const lease = (...endpoints: number[]) => {
    concurrency.add(
      1,
      endpoints.map((endpointId) => ({ storeId: 1, endpointId, failing: false, isRetry: false, end: () => {} }))
    )
    return paceQuota('unknown').after
  }
  assert.equal(lease(3, 1, 2), 3)
  // By their time, not by their turn: 5 and 4 come first, then 1.
  assert.equal(lease(1, 5, 4), 1)
  assert.equal(lease(2), 2)
  // The one that was leased last is the last of all.
  assert.equal(lease(3, 2), 2)
  assert.equal(lease(3, 5), 5)
  assert.equal(lease(2), 2)
  add(9, 1, { failing: true })
  assert.deepEqual([paceQuota('unknown').after, paceQuota('silent').after], [2, 9])
})

test('a receiver that has become quick again is taken for quick, with its limit', async () => {
  const { add, quota, respond, active } = flow()
  add(1, 1_000)
  for (let n = 0; n < 5; n++) await respond(1, { ms: 8_000 })
  assert.deepEqual([quota(1).pace, active(1)], ['slow', 32])
  for (let n = 0; n < 16; n++) await respond(1, { ms: 100 }, 1)
  assert.equal(quota(1).pace, 'quick')
  await respond(1, { ms: 100 })
  assert.equal(active(1), 8)
})

test('one of which a call has left its place is not known to be quick until that has ended', async () => {
  const { add, quota, respond } = flow({ slowMs: 20 })
  add(1, 1)
  await respond(1, { ms: 1 })
  add(1, 1)
  assert.equal(quota(1).pace, 'quick')
  await sleep(30)
  assert.equal(quota(1).pace, 'unknown')
  await respond(1, { ms: 30 })
  assert.equal(quota(1).pace, 'quick')
})
