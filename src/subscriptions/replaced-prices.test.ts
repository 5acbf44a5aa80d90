// Which present prices a requested price may replace.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keptReplacedPrices, mayReplacePrice, pricesReplacedBy, type ReplacedPrices } from './replaced-prices.ts'

const AT_LIST = { unitPriceMinor: 2900, priceMinor: 2900 }
const ofVersion = { priceMinor: null, linePriceMinor: 3500 }
const ofPerson = { priceMinor: 3500, linePriceMinor: null }

for (const [what, requested, before, now, expected] of [
  ['the price of then', ofVersion, AT_LIST, AT_LIST, true],
  ['another price of one', ofVersion, AT_LIST, { unitPriceMinor: 2000, priceMinor: 2000 }, false],
  ['another price of one, asked for as a total', ofPerson, AT_LIST, { unitPriceMinor: 2000, priceMinor: 2000 }, false],
  ['the price of one with another delivery', ofPerson, AT_LIST, { unitPriceMinor: 2900, priceMinor: 3300 }, true],
  ['the price of then for two', ofVersion, AT_LIST, { unitPriceMinor: 2900, priceMinor: 5800 }, true],
  ['the requested price of one: made already', ofVersion, AT_LIST, { unitPriceMinor: 3500, priceMinor: 3900 }, true],
  ['the requested total: made already', ofPerson, AT_LIST, { unitPriceMinor: 3100, priceMinor: 3500 }, true],
  ['two at half the price of then', ofVersion, AT_LIST, { unitPriceMinor: 1450, priceMinor: 2900 }, false],
  ['several prices in place of one', ofVersion, AT_LIST, { unitPriceMinor: null, priceMinor: 4900 }, false],
  [
    'the same total, no price of one known',
    ofVersion,
    { unitPriceMinor: null, priceMinor: 2900 },
    { unitPriceMinor: 1450, priceMinor: 2900 },
    true
  ],
  [
    'another total, no price of one known then',
    ofVersion,
    { unitPriceMinor: null, priceMinor: 2900 },
    { unitPriceMinor: 2000, priceMinor: 2000 },
    false
  ]
] as const) {
  test(`${what}: ${expected ? 'replaced' : 'kept'}`, () => {
    const replaces = pricesReplacedBy(requested, before, null)
    assert.equal(mayReplacePrice({ ...requested, replaces }, now), expected)
  })
}

test('what an earlier request may have made meanwhile is replaced too', () => {
  for (const waiting of [
    { priceMinor: null, linePriceMinor: 3100, replaces: null },
    { priceMinor: 3100, linePriceMinor: null, replaces: null }
  ]) {
    const change = { ...ofVersion, replaces: pricesReplacedBy(ofVersion, AT_LIST, waiting) }
    assert.equal(mayReplacePrice(change, { unitPriceMinor: 3100, priceMinor: 3100 }), true)
    assert.equal(mayReplacePrice(change, { unitPriceMinor: 3000, priceMinor: 3000 }), false)
  }
})

for (const [what, asked] of [
  ['of one', (price: number) => ({ priceMinor: null, linePriceMinor: price })],
  ['of a cycle', (price: number) => ({ priceMinor: price, linePriceMinor: null })]
] as const) {
  test(`a third price ${what} in a row replaces what any request before it may have made`, () => {
    const first = { ...asked(3000), replaces: pricesReplacedBy(asked(3000), AT_LIST, null) }
    const second = { ...asked(3200), replaces: pricesReplacedBy(asked(3200), AT_LIST, first) }
    const third = { ...asked(3500), replaces: pricesReplacedBy(asked(3500), AT_LIST, second) }
    for (const price of [2900, 3000, 3200, 3500]) {
      assert.equal(mayReplacePrice(third, { unitPriceMinor: price, priceMinor: price }), true, String(price))
    }
    assert.equal(mayReplacePrice(third, { unitPriceMinor: 2000, priceMinor: 2000 }), false)
    // What is not of the request that waits says nothing of it.
    const other = { ...asked(3300), replaces: second.replaces }
    const afterOther = { ...asked(3500), replaces: pricesReplacedBy(asked(3500), AT_LIST, other) }
    assert.equal(mayReplacePrice(afterOther, { unitPriceMinor: 3000, priceMinor: 3000 }), false)
    assert.deepEqual(third.replaces!.of, asked(3500))
  })
}

test('a request without a price replaces none, and one of an earlier version replaces any', () => {
  const none = { priceMinor: null, linePriceMinor: null }
  const other = { unitPriceMinor: 2000, priceMinor: 2000 }
  assert.equal(pricesReplacedBy(none, AT_LIST, { ...ofVersion, replaces: null }), null)
  assert.equal(mayReplacePrice({ ...none, replaces: null }, other), true)
  assert.equal(mayReplacePrice({ ...ofVersion, replaces: null }, other), true)
  // Older code has replaced the request and left what the one before it replaced.
  const replaces = pricesReplacedBy(ofVersion, AT_LIST, null)
  assert.equal(mayReplacePrice({ ...ofVersion, linePriceMinor: 3600, replaces }, other), true)
  assert.equal(keptReplacedPrices(ofVersion, { ...ofVersion, linePriceMinor: 3600, replaces }), null)
  const ofTotal = pricesReplacedBy(ofPerson, AT_LIST, null)
  assert.equal(mayReplacePrice({ ...ofPerson, priceMinor: 3600, replaces: ofTotal }, other), true)
})

test('a request of something else keeps what the price of before replaces', () => {
  const waiting = { ...ofVersion, replaces: pricesReplacedBy(ofVersion, AT_LIST, null) }
  const kept: ReplacedPrices | null = keptReplacedPrices(ofVersion, waiting)
  assert.deepEqual(kept, waiting.replaces)
  assert.equal(mayReplacePrice({ ...ofVersion, replaces: kept }, { unitPriceMinor: 2000, priceMinor: 2000 }), false)
  assert.equal(keptReplacedPrices({ priceMinor: null, linePriceMinor: null }, waiting), null)
})
