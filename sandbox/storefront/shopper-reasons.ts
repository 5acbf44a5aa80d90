import type { CartPrice } from '#plans/pricing'
import { explainReason } from '#plans/pricing'

type Reason =
  | CartPrice['lines'][number]['reasons'][number]
  | CartPrice['welcomeOffer']['reason']
  | CartPrice['shipping']['reason']

/** A reason as shoppers are told it, without a full stop; null for what says nothing to them, such as how a plan is set up. */
export function tellShopper(reason: Reason, money: (amountMinor: number) => string): string | null {
  switch (reason.code) {
    case 'not_a_member':
      return 'members may pay less'
    case 'tagged_no_discount':
    case 'not_in_scope':
      return 'no member price for this product'
    case 'tagged_free':
      return 'free for members'
    case 'sale_price_lower':
      return 'the sale price is not above the member price'
    case 'no_membership_in_cart':
      return 'it comes with a membership'
    case 'held_membership':
      return 'it is for new members'
    case 'no_product_for_welcome_offer':
      return 'it is for other products'
    case 'no_plan':
    case 'membership':
    case 'no_discount':
    case 'not_stacked':
    case 'no_price':
    case 'rounds_to_nothing':
    case 'whole_percent':
    case 'no_fixed_amount':
    case 'no_welcome_offer':
    case 'recurring_charge':
    case 'no_free_shipping':
      return null
    default:
      return explainReason(reason, money)
  }
}
