import type { LineReason, ShippingReason, WelcomeReason } from './cart-price.ts'
import type { Reduction } from './perks.ts'

type Money = (amountMinor: number) => string

/** A reason as a sentence without a full stop. `money` writes an amount: the number of decimals is the currency's. */
export function explainReason(reason: LineReason | WelcomeReason | ShippingReason, money: Money): string {
  switch (reason.code) {
    case 'not_a_member':
      return 'no active membership, and none in the cart'
    case 'no_plan':
      return 'the store has no enabled plan of this tier'
    case 'membership':
      return "the membership's own line is never discounted or counted"
    case 'no_discount':
      return 'the plan has no discount on products'
    case 'tagged_no_discount':
      return 'the product is tagged NO-VIP-DISCOUNT'
    case 'tagged_free':
      return 'the product is tagged 100%-VIP-DISCOUNT'
    case 'not_stacked':
      return "the plan's discount does not apply to recurring charges (stack_with_subscriptions is off)"
    case 'not_in_scope':
      return "the product is not among those that the plan's discount applies to"
    case 'no_price':
      return 'the price is 0'
    case 'member_price':
      return `${off(reason.reduction, money)} ${baseOf(reason, money)}`
    case 'step_price':
      return `${off(reason.reduction, money)} ${baseOf(reason, money)}: the step from ${reason.quantity}, with ${reason.eligiblePieces} eligible in the cart`
    case 'sale_price_lower':
      return `the sale price is no higher than the compare-at price with ${off(reason.reduction, money)}, ${money(reason.memberPriceMinor)}`
    case 'rounds_to_nothing':
      return `${off(reason.reduction, money)} is less than the smallest amount of the currency`
    case 'whole_percent':
      return `recurring charges have whole percents only: ${reason.percent} in place of ${reason.given}`
    case 'no_fixed_amount':
      return `recurring charges have whole percents only, not ${off(reason.reduction, money)}`
    case 'welcome_offer':
      return `welcome offer: ${off(reason.reduction, money)} one piece of the lowest-priced product`
    case 'no_welcome_offer':
      return 'the plan has no welcome offer'
    case 'recurring_charge':
      return 'only at a checkout, not on recurring charges'
    case 'no_membership_in_cart':
      return 'the cart holds no membership'
    case 'held_membership':
      return 'only for somebody who never held a membership'
    case 'no_product_for_welcome_offer':
      return 'no product in the cart that the welcome offer applies to and that costs anything'
    case 'no_free_shipping':
      return 'the plan has no free shipping'
    case 'country_unknown':
      return `only to ${reason.countries.join(', ')}, and the country is not known`
    case 'other_country':
      return `only to ${reason.countries.join(', ')}, not to ${reason.country}`
    case 'too_few_items':
      return `needs ${reason.items} items; ${reason.counted} in the cart count`
    case 'subtotal_too_low':
      return `needs ${money(reason.amountMinor)} after discounts; what counts comes to ${money(reason.countedMinor)}`
    case 'other_method':
      return `free with the method ${reason.methodName}, not with ${reason.method}`
    case 'free_shipping':
      return 'free shipping'
  }
}

const off = (reduction: Reduction, money: Money) =>
  reduction.type === 'fixed' ? `${money(reduction.amountMinor)} off` : `${reduction.percent}% off`

const baseOf = ({ base, baseMinor }: { base: 'price' | 'compare_at'; baseMinor: number }, money: Money) =>
  base === 'price' ? `the price ${money(baseMinor)}` : `the compare-at price ${money(baseMinor)}`
