import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decimalOf } from '#kit/money'
import { explainReason } from './index.ts'
import type { Reduction } from './perks.ts'

const TENTH: Reduction = { type: 'percentage', percent: 10 }
const FIVE: Reduction = { type: 'fixed', amountMinor: 500 }

for (const [reason, sentence] of [
  [{ code: 'not_a_member' }, 'no active membership, and none in the cart'],
  [{ code: 'no_plan' }, 'the store has no enabled plan of this tier'],
  [{ code: 'membership' }, "the membership's own line is never discounted or counted"],
  [{ code: 'no_discount' }, 'the plan has no discount on products'],
  [{ code: 'tagged_no_discount' }, 'the product is tagged NO-VIP-DISCOUNT'],
  [{ code: 'tagged_free' }, 'the product is tagged 100%-VIP-DISCOUNT'],
  [
    { code: 'not_stacked' },
    "the plan's discount does not apply to recurring charges (stack_with_subscriptions is off)"
  ],
  [{ code: 'not_in_scope' }, "the product is not among those that the plan's discount applies to"],
  [{ code: 'no_price' }, 'the price is 0'],
  [{ code: 'member_price', reduction: TENTH, base: 'price', baseMinor: 1000 }, '10% off the price 10.00'],
  [
    { code: 'member_price', reduction: FIVE, base: 'compare_at', baseMinor: 1000 },
    '5.00 off the compare-at price 10.00'
  ],
  [
    { code: 'step_price', reduction: TENTH, base: 'price', baseMinor: 1000, quantity: 3, eligiblePieces: 4 },
    '10% off the price 10.00: the step from 3, with 4 eligible in the cart'
  ],
  [
    { code: 'sale_price_lower', reduction: TENTH, baseMinor: 1000, memberPriceMinor: 900 },
    'the sale price is no higher than the compare-at price with 10% off, 9.00'
  ],
  [{ code: 'rounds_to_nothing', reduction: TENTH }, '10% off is less than the smallest amount of the currency'],
  [
    { code: 'whole_percent', percent: 12, given: 12.5 },
    'recurring charges have whole percents only: 12 in place of 12.5'
  ],
  [{ code: 'no_fixed_amount', reduction: FIVE }, 'recurring charges have whole percents only, not 5.00 off'],
  [{ code: 'welcome_offer', reduction: FIVE }, 'welcome offer: 5.00 off one piece of the lowest-priced product'],
  [{ code: 'no_welcome_offer' }, 'the plan has no welcome offer'],
  [{ code: 'recurring_charge' }, 'only at a checkout, not on recurring charges'],
  [{ code: 'no_membership_in_cart' }, 'the cart holds no membership'],
  [{ code: 'held_membership' }, 'only for somebody who never held a membership'],
  [
    { code: 'no_product_for_welcome_offer' },
    'no product in the cart that the welcome offer applies to and that costs anything'
  ],
  [{ code: 'no_free_shipping' }, 'the plan has no free shipping'],
  [{ code: 'country_unknown', countries: ['AT', 'DE'] }, 'only to AT, DE, and the country is not known'],
  [{ code: 'other_country', country: 'US', countries: ['AT', 'DE'] }, 'only to AT, DE, not to US'],
  [{ code: 'too_few_items', items: 3, counted: 2 }, 'needs 3 items; 2 in the cart count'],
  [
    { code: 'subtotal_too_low', amountMinor: 5000, countedMinor: 4800 },
    'needs 50.00 after discounts; what counts comes to 48.00'
  ],
  [{ code: 'other_method', method: 'Post', methodName: 'Express' }, 'free with the method Express, not with Post'],
  [{ code: 'free_shipping' }, 'free shipping']
] as [Parameters<typeof explainReason>[0], string][]) {
  test(`explains ${reason.code}: ${sentence}`, () => {
    assert.equal(
      explainReason(reason, (minor) => decimalOf(minor, 'EUR')),
      sentence
    )
  })
}
