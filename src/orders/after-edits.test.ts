// An order of 60.00 and 40.00, of which the second was removed or refunded. What is kept of it: lines less the share of the refunds.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProportion } from '#kit/money'
import type { OrderLine } from '#platform'
import { afterEdits } from './after-edits.ts'

const line = (priceMinor: number, more: Partial<OrderLine> = {}): OrderLine => ({
  ...{ id: '1', productId: '1', variantId: null, title: 'Mug', quantity: 1, priceMinor, discountMinor: 0 },
  ...{ sellingPlanId: null, contractId: null, ...more }
})
const ORDER = { totalMinor: 10000, subtotalMinor: 10000, currentTotalMinor: 6000 }
const LINES = [line(6000), line(4000, { currentQuantity: 0 })]

/** What is left of each line, the whole, and what is kept after refunds. */
function kept(order: Partial<Parameters<typeof afterEdits>[0]>, refundedMinor: number) {
  const { wholeMinor, lineMinors } = afterEdits({ ...ORDER, lines: LINES, ...order }, refundedMinor)
  const all = lineMinors.reduce((sum, one) => sum + one, 0)
  return [...lineMinors, wholeMinor, all - inProportion(all, refundedMinor, wholeMinor)]
}

test('what was removed before it was paid is no part of the order, and refunds take their share of the rest', () => {
  assert.deepEqual(kept({}, 0), [6000, 0, 6000, 6000])
  assert.deepEqual(kept({ currentTotalMinor: 3000 }, 3000), [6000, 0, 6000, 3000])
})

test('what was refunded is taken back by the refund alone, also where it was removed first', () => {
  assert.deepEqual(kept({}, 4000), [6000, 4000, 10000, 6000])
  // The refund is known, and not yet what the order comes to after it.
  assert.deepEqual(kept({ currentTotalMinor: 10000 }, 4000), [6000, 4000, 10000, 6000])
})

test('a platform that takes removed lines off the total too comes to the same', () => {
  const less = { totalMinor: 6000, subtotalMinor: 6000 }
  assert.deepEqual(kept(less, 0), [6000, 0, 6000, 6000])
  assert.deepEqual(kept(less, 4000), [6000, 4000, 10000, 6000])
})

test('of an order with a removed and a refunded piece each is gone once', () => {
  const lines = [line(6000), line(2000, { quantity: 2, currentQuantity: 0 })]
  assert.deepEqual(kept({ lines }, 2000), [6000, 2000, 8000, 6000])
})

test('tax and discounts of what was removed go with it, and an order of which nothing is gone stays as it is', () => {
  const lines = [line(6000), line(5000, { discountMinor: 1000, currentQuantity: 0 })]
  assert.deepEqual(kept({ totalMinor: 12000, currentTotalMinor: 7200, lines }, 0), [6000, 0, 7200, 6000])
  assert.deepEqual(kept({ currentTotalMinor: null, lines: [line(6000), line(4000)] }, 0), [6000, 4000, 10000, 10000])
})
