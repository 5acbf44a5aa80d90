import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Situation } from './find-situation.ts'
import type { Offer } from './offer.ts'
import { ineligibilityOf, obstacleTo } from './situation.ts'

const at = (text: string) => Temporal.Instant.from(text)
const NOW = at('2026-06-01T12:00:00Z')

/** A contract that may accept every offer below. */
const situation = (of: Partial<Situation> = {}): Situation => ({
  status: 'active',
  currency: 'USD',
  priceMinor: 3400,
  memberDiscountMinor: 0,
  grantedDiscountMinor: 0,
  deliveryMinor: 500,
  lineChargesMinor: [1900, 1000],
  lineQuantities: [1, 2],
  shopCurrency: 'USD',
  interval: 'month',
  intervalCount: 1,
  nextBillingAt: at('2026-06-15T05:00:00Z'),
  anchorAt: at('2026-01-15T05:00:00Z'),
  anchorCycle: 0,
  nextCycle: 5,
  customerSince: at('2026-01-15T05:00:00Z'),
  isInTrial: false,
  planType: 'vip',
  maxCycles: null,
  cyclesPaid: 5,
  isBeingCharged: false,
  isInDunning: false,
  hasWaitingTerms: false,
  liveOffer: null,
  usedOffers: [],
  lastAcceptedAt: null,
  ...of
})

const offer = (of: Partial<Offer> & Pick<Offer, 'type'>): Offer => ({
  ...{ id: 7, name: 'Stay', description: null, currency: 'USD', percent: null, amountMinor: null, cycles: null },
  ...{ target: null, isOfEachItem: false, interval: null, intervalCount: null, creditMinor: null },
  ...{ minMemberDays: 0, minDaysSinceOffer: 0, isForTrials: true, isOn: true, createdAt: NOW, updatedAt: NOW },
  ...of
})
const QUARTER = offer({ type: 'discount_price', target: 'line_item', percent: 25 })
const FIVE = offer({ type: 'discount_price', target: 'line_item', amountMinor: 500 })
const FREE_DELIVERY = offer({ type: 'discount_price', target: 'shipping_line', percent: 100 })
const TWO_MONTHS = offer({ type: 'change_frequency', interval: 'month', intervalCount: 2 })
const CREDIT = offer({ type: 'add_store_credits', creditMinor: 1000 })
const ALL = { QUARTER, FIVE, FREE_DELIVERY, TWO_MONTHS, CREDIT }

const messageOf = (one: Offer, s: Situation, isShopper = true) =>
  obstacleTo(one, s, { now: NOW, isShopper })?.message ?? null
const unfit = (why: string) => `This offer does not fit this contract: ${why}`

test('a contract without an obstacle may accept each type', () => {
  for (const status of ['active', 'paused'] as const) {
    for (const one of Object.values(ALL)) assert.equal(messageOf(one, situation({ status })), null)
  }
})

for (const [what, of, message] of [
  ['has an active offer', { liveOffer: 'active' }, 'This contract already has an active offer'],
  [
    'is accepting an offer',
    { liveOffer: 'applying' },
    'An offer is being applied to this contract: look again in a moment'
  ],
  ['is cancelled', { status: 'cancelled' }, 'This contract has ended: an offer cannot be applied to it'],
  ['has failed', { status: 'failed' }, 'This contract has ended: an offer cannot be applied to it'],
  ['has expired', { status: 'expired' }, 'This contract has ended: an offer cannot be applied to it'],
  ['has used the offer', { usedOffers: [3, 7] }, 'This offer was already used on this contract'],
  [
    'is being charged',
    { isBeingCharged: true },
    'A payment of this contract is under way: an offer can be applied when that is done'
  ]
] as const) {
  test(`no offer of any type for a contract that ${what}`, () => {
    for (const one of Object.values(ALL)) {
      const s = situation({ ...of } as Partial<Situation>)
      assert.deepEqual([messageOf(one, s), messageOf(one, s, false)], [message, message])
    }
  })
}

for (const [what, of, one, why] of [
  ['a share in another currency', { currency: 'EUR' }, QUARTER, 'it is in USD, and the contract in EUR'],
  ['an amount in another currency', { currency: 'EUR' }, FIVE, 'it is in USD, and the contract in EUR'],
  ['free delivery in another currency', { currency: 'EUR' }, FREE_DELIVERY, 'it is in USD, and the contract in EUR'],
  ['credit in another currency', { shopCurrency: 'EUR' }, CREDIT, 'it is in USD, and the store in EUR'],
  ['credit to a contract in another currency', { currency: 'EUR' }, CREDIT, null],
  ['a frequency, which has no currency', { currency: 'EUR', shopCurrency: 'EUR' }, TWO_MONTHS, null],
  ['a discount after the last payment', { maxCycles: 5, cyclesPaid: 5 }, QUARTER, 'no payment of the contract is left'],
  [
    'free delivery after the last payment',
    { maxCycles: 5, cyclesPaid: 5 },
    FREE_DELIVERY,
    'no payment of the contract is left'
  ],
  [
    'a frequency after the last payment',
    { maxCycles: 5, cyclesPaid: 5 },
    TWO_MONTHS,
    'no payment of the contract is left'
  ],
  ['a discount on the last payment', { maxCycles: 6, cyclesPaid: 5 }, QUARTER, null],
  ['credit after the last payment', { maxCycles: 5, cyclesPaid: 5 }, CREDIT, null],
  ['delivery that is free', { deliveryMinor: 0, priceMinor: 2900 }, FREE_DELIVERY, 'its delivery is free already'],
  [
    'a frequency while a payment is open',
    { isInDunning: true },
    TWO_MONTHS,
    'a payment of the contract is open, until which its frequency stays'
  ],
  ['a discount while a payment is open', { isInDunning: true }, QUARTER, null],
  [
    'a frequency while another change waits',
    { hasWaitingTerms: true },
    TWO_MONTHS,
    'another change of the contract is under way'
  ],
  ['a discount while another change waits', { hasWaitingTerms: true }, QUARTER, null],
  ['the frequency that there is', { intervalCount: 2 }, TWO_MONTHS, 'the contract has this frequency already'],
  ['as many of another interval', { interval: 'week', intervalCount: 2 }, TWO_MONTHS, null],
  [
    'a frequency that no membership has',
    {},
    { ...TWO_MONTHS, interval: 'day' },
    'a membership is billed every 1 to 28 weeks or months'
  ],
  ['the same for products', { planType: 'product' }, { ...TWO_MONTHS, interval: 'day' }, null],
  ['the same without a plan', { planType: null }, { ...TWO_MONTHS, interval: 'day' }, null],
  ['all that the lines cost', {}, { ...FIVE, amountMinor: 2900 }, null],
  ['more than the lines cost', {}, { ...FIVE, amountMinor: 2901 }, 'it takes off more than the contract costs'],
  ['all that each piece costs', {}, { ...FIVE, amountMinor: 500, isOfEachItem: true }, null],
  [
    'more than a piece costs',
    {},
    { ...FIVE, amountMinor: 501, isOfEachItem: true },
    'it takes off more than the contract costs'
  ]
] as const) {
  test(`${why === null ? 'fits' : 'does not fit'}: ${what}`, () => {
    const s = situation(of as Partial<Situation>)
    const message = why === null ? null : unfit(why)
    assert.deepEqual([messageOf(one, s), messageOf(one, s, false)], [message, message])
  })
}

for (const [what, of, rules, why] of [
  ['in its trial', { isInTrial: true }, { isForTrials: false }, /is in its trial/],
  ['in its trial, for trials too', { isInTrial: true }, {}, null],
  ['after its trial', {}, { isForTrials: false }, null],
  [
    'a second before the days of membership are over',
    { customerSince: at('2026-05-02T12:00:01Z') },
    { minMemberDays: 30 },
    /at least 30 days/
  ],
  ['when they are over', { customerSince: at('2026-05-02T12:00:00Z') }, { minMemberDays: 30 }, null],
  [
    'a second before the days since the last offer are over',
    { lastAcceptedAt: at('2026-05-02T12:00:01Z') },
    { minDaysSinceOffer: 30 },
    /less than 30 days ago/
  ],
  ['when these are over', { lastAcceptedAt: at('2026-05-02T12:00:00Z') }, { minDaysSinceOffer: 30 }, null],
  ['after an offer, where the days do not count', { lastAcceptedAt: NOW }, {}, null],
  ['without an offer before', {}, { minDaysSinceOffer: 3660 }, null]
] as const) {
  test(`${why === null ? 'eligible' : 'not eligible'}: ${what}`, () => {
    const one = { ...QUARTER, ...rules }
    const s = situation(of)
    const reason = ineligibilityOf(one, s, NOW)
    if (why === null) assert.equal(reason, null)
    else assert.match(reason!, why)
    assert.equal(messageOf(one, s), why === null ? null : 'This offer is not for this contract at present')
    assert.equal(messageOf(one, s, false), null, 'a program decides itself')
  })
}
