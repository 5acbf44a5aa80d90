import type { Tier } from './cart.ts'
import type { Reduction } from './perks.ts'

/** Why nobody's perks count. */
type NoTier =
  /** No active membership, and none in the cart. */
  | { code: 'not_a_member' }
  /** A membership, and the store has no plan of its tier on sale. */
  | { code: 'no_plan' }

/** Why a line costs what it costs. */
export type LineReason =
  | NoTier
  | { code: 'membership' }
  | { code: 'no_discount' }
  | { code: 'tagged_no_discount' }
  | { code: 'tagged_free' }
  | { code: 'not_stacked' }
  | { code: 'not_in_scope' }
  /** Nothing can be taken off a price of 0. */
  | { code: 'no_price' }
  | { code: 'member_price'; reduction: Reduction; base: 'price' | 'compare_at'; baseMinor: number }
  | {
      code: 'step_price'
      reduction: Reduction
      base: 'price' | 'compare_at'
      baseMinor: number
      quantity: number
      eligiblePieces: number
    }
  /** Taken off the compare-at price, the reduction comes to no less than the sale price. */
  | { code: 'sale_price_lower'; reduction: Reduction; baseMinor: number; memberPriceMinor: number }
  /** The reduction of one piece is below one minor unit, or below one percent on a recurring charge. */
  | { code: 'rounds_to_nothing'; reduction: Reduction }
  /** The platform's contracts have whole percents only. */
  | { code: 'whole_percent'; percent: number; given: number }
  /** Nor do they have an amount off each piece. */
  | { code: 'no_fixed_amount'; reduction: Reduction }
  | { code: 'welcome_offer'; reduction: Reduction }

export type WelcomeReason =
  | NoTier
  | { code: 'no_welcome_offer' }
  | { code: 'recurring_charge' }
  | { code: 'no_membership_in_cart' }
  | { code: 'held_membership' }
  | { code: 'no_product_for_welcome_offer' }
  | { code: 'rounds_to_nothing'; reduction: Reduction }
  | { code: 'welcome_offer'; reduction: Reduction }

export type ShippingReason =
  | NoTier
  | { code: 'no_free_shipping' }
  | { code: 'recurring_charge' }
  | { code: 'country_unknown'; countries: readonly string[] }
  | { code: 'other_country'; country: string; countries: readonly string[] }
  | { code: 'too_few_items'; items: number; counted: number }
  | { code: 'subtotal_too_low'; amountMinor: number; countedMinor: number }
  | { code: 'other_method'; method: string; methodName: string }
  | { code: 'free_shipping' }

export type LineDiscount = {
  kind: 'member_price' | 'welcome_offer'
  /** What it is called in the cart: the name of the tier. */
  label: string
  /** How many pieces of the line it is taken off: all of them, or one for the welcome offer. */
  pieces: number
  /** Off each of these pieces. */
  pieceMinor: number
  amountMinor: number
}

export type LinePrice = {
  id: string
  quantity: number
  /** Of one piece, before. */
  priceMinor: number
  /** Of one piece with the member price; `priceMinor` without one. The welcome offer is not in it. */
  memberPriceMinor: number
  /** What the line is discounted by; empty for nothing. No amount is 0. */
  discounts: LineDiscount[]
  discountMinor: number
  totalMinor: number
  reasons: LineReason[]
}

export type ShippingPrice = {
  /** Whether the method that `methodName` names, or every one, is free. */
  isFree: boolean
  /** The one method that is free. Null: every one. */
  methodName: string | null
  /** What the checkout says about it; null when it is not free. */
  message: string | null
  /** Off the chosen method; 0 when none is chosen. */
  discountMinor: number
  reason: ShippingReason
}

export type CartPrice = {
  /** Whose perks count; null for nobody's. */
  tier: Tier | null
  label: string | null
  /** In the order of the cart. */
  lines: LinePrice[]
  /** Of all lines, before and after the discounts; without shipping. */
  subtotalMinor: number
  discountMinor: number
  totalMinor: number
  /** The pieces that steps count. */
  eligiblePieces: number
  /** The line that has the welcome offer, and why; or why none has. */
  welcomeOffer: { lineId: string | null; reason: WelcomeReason }
  shipping: ShippingPrice
}
