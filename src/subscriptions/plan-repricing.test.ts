// What a version of a plan does to each kind of subscription.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PresentTerms, planRepricing } from './plan-repricing.ts'

const MONTHLY = { interval: 'month', intervalCount: 1 } as const
const YEARLY = { interval: 'year', intervalCount: 1 } as const
const VERSIONS = new Map([
  [1, { priceMinor: 2900, ...MONTHLY }],
  [2, { priceMinor: 3100, ...MONTHLY }]
])
const PRICE = { version: 3, priceMinor: 3500, creditMinor: 0, ...MONTHLY }
const CREDIT = { version: 3, priceMinor: 2900, creditMinor: 500, ...MONTHLY }
const INTERVAL = { version: 3, priceMinor: 30_000, creditMinor: 0, ...YEARLY }

/** A subscription at the list price of version 1. */
const a = (over: Partial<PresentTerms> = {}): PresentTerms => ({
  planVersion: 1,
  priceMinor: 2900,
  unitPriceMinor: 2900,
  ...MONTHLY,
  requestedPlanId: null,
  requestedPriceMinor: null,
  requestedLinePriceMinor: null,
  requestedInterval: null,
  requestedIntervalCount: null,
  ...over
})

const to = (
  priceMinor: number | null,
  linePriceMinor: number | null = 3500,
  cadence: { interval: 'month' | 'year' | null; intervalCount: number | null } = { interval: null, intervalCount: null }
) => ({ outcome: 'changed', priceMinor, linePriceMinor, ...cadence })
const SAME = { outcome: 'same' }
const kept = (reason: string) => ({ outcome: 'kept', reason })

for (const [what, s, wanted, forListPrice, forAll] of [
  ['the list price', a(), PRICE, to(3500), to(3500)],
  [
    'the list price of its own version',
    a({ planVersion: 2, priceMinor: 3100, unitPriceMinor: 3100 }),
    PRICE,
    to(3500),
    to(3500)
  ],
  [
    'no known version, so the one before',
    a({ planVersion: null, priceMinor: 3100, unitPriceMinor: 3100 }),
    PRICE,
    to(3500),
    to(3500)
  ],
  ['the list price, not known by line', a({ unitPriceMinor: null }), PRICE, to(3500), to(3500)],
  ['two pieces at the list price', a({ priceMinor: 5800 }), PRICE, to(null), to(null)],
  ['an own interval where only the credit is another', a({ interval: 'week', intervalCount: 6 }), CREDIT, SAME, SAME],
  [
    'the list price where only the interval is another',
    a(),
    { ...PRICE, priceMinor: 2900, ...YEARLY },
    to(null, null, YEARLY),
    to(null, null, YEARLY)
  ],
  [
    'an own price of one requested',
    a({ planVersion: 2, priceMinor: 3100, unitPriceMinor: 3100, requestedLinePriceMinor: 2000 }),
    PRICE,
    kept('own_price'),
    to(null)
  ],
  [
    'the list price of one requested, whose total is not known',
    a({ planVersion: 2, priceMinor: 3100, unitPriceMinor: 3100, requestedLinePriceMinor: 3100 }),
    PRICE,
    to(null),
    to(null)
  ],
  ['the list price with delivery or a discount', a({ priceMinor: 3400 }), PRICE, to(null), to(null)],
  ['an own price', a({ priceMinor: 2000, unitPriceMinor: 2000 }), PRICE, kept('own_price'), to(null)],
  [
    'an own price, not known by line',
    a({ priceMinor: 2000, unitPriceMinor: null }),
    PRICE,
    kept('own_price'),
    to(null)
  ],
  [
    'an own price that with delivery is the list price',
    a({ unitPriceMinor: 2400 }),
    PRICE,
    kept('own_price'),
    to(3500)
  ],
  ['the list price of another version', a({ planVersion: 2 }), PRICE, kept('own_price'), to(null)],
  [
    'an own price equal to the new one',
    a({ priceMinor: 3500, unitPriceMinor: 3500 }),
    PRICE,
    kept('own_price'),
    to(null)
  ],
  ['a higher own price', a({ priceMinor: 4000, unitPriceMinor: 4000 }), PRICE, kept('own_price'), to(null)],
  ['an own price requested', a({ requestedPriceMinor: 2000 }), PRICE, kept('own_price'), to(null)],
  [
    'the list price requested',
    a({ priceMinor: 2000, unitPriceMinor: 2000, requestedPriceMinor: 2900 }),
    PRICE,
    to(3500),
    to(3500)
  ],
  [
    'the price of an earlier version under way',
    a({ planVersion: 2, requestedPriceMinor: 3100, requestedLinePriceMinor: 3100 }),
    PRICE,
    to(3500),
    to(3500)
  ],
  [
    'the same of a contract with more lines',
    a({ planVersion: 2, priceMinor: 4000, requestedLinePriceMinor: 3100 }),
    PRICE,
    to(null),
    to(null)
  ],
  ['an own interval at the list price', a({ interval: 'week', intervalCount: 6 }), PRICE, to(3500), to(3500)],
  [
    'an own interval at its own price',
    a({ ...YEARLY, priceMinor: 29_000, unitPriceMinor: 29_000 }),
    PRICE,
    kept('own_price'),
    kept('own_interval')
  ],
  [
    'an own interval requested',
    a({ requestedInterval: 'month', requestedIntervalCount: 2 }),
    PRICE,
    to(3500, 3500, { interval: 'month', intervalCount: 2 }),
    to(3500, 3500, { interval: 'month', intervalCount: 2 })
  ],
  ['a plan requested', a({ requestedPlanId: 7 }), PRICE, kept('plan_change'), kept('plan_change')],
  ['the list price, and only credit changes', a(), CREDIT, SAME, SAME],
  ['an own price, and only credit changes', a({ priceMinor: 2000, unitPriceMinor: 2000 }), CREDIT, SAME, SAME],
  ['the list price, and the interval changes', a(), INTERVAL, to(30_000, 30_000, YEARLY), to(30_000, 30_000, YEARLY)],
  [
    'an own price, and the interval changes',
    a({ priceMinor: 2000, unitPriceMinor: 2000 }),
    INTERVAL,
    kept('own_price'),
    to(null, 30_000, YEARLY)
  ],
  [
    'an own interval at its own price, and the interval changes',
    a({ interval: 'week', intervalCount: 2, priceMinor: 1500, unitPriceMinor: 1500 }),
    INTERVAL,
    kept('own_price'),
    to(null, 30_000, YEARLY)
  ]
] as const) {
  test(`a subscription with ${what}`, () => {
    assert.deepEqual(planRepricing(s, wanted, VERSIONS, 'list_price'), forListPrice, 'list_price')
    assert.deepEqual(planRepricing(s, wanted, VERSIONS, 'all'), forAll, 'all')
  })
}
