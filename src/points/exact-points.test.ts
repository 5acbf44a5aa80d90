import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exactPointsOf, takenShare } from './exact-points.ts'

const taken = (points: number, exact: string | null, partMinor: number, wholeMinor: number) =>
  takenShare({ points, exact }, { partMinor, wholeMinor })

test('points before they are rounded have nine digits', () => {
  assert.equal(exactPointsOf(1099n, 100n), '10.990000000')
  assert.equal(exactPointsOf(1n, 3n), '0.333333333')
  assert.equal(exactPointsOf(7n, 1n), '7.000000000')
})

test('what is kept is rounded down, and what is taken is the rest', () => {
  const ten = (partMinor: number, wholeMinor = 1000) => taken(10, '10.000000000', partMinor, wholeMinor)
  assert.deepEqual([ten(0), ten(1), ten(99), ten(100), ten(101), ten(990), ten(1000)], [0, 1, 1, 1, 2, 10, 10])
  assert.deepEqual([ten(5000), ten(0, 0)], [10, 0])
  // Of versions that did not keep it.
  assert.deepEqual([taken(10, null, 99, 1000), taken(10, null, 100, 1000)], [0, 1])
})

test('points of an amount are rounded down once: of 10.99 are 10.00 left, or 9.99', () => {
  assert.equal(taken(10, '10.990000000', 99, 1099), 0)
  assert.equal(taken(10, '10.990000000', 100, 1099), 1)
  assert.equal(taken(10, '10.990000000', 109, 1099), 1)
  assert.equal(taken(10, '10.990000000', 1, 1099), 0)
})

test('many points of a large order are counted exactly', () => {
  assert.equal(taken(9_000_000_000_001, '9000000000001.000000000', 1, 3), 3_000_000_000_001)
})
