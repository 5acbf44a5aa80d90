import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chargedParts, chargeWithOffer } from './charge-with-offer.ts'

/** [what a line is charged, of how many pieces] of each line. */
type Lines = [minor: number, quantity: number][]

/** A contract whose terms are as they were read, after discounts for members and of grants. */
const contract = (lines: Lines, { deliveryMinor = 0, memberMinor = 0, grantedMinor = 0 } = {}) => ({
  priceMinor: lines.reduce((sum, [minor]) => sum + minor, 0) + deliveryMinor + memberMinor + grantedMinor,
  memberDiscountMinor: memberMinor,
  grantedDiscountMinor: grantedMinor,
  deliveryMinor,
  lineChargesMinor: lines.map(([minor]) => minor),
  lineQuantities: lines.map(([, quantity]) => quantity)
})
const discount = (percent: number | null, amountMinor: number | null, isOfEachItem = false) =>
  ({ type: 'discount_price', target: 'line_item', percent, amountMinor, isOfEachItem }) as const

const ONE: Lines = [[2900, 1]]
const ODD: Lines = [
  [1500, 1],
  [333, 1],
  [99, 3],
  [111, 1]
]

for (const [what, offer, s, expected] of [
  ['a percentage', discount(25, null), contract(ONE), 2175],
  ['a percentage is rounded to the nearest minor unit', discount(33, null), contract([[1001, 1]]), 671],
  ['half a minor unit is taken off', discount(50, null), contract([[1001, 1]]), 500],
  ['a percentage is rounded on each line', discount(15, null), contract(ODD), 1275 + 283 + 84 + 94],
  ['a percentage is not of the delivery', discount(25, null), contract(ONE, { deliveryMinor: 500 }), 2675],
  ['all of it', discount(100, null), contract(ODD, { deliveryMinor: 500 }), 500],
  ['an amount of all lines, once', discount(null, 1900), contract(ODD), 143],
  ['an amount that is more takes off no delivery', discount(null, 9000), contract(ODD, { deliveryMinor: 500 }), 500],
  ['an amount of each piece', discount(null, 30, true), contract(ODD), 1470 + 303 + 9 + 81],
  ['an amount of each piece takes no line below zero', discount(null, 1000, true), contract(ODD), 500],
  ['after what members and grants have off', discount(25, null), contract([[1200, 1]], { memberMinor: 300 }), 900],
  ['after a grant on the delivery', discount(25, null), contract(ONE, { deliveryMinor: 0, grantedMinor: 500 }), 2175],
  ['free delivery', { ...discount(100, null), target: 'shipping_line' }, contract(ODD, { deliveryMinor: 500 }), 2043],
  ['another frequency', { ...discount(null, null), type: 'change_frequency' }, contract(ONE), null]
] as const) {
  test(`what a cycle is charged with an offer: ${what}`, () => {
    assert.equal(chargeWithOffer(offer, s), expected)
  })
}

test('of terms with which the contract was not read yet all is one line, of all pieces', () => {
  const read = contract(ODD, { deliveryMinor: 500 })
  assert.deepEqual(chargedParts(read).lines.length, 4)
  for (const priceMinor of [read.priceMinor + 1, read.priceMinor - 501]) {
    assert.deepEqual(chargedParts({ ...read, priceMinor }), {
      lines: [{ minor: priceMinor - 500, quantity: 6 }],
      linesMinor: priceMinor - 500,
      deliveryMinor: 500
    })
  }
  assert.deepEqual(chargedParts(contract([], { grantedMinor: 0 })), {
    lines: [{ minor: 0, quantity: 1 }],
    linesMinor: 0,
    deliveryMinor: 0
  })
})
