import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { CallWindow, type Place } from './call-window.ts'

/** Takes places until there is none. */
function fill(window: CallWindow): Place[] {
  const places: Place[] = []
  for (let place = window.tryEnter(); place; place = window.tryEnter()) places.push(place)
  return places
}

const leave = (places: Place[], wasThrottled = false) => {
  for (const place of places) place.leave(wasThrottled)
}

test('calls over the limit wait for places, in their order', async () => {
  const window = new CallWindow()
  const [first, second] = fill(window)
  const order: string[] = []
  const waiting = ['a', 'b'].map((name) => window.enter(10_000).then((place) => void (place && order.push(name))))
  const repeated = window.enter(10_000, true).then((place) => void (place && order.push('repeated')))
  leave([first!])
  await repeated
  leave([second!])
  await waiting[0]
  assert.deepEqual(order, ['repeated', 'a'])
})

test('a call that waits in vain gets no place, and leaves its turn to the next one', async () => {
  const window = new CallWindow()
  const [first] = fill(window)
  const [impatient, patient] = [window.enter(20), window.enter(10_000)]
  assert.equal(await impatient, null)
  leave([first!])
  assert.ok(await patient)
})

test('the limit rises by one with each full round of answers, up to 64', () => {
  const window = new CallWindow()
  assert.equal(window.limit, 16)
  for (let round = 0; round < 17; round++) leave(fill(window))
  // Only the call that fills the window says that more would fit.
  assert.ok(window.limit >= 17 && window.limit <= 18, String(window.limit))
  for (let call = 0; call < 10_000; call++) {
    const places = fill(window)
    leave(places)
  }
  assert.equal(window.limit, 64)
})

test('a store that does not use its places gets no more of them', () => {
  const window = new CallWindow()
  for (let call = 0; call < 1_000; call++) leave([window.tryEnter()!])
  assert.equal(window.limit, 16)
})

test('the limit is halved when the platform throttles, once for all calls that were under way, and never below one', () => {
  const window = new CallWindow()
  leave(fill(window), true)
  assert.equal(window.limit, 8)
  for (let round = 0; round < 9; round++) leave(fill(window), true)
  assert.equal(window.limit, 1)
  leave([window.tryEnter()!])
  assert.equal(window.limit, 2, 'and rises again')
})

test('a call that hangs does not keep its place, and counts again only when very many do', async () => {
  const window = new CallWindow(10)
  const hanging = fill(window)
  assert.equal(hanging.length, 16)
  for (let round = 1; round <= 5; round++) {
    await sleep(20)
    hanging.push(...fill(window))
  }
  // 64 may be slow beside the 16; what is slow above that counts.
  assert.equal(hanging.length, 80)
  await sleep(20)
  assert.equal(window.tryEnter(), null)
  leave(hanging)
  assert.ok(window.isIdle())
  assert.equal(fill(window).length, window.limit)
})
