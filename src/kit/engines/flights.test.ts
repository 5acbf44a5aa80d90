import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createFlights } from './flights.ts'

const valuesOf = <T>(ended: PromiseSettledResult<T>[]) =>
  ended.map((end) => (end.status === 'fulfilled' ? end.value : String(end.reason)))
const never = () => new Promise<string>(() => {})

test('what ends is taken once, with the errors of what failed', async () => {
  const flights = createFlights<string>()
  flights.start(1, [
    async () => 'a',
    async () => {
      throw new Error('b')
    }
  ])
  assert.deepEqual(valuesOf(await flights.take(1)), ['a', 'Error: b'])
  assert.deepEqual([await flights.take(1), flights.load(1)], [[], { underWay: 0, slow: 0 }])
})

test('what was started together is taken together, although it does not end together', async () => {
  const flights = createFlights<string>()
  flights.start(1, [() => sleep(10, 'a'), () => sleep(200, 'b'), () => sleep(200, 'c'), () => sleep(250, 'd')])
  assert.deepEqual(valuesOf(await flights.take(1)), ['a', 'b', 'c', 'd'])
})

test('what hangs is not waited for, neither with the others nor later', async () => {
  const flights = createFlights<string>({ slowMs: 50, comeBackMs: 100 })
  flights.start(1, [never, ...['a', 'b', 'c'].map((name) => async () => name)])
  assert.deepEqual(valuesOf(await flights.take(1)), ['a', 'b', 'c'])
  flights.start(1, [async () => 'd'])
  assert.deepEqual(valuesOf(await flights.take(1)), ['d'])
  const before = performance.now()
  assert.deepEqual(await flights.take(1), [])
  assert.ok(performance.now() - before > 90, 'a run that has only what hangs does not come back at once')
  assert.equal(flights.load(1).underWay, 1)
})

test('what is slow takes no place of the others, unless it is very much', async () => {
  const flights = createFlights<string>({ slowMs: 20 })
  flights.start(1, [never, never, never])
  assert.deepEqual([flights.free(1, 4), flights.free(2, 4)], [1, 4])
  await sleep(40)
  assert.deepEqual(flights.load(1), { underWay: 3, slow: 3 })
  assert.equal(flights.free(1, 4), 4)
  flights.start(
    1,
    Array.from({ length: 7 }, () => never)
  )
  await sleep(40)
  assert.equal(flights.free(1, 4), 2, 'twelve are held at most')
})

test('what begins between the ends of two that take is taken too', async () => {
  const flights = createFlights<string>({ comeBackMs: 100 })
  const first = Promise.withResolvers<string>()
  flights.start(1, [() => first.promise])
  const takes = [flights.take(1), flights.take(1)]
  first.resolve('a')
  await Promise.race(takes)
  const second = Promise.withResolvers<string>()
  flights.start(1, [() => second.promise])
  await Promise.all(takes)
  second.resolve('b')
  assert.deepEqual(valuesOf(await flights.take(1)), ['b'])
})

test('a store does not wait for another', async () => {
  const flights = createFlights<string>()
  flights.start(1, [never])
  flights.start(2, [async () => 'b'])
  assert.deepEqual(valuesOf(await flights.take(2)), ['b'])
})
