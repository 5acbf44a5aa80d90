import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Plan } from '#plans'
import type { Perks, TierPlan } from '#plans/pricing'
import type { ProductFacts } from '#platform'
import { memberDiscountsOf, notEnforcedOnRenewals, termsHashOf, whyNotDiscounted } from './wanted-contract-discounts.ts'

type Discount = NonNullable<Perks['discount']>

const tierPlan = (over: Partial<Discount> = {}): TierPlan => ({
  label: 'Gold',
  perks: {
    discount: {
      ...{ reduction: { type: 'percentage', percent: 20 }, scope: { appliesTo: 'all' }, steps: [] },
      ...{ priceBase: 'original', stackWithSubscriptions: true },
      ...over
    }
  }
})
const percent = (percent: number) => ({ reduction: { type: 'percentage' as const, percent } })
const FIXED = { reduction: { type: 'fixed' as const, amountMinor: 500 } }

const line = (id: string, over = {}) => ({
  ...{ id, productId: id, variantId: '1', sellingPlanId: '7', quantity: 1, priceMinor: 1000, lastingPriceMinor: 1000 },
  ...over
})
const product = (id: string, over: Partial<ProductFacts> = {}): ProductFacts => ({
  id,
  tags: [],
  collectionIds: ['5'],
  ...over
})
const PRODUCTS = [
  product('1'),
  product('2', { collectionIds: ['6'] }),
  product('3', { collectionIds: null }),
  product('4', { tags: ['NO-VIP-discount'] }),
  product('5', { tags: ['100%-vip-discount'] }),
  product('90')
]
const MEMBERSHIP = {
  type: 'vip',
  platformProductId: '90',
  platformSellingPlanId: '70',
  versions: []
} as unknown as Plan

/** The percents of each line that has any. */
function percents(plan: TierPlan | null, lines: ReturnType<typeof line>[]) {
  const plans = { vip: plan, elite: null }
  const known = new Map(PRODUCTS.map((one) => [one.id, one]))
  const discounts = memberDiscountsOf(lines, { tier: 'vip', plans, allPlans: [MEMBERSHIP] }, known)
  assert.equal(new Set(discounts.map(({ title }) => title)).size, discounts.length)
  return Object.fromEntries(discounts.flatMap((one) => one.lineIds.map((id) => [id, one.percent])))
}

const ALL = ['1', '2', '3', '4', '5', '6', '90'].map((id) => line(id))
const COLLECTION = { scope: { appliesTo: 'collection' as const, collectionIds: ['5'] } }
for (const [what, plan, expected, lines = ALL] of [
  [
    'all products, without those of which nothing is known and the membership',
    tierPlan(),
    { 1: 20, 2: 20, 3: 20, 5: 100 }
  ],
  ['some products', tierPlan({ scope: { appliesTo: 'product', productIds: ['2'] } }), { 2: 20, 5: 100 }],
  // Product 3 is in more collections than are read, so not even its tags count.
  ['a collection, without what is in too many', tierPlan(COLLECTION), { 1: 20, 5: 100 }],
  ['fractions of a percent are left out', tierPlan(percent(12.5)), { 1: 12 }, [line('1')]],
  ['less than a percent is nothing', tierPlan(percent(0.5)), {}, [line('1')]],
  ['a fixed amount is nothing, free products stay free', tierPlan(FIXED), { 5: 100 }],
  [
    'a step that the pieces reach',
    tierPlan({ steps: [{ quantity: 3, type: 'percentage', percent: 30 }] }),
    { 1: 30 },
    [line('1', { quantity: 3 })]
  ],
  [
    'a step that is not reached, since unknown products do not count',
    tierPlan({ steps: [{ quantity: 3, type: 'percentage', percent: 30 }] }),
    { 1: 20 },
    [line('1', { quantity: 2 }), line('6')]
  ],
  [
    'a step of a fixed amount',
    tierPlan({ steps: [{ quantity: 2, type: 'fixed', amountMinor: 5 }] }),
    {},
    [line('1', { quantity: 2 })]
  ],
  ['a free trial whose renewals cost something', tierPlan(), { 1: 20 }, [line('1', { priceMinor: 0 })]],
  ['the perk does not count on renewals', tierPlan({ stackWithSubscriptions: false }), {}],
  ['no main plan', null, {}],
  ['no discount', { label: 'Gold', perks: {} }, {}],
  ['the membership, sold under another product', tierPlan(), {}, [line('1', { sellingPlanId: '70' })]]
] as [string, TierPlan | null, Record<string, number>, ReturnType<typeof line>[]?][]) {
  test(`what a contract is reduced by: ${what}`, () => assert.deepEqual(percents(plan, lines), expected))
}

test('a hash says whether something else is to be given', () => {
  const hash = termsHashOf(tierPlan())
  assert.equal(termsHashOf(tierPlan()), hash)
  for (const other of [tierPlan(percent(10)), tierPlan(COLLECTION), { ...tierPlan(), label: 'Silver' }]) {
    assert.notEqual(termsHashOf(other), hash)
  }
  assert.equal(termsHashOf(tierPlan({ stackWithSubscriptions: false })), null)
})

test('what renewals cannot have is said, and only where the perk is to count there', () => {
  const said = (plan: TierPlan) =>
    notEnforcedOnRenewals({ vip: plan, elite: null }).map(({ message }) => message.split(':')[0])
  assert.deepEqual(said(tierPlan()), [])
  assert.deepEqual(said(tierPlan(percent(0.5))), ['renewals of product subscriptions are reduced by nothing, not 0.5%'])
  assert.deepEqual(said(tierPlan({ steps: [{ quantity: 2, type: 'fixed', amountMinor: 5 }] })), [
    'a fixed amount is not taken off renewals of product subscriptions'
  ])
  assert.deepEqual(said(tierPlan({ ...FIXED, stackWithSubscriptions: false })), [])
})

test('a contract of more than fifty lines has none', () => {
  const lines = (count: number) => ({ lines: Array.from({ length: count }, (_, i) => line(`${i}`)) as never })
  assert.equal(whyNotDiscounted(lines(50)), null)
  assert.match(whyNotDiscounted(lines(51))!, /^The contract has 51 lines/)
})
