import fc from 'fast-check'
import { FEE } from './modelled-loyalty.ts'
import type { ModelledTier, Review } from './modelled-tiers.ts'

export const PEOPLE = 3
export type Fate = 'made' | 'lost' | 'refused'

/** A rule that a store may have, with what it may be changed to. Its `tier_ids` are names here, of those tiers that there are already. */
export type RuleKind = { type: string; variants: { rules: object; reward: object }[] }

const points = (amount: number) => ({ reward_type: 'points', amount })
const perUnit = { reward_type: 'points' }
const off = (amount: number) => ({ reward_type: 'discount', discount_type: 'percentage', discount_amount: amount })
const MEMBERS = { customer_settings: { apply_to: 'members' } }

export const KINDS: RuleKind[] = [
  {
    type: 'points_for_purchases',
    variants: [
      { rules: { points_per_dollar: 1.5, minimum_order: 20 }, reward: perUnit },
      { rules: { points_per_dollar: 0.3333 }, reward: perUnit },
      { rules: { points_per_dollar: 4, minimum_order: 50 }, reward: perUnit }
    ]
  },
  {
    type: 'points_for_purchases',
    variants: [
      { rules: { points_per_dollar: 1, product_ids: ['11'], ...MEMBERS }, reward: perUnit },
      { rules: { points_per_dollar: 2, product_ids: ['11', '12'] }, reward: perUnit }
    ]
  },
  {
    type: 'goal_spend',
    variants: [
      { rules: { goal_amount: 100 }, reward: points(200) },
      { rules: { goal_amount: 60.5 }, reward: points(150) },
      { rules: { goal_amount: 250 }, reward: off(20) }
    ]
  },
  {
    type: 'goal_spend',
    variants: [
      { rules: { goal_amount: 40, product_ids: ['12'] }, reward: { reward_type: 'store_credit', amount: 7.5 } },
      { rules: { goal_amount: 20, product_ids: ['12', '13'] }, reward: { reward_type: 'store_credit', amount: 3 } }
    ]
  },
  {
    type: 'punch_card',
    variants: [
      { rules: { required_purchases: 2, minimum_order_amount: 10, resets: true }, reward: points(50) },
      { rules: { required_purchases: 3, resets: true }, reward: points(80) },
      { rules: { required_purchases: 1, minimum_order_amount: 30, resets: true }, reward: points(5) }
    ]
  },
  {
    type: 'punch_card',
    variants: [
      { rules: { required_purchases: 2 }, reward: off(10) },
      { rules: { required_purchases: 3, resets: true }, reward: { reward_type: 'free_shipping' } }
    ]
  },
  {
    type: 'punch_card',
    variants: [
      {
        rules: { required_purchases: 2, resets: true, customer_settings: { apply_to: 'non_members' } },
        reward: { reward_type: 'free_product', product_id: '11' }
      }
    ]
  },
  { type: 'membership_recharge_punch_card', variants: [{ rules: { required_recharges: 2 }, reward: points(70) }] },
  {
    type: 'product_recharge_punch_card',
    variants: [{ rules: { required_recharges: 1 }, reward: { reward_type: 'store_credit', amount: 2 } }]
  },
  {
    type: 'email_subscription',
    variants: [
      { rules: {}, reward: points(30) },
      { rules: {}, reward: points(45) }
    ]
  },
  { type: 'sms_subscription', variants: [{ rules: {}, reward: off(5) }] },
  {
    type: 'reviews',
    variants: [
      { rules: { limit: 2 }, reward: points(20) },
      { rules: { limit: 3 }, reward: points(25) }
    ]
  },
  {
    type: 'points_for_purchases',
    variants: [
      { rules: { points_per_dollar: 1, tier_ids: ['Gold', 'Points'] }, reward: perUnit },
      { rules: { points_per_dollar: 2, tier_ids: ['Silver', 'Top'] }, reward: perUnit }
    ]
  }
]

/** The tiers of a store, each with what it may be changed to. */
export const TIERS: { tier: Omit<ModelledTier, 'id'>; changes: Partial<ModelledTier>[] }[] = [
  {
    tier: {
      ...{ name: 'Bronze', place: 10, isActive: true, entryRules: {}, multiplier: 1, tag: 'Regular' },
      rewardRules: { points: 5 }
    },
    changes: [{ isActive: false }, { isActive: true }]
  },
  {
    tier: {
      ...{ name: 'Silver', place: 20, isActive: true, entryRules: { min_orders: 2 }, multiplier: 1.5, tag: '' },
      rewardRules: { points: 40 }
    },
    changes: [{ entryRules: { min_orders: 3 } }, { entryRules: { min_spend: 60, min_orders: 1 } }, { multiplier: 0.5 }]
  },
  {
    tier: {
      ...{ name: 'Gold', place: 30, isActive: true, entryRules: { min_spend: 120 }, multiplier: 2.25, tag: 'Gold' },
      rewardRules: { discount: 10 }
    },
    changes: [
      { entryRules: { min_spend: 60.5 } },
      { place: 45 },
      { place: 30 },
      { isActive: false },
      { isActive: true }
    ]
  },
  {
    tier: {
      ...{ name: 'Points', place: 40, isActive: true, entryRules: { points_earned: 300 }, multiplier: 1.1, tag: 'P' },
      rewardRules: {}
    },
    changes: [{ entryRules: { points_earned: 150 } }, { tag: 'Points' }, { rewardRules: { points: 7 } }]
  },
  {
    tier: {
      ...{ name: 'Top', place: 50, isActive: true, multiplier: 3, tag: '', rewardRules: { points: 100 } },
      entryRules: { points_earned: 100, min_spend: 200, min_orders: 3 }
    },
    changes: [{ entryRules: { min_orders: 4, points_earned: 50 } }, { isActive: false }, { isActive: true }]
  }
]

export const TEMPLATES = [
  { name: '$5 off', type: 'fixed_amount', rules: { amount: 5, expires_after_days: 3 }, requiredPoints: 60 },
  { name: '10% off', type: 'percentage', rules: { amount: 10 }, requiredPoints: 150 }
] as const

export type NewLine = { productId: string; priceMinor: number }
export type NewOrder = {
  who: number
  daysAgo: number
  lines: NewLine[]
  shippingMinor: number
  taxPercent: number
  isTaxIncluded: boolean
  creditTenths: number
  code: number | null
  isPaid: boolean
  renewal: 'membership' | 'product' | null
}

/** What may happen in a store with loyalty. `holds`: the next step comes before anything follows from this one. */
export type Step =
  | { kind: 'order'; order: NewOrder; holds: boolean; fate: Fate }
  | { kind: 'refund'; nth: number; tenths: number; holds: boolean }
  | { kind: 'dispute'; nth: number; tenths: number; type: string; status: string; holds: boolean }
  | { kind: 'edit'; nth: number; line: NewLine; holds: boolean }
  | { kind: 'status'; nth: number; status: 'paid' | 'voided' | 'cancelled' }
  | { kind: 'give'; nth: number; who: number }
  | { kind: 'repeat' }
  | { kind: 'consent'; who: number; channel: 'email' | 'sms' }
  | { kind: 'review'; who: number; id: string; isDeleted: boolean }
  | { kind: 'redeem'; who: number; template: number; requestId: string | null; fate: Fate }
  | { kind: 'end-coupon'; nth: number; by: 'operator' | 'platform' }
  | { kind: 'create-rule'; nth: number }
  | { kind: 'change-rule'; nth: number; variant: number }
  | { kind: 'enable-rule'; nth: number; isEnabled: boolean }
  | { kind: 'archive-rule'; nth: number }
  | { kind: 'loyalty'; isOn: boolean }
  | { kind: 'begin-tiers' }
  | { kind: 'change-tier'; nth: number; change: number }
  | { kind: 'tiers'; isOn: boolean }
  | { kind: 'tier-review'; review: Review }
  | { kind: 'merge'; from: number; to: number }
  | { kind: 'wait'; days: number }

const anybody = fc.nat(PEOPLE - 1)
/** Most of it happens to few, so that rules are reached. */
const who = fc.constantFrom(0, 0, 0, 1, 1, 2)
const nth = fc.nat(5)
const of = <const K extends string>(kind: K) => fc.constant(kind)
const holds = fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) })
const fate = fc.constantFrom<Fate>('made', 'made', 'made', 'lost')
const line: fc.Arbitrary<NewLine> = fc.record({
  productId: fc.constantFrom('11', '12', '13', FEE),
  priceMinor: fc.constantFrom(0, 499, 1000, 1999, 2000, 3333, 6050, 10_000)
})

const order: fc.Arbitrary<NewOrder> = fc.record({
  who,
  daysAgo: fc.constantFrom(0, 0, 0, 1, 3),
  lines: fc.array(line, { minLength: 1, maxLength: 3 }),
  shippingMinor: fc.constantFrom(0, 0, 700),
  taxPercent: fc.constantFrom(0, 0, 7, 19),
  isTaxIncluded: fc.boolean(),
  creditTenths: fc.constantFrom(0, 0, 0, 3, 10),
  code: fc.option(nth, { nil: null }),
  isPaid: fc.constantFrom(true, true, true, true, false),
  renewal: fc.constantFrom(null, null, null, 'membership', 'product')
})

const steps: fc.WeightedArbitrary<Step>[] = [
  { weight: 14, arbitrary: fc.record({ kind: of('order'), order, holds, fate }) },
  { weight: 6, arbitrary: fc.record({ kind: of('refund'), nth, tenths: fc.integer({ min: 1, max: 10 }), holds }) },
  {
    weight: 5,
    arbitrary: fc.record({
      ...{
        kind: of('dispute'),
        nth,
        tenths: fc.constantFrom(3, 10),
        type: fc.constantFrom('chargeback', 'chargeback', 'inquiry')
      },
      ...{ status: fc.constantFrom('needs_response', 'needs_response', 'won', 'won', 'lost'), holds }
    })
  },
  { weight: 5, arbitrary: fc.record({ kind: of('edit'), nth, line, holds }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: of('status'), nth, status: fc.constantFrom('paid', 'voided', 'cancelled') })
  },
  { weight: 1, arbitrary: fc.record({ kind: of('give'), nth, who }) },
  { weight: 1, arbitrary: fc.record({ kind: of('repeat') }) },
  { weight: 2, arbitrary: fc.record({ kind: of('consent'), who, channel: fc.constantFrom('email', 'sms') }) },
  {
    weight: 4,
    arbitrary: fc.record({
      ...{ kind: of('review'), who, id: fc.constantFrom('1', '2', '3', '4') },
      isDeleted: fc.constantFrom(false, false, false, true)
    })
  },
  {
    weight: 6,
    arbitrary: fc.record({
      ...{ kind: of('redeem'), who, template: fc.nat(TEMPLATES.length - 1) },
      requestId: fc.constantFrom('a', 'b', null, null),
      fate: fc.constantFrom<Fate>('made', 'made', 'lost', 'refused')
    })
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: of('end-coupon'), nth, by: fc.constantFrom('operator', 'platform') })
  },
  { weight: 1, arbitrary: fc.record({ kind: of('create-rule'), nth: fc.nat(KINDS.length - 1) }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: of('change-rule'), nth: fc.nat(12), variant: fc.constantFrom(0, 1, 1, 2) })
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: of('enable-rule'), nth: fc.nat(12), isEnabled: fc.constantFrom(true, true, false) })
  },
  { weight: 1, arbitrary: fc.record({ kind: of('archive-rule'), nth: fc.nat(30) }) },
  { weight: 2, arbitrary: fc.record({ kind: of('loyalty'), isOn: fc.constantFrom(true, true, false) }) },
  { weight: 1, arbitrary: fc.record({ kind: of('merge'), from: anybody, to: anybody }) },
  { weight: 5, arbitrary: fc.record({ kind: of('wait'), days: fc.integer({ min: 1, max: 3 }) }) }
]

const review = fc.constantFrom<Review>('rolling_year', 'rolling_year', 'calendar_year')
steps.push(
  { weight: 3, arbitrary: fc.record({ kind: of('change-tier'), nth: fc.nat(TIERS.length - 1), change: fc.nat(4) }) },
  { weight: 2, arbitrary: fc.record({ kind: of('tiers'), isOn: fc.constantFrom(true, true, false) }) },
  { weight: 1, arbitrary: fc.record({ kind: of('tier-review'), review }) },
  // The year of the shop ends on the 335th day.
  { weight: 3, arbitrary: fc.record({ kind: of('wait'), days: fc.constantFrom(30, 100, 200, 320, 364, 365, 370) }) }
)

const step = fc.oneof(...steps)
const manySteps = (minLength: number, maxLength: number) => fc.array(step, { minLength, maxLength, size: 'max' })

/**
 * The life of a store: its settings, and steps one after the other. Tiers are there from the beginning, or once there are orders. Late in most lives
 * two customers are merged who have both done something.
 */
export const life = fc.record({
  holdDays: fc.constantFrom(0, 0, 2, 5),
  pointsDays: fc.option(fc.integer({ min: 2, max: 9 }), { nil: null }),
  couponDays: fc.option(fc.integer({ min: 1, max: 6 }), { nil: null }),
  review,
  steps: fc
    .tuple(manySteps(32, 45), fc.constantFrom(true, true, false), manySteps(8, 15), fc.constantFrom(0, 0, 14))
    .map(([before, merges, after, tiersAt]) => {
      const merge: Step[] = merges ? [{ kind: 'merge', from: 1, to: 0 }] : []
      return [
        ...before.slice(0, tiersAt),
        { kind: 'begin-tiers' } as const,
        ...before.slice(tiersAt),
        ...merge,
        ...after
      ]
    })
})
export type Life = typeof life extends fc.Arbitrary<infer T> ? T : never

const buys = (who: number, priceMinor: number, more: Partial<NewOrder> = {}): Step => ({
  ...{ kind: 'order', holds: false, fate: 'made' },
  order: {
    ...{
      who,
      daysAgo: 0,
      lines: [{ productId: '13', priceMinor }],
      shippingMinor: 0,
      taxPercent: 0,
      isTaxIncluded: false
    },
    ...{ creditTenths: 0, code: null, isPaid: true, renewal: null },
    ...more
  }
})

const edits = (nth: number, priceMinor: number): Step => ({
  ...{ kind: 'edit', nth, line: { productId: '13', priceMinor }, holds: false }
})
const disputes = (nth: number, status: string): Step => ({
  ...{ kind: 'dispute', nth, tenths: 10, type: 'chargeback', status, holds: false }
})
const isOff = (nth: number): Step => ({ kind: 'enable-rule', nth, isEnabled: false })
const refunds = (nth: number): Step => ({ kind: 'refund', nth, tenths: 10, holds: false })
const reviews = (who: number, id: string) => ({ kind: 'review' as const, who, id, isDeleted: false })
const redeems = (who: number): Step => ({ kind: 'redeem', who, template: 0, requestId: null, fate: 'made' })
const ROLLING = { holdDays: 0, pointsDays: null, couponDays: null, review: 'rolling_year' } as const

/** What few random lives come to: tiers over the end of a year, by both reviews, and of customers who have little before they are merged. */
const aYearEnds: Life = {
  ...ROLLING,
  steps: [
    // Goals give too many points.
    ...[isOff(2), isOff(4)],
    ...[buys(0, 6050), buys(1, 14_000), buys(2, 1500), buys(2, 1500)],
    // One more than the rule rewards.
    ...[reviews(0, '1'), reviews(0, '2'), reviews(0, '3')],
    { kind: 'begin-tiers' },
    { kind: 'wait', days: 380 },
    // The last calendar year led to more than the last days do.
    { kind: 'tier-review', review: 'calendar_year' },
    // Less than Gold in each of two years, and Gold with an order of somebody else.
    ...[buys(0, 5950), buys(2, 6050)],
    { kind: 'give', nth: 0, who: 0 },
    refunds(0),
    { kind: 'tier-review', review: 'rolling_year' },
    ...[buys(2, 1500), refunds(0)],
    // Silver together, whose reward one of the two had before; then Points together.
    buys(2, 1500),
    { kind: 'merge', from: 2, to: 0 },
    buys(1, 9000),
    { kind: 'merge', from: 1, to: 0 }
  ]
}

/** Gold at once, which outlasts the refund of what led to it and a merge, to its review, and then Silver. */
const goldIsLost: Life = {
  ...ROLLING,
  steps: [
    ...[isOff(2), isOff(4), isOff(12)],
    { kind: 'begin-tiers' },
    ...[buys(1, 12_000), redeems(1), redeems(1)],
    edits(0, 12_500),
    // A rule for Gold and Points.
    { kind: 'enable-rule', nth: 12, isEnabled: true },
    { kind: 'change-rule', nth: 12, variant: 0 },
    ...[buys(0, 1000), buys(1, 2000)],
    refunds(2),
    // Nothing is multiplied meanwhile.
    ...[{ kind: 'tiers', isOn: false } as const, buys(1, 500), { kind: 'tiers', isOn: true } as const],
    { kind: 'merge', from: 1, to: 0 },
    { kind: 'wait', days: 200 },
    ...[buys(0, 1500), buys(0, 1500)],
    { kind: 'wait', days: 170 }
  ]
}

/** What comes back: a rule after its orders, a renewal, a deleted review, a coupon that the platform refuses, and goals of both who are merged. */
const muchComesBack: Life = {
  ...ROLLING,
  steps: [
    // The second has a tip, of more than its tax.
    ...[buys(0, 10_000), buys(1, 2000, { taxPercent: 19, isTaxIncluded: true }), buys(1, 10_000), buys(2, 6050)],
    // Less than the tax that its price had.
    ...[edits(2, 300), edits(2, 2000)],
    { kind: 'redeem', who: 0, template: 0, requestId: null, fate: 'refused' },
    { kind: 'wait', days: 3 },
    { kind: 'create-rule', nth: 0 },
    buys(0, 2000, { daysAgo: 2 }),
    { kind: 'repeat' },
    buys(0, 2000, { renewal: 'product' }),
    refunds(0),
    ...[reviews(0, '1'), { ...reviews(0, '1'), isDeleted: true }, reviews(0, '1')],
    { kind: 'merge', from: 1, to: 0 },
    buys(0, 2000),
    // A dispute takes all that the order has given, and is won after that was given anew.
    ...[disputes(0, 'needs_response'), edits(0, 2500), disputes(0, 'won')]
  ]
}

/** A dispute that is won is reported together with a refund of an order that came first and was placed last. */
const twoAtOnce: Life = {
  ...ROLLING,
  steps: [
    ...[isOff(2), isOff(4)],
    { kind: 'wait', days: 3 },
    ...[buys(0, 4000), buys(0, 9000, { daysAgo: 1 })],
    ...[disputes(0, 'needs_response'), redeems(0)],
    ...[{ ...disputes(0, 'won'), holds: true } as Step, refunds(1)]
  ]
}

/** Lives that come before the random ones, those of each lane. */
export const EXAMPLES = [
  [goldIsLost, muchComesBack],
  [aYearEnds, twoAtOnce]
]
