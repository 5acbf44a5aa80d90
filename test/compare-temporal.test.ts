import assert from 'node:assert/strict'
import { test } from 'node:test'

const at = Temporal.Instant.from

test('values that differ only in a time are not equal, at whatever depth', () => {
  const [now, later] = [at('2026-01-31T15:00:00Z'), at('2026-01-31T15:00:01Z')]
  for (const wrap of [
    (time: unknown) => time,
    (time: unknown) => [1, time],
    (time: unknown) => ({ a: { b: [time] } }),
    (time: unknown) => new Map([['a', { time }]])
  ]) {
    assert.deepEqual(wrap(now), wrap(at('2026-01-31T15:00:00Z')))
    assert.throws(() => assert.deepEqual(wrap(now), wrap(later)), /2026-01-31T15:00:01Z/)
  }
  assert.deepEqual([null, { a: now }], [null, { a: now }])
})

test('values that differ in something else fail as Node has them fail, with both values', () => {
  const isNodes = { name: 'AssertionError', message: /strictly deep-equal/ }
  assert.throws(() => assert.deepEqual({ a: 1 }, { a: 2 }), isNodes)
  assert.throws(() => assert.deepEqual({ a: 1 }, { a: 2 }, 'of our own'), {
    name: 'AssertionError',
    message: /^of our own/
  })
})
