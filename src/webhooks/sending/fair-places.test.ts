import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFairPlaces } from './fair-places.ts'

test('a free place goes to the store that has the fewest; of its windows, to the one that waits longest', () => {
  const places = createFairPlaces<string>(8)
  for (const [storeId, count] of [
    [1, 4],
    [2, 1]
  ] as const)
    for (let n = 0; n < count; n++) places.take(storeId, 1)
  for (const turn of ['1a', '1b']) places.list(1, 'slow', turn)
  for (const turn of ['2a', '2b', '2c']) places.list(2, 'slow', turn)
  const order: string[] = []
  for (let turn = places.next(); turn; turn = places.next()) {
    order.push(turn)
    places.take(Number(turn[0]), 1)
    if (order.length === 2) places.unlist(2, 'slow', '2c')
  }
  // Six are for everybody; the last two for stores with few of them, the fewer the fewer are left.
  assert.deepEqual(order, ['2a', '2b'])
  places.take(1, -1)
  assert.deepEqual([places.next(), places.next()], ['1a', '1b'])
})
