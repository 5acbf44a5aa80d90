import { sumOf } from '#kit/money'
import { chargeMinorOf, type Subscription } from '#subscriptions'
import type { OfferTerms } from './offer.ts'

/** What of a subscription its charge follows from; amounts in minor units. */
export type Charged = Pick<
  Subscription,
  | 'priceMinor'
  | 'memberDiscountMinor'
  | 'grantedDiscountMinor'
  | 'deliveryMinor'
  | 'lineChargesMinor'
  | 'lineQuantities'
>

type DiscountTerms = Pick<OfferTerms, 'type' | 'target' | 'percent' | 'amountMinor' | 'isOfEachItem'>

/** What a cycle is charged after all present discounts, by line and for its delivery. */
export type ChargedParts = { lines: { minor: number; quantity: number }[]; linesMinor: number; deliveryMinor: number }

/** Terms with which the contract was not read yet count as one line. */
export function chargedParts(s: Charged): ChargedParts {
  const chargeMinor = chargeMinorOf(s)
  const lines = s.lineChargesMinor.map((minor, i) => ({ minor, quantity: s.lineQuantities[i]! }))
  const linesMinor = sumOf(s.lineChargesMinor)
  const rest = chargeMinor - linesMinor
  if (lines.length > 0 && rest >= 0 && rest <= s.deliveryMinor) return { lines, linesMinor, deliveryMinor: rest }
  const deliveryMinor = Math.min(s.deliveryMinor, chargeMinor)
  const minor = chargeMinor - deliveryMinor
  return { lines: [{ minor, quantity: Math.max(1, sumOf(s.lineQuantities)) }], linesMinor: minor, deliveryMinor }
}

/**
 * What a cycle is charged once a discount of an offer is added to the present ones, in minor units. The platform takes it off each line, never below
 * 0, and rounds a percentage there to the nearest minor unit; an amount that is not of each piece is of all lines together. Null for an
 * offer that changes no price.
 */
export function chargeWithOffer(terms: DiscountTerms, s: Charged): number | null {
  const { type, target, percent, amountMinor, isOfEachItem } = terms
  if (type !== 'discount_price') return null
  const { lines, linesMinor, deliveryMinor } = chargedParts(s)
  if (target === 'shipping_line') return linesMinor
  if (percent === null && !isOfEachItem) return Math.max(0, linesMinor - amountMinor!) + deliveryMinor
  const left = lines.map(({ minor, quantity }) => {
    const off = percent === null ? amountMinor! * quantity : Math.round((minor * percent) / 100)
    return Math.max(0, minor - off)
  })
  return sumOf(left) + deliveryMinor
}
