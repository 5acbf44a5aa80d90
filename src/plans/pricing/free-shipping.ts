import type { Cart } from './cart.ts'
import type { ShippingPrice, ShippingReason } from './cart-price.ts'
import type { FreeShippingPerk } from './perks.ts'

/** What of the cart counts for a threshold: pieces, and what they cost after the discounts of products. */
export type Counted = { items: number; subtotalMinor: number }

const NOT_FREE = { isFree: false, methodName: null, message: null, discountMinor: 0 } as const

export const paidShipping = (reason: ShippingReason): ShippingPrice => ({ ...NOT_FREE, reason })

export function freeShipping(cart: Cart, counted: Counted, perk: FreeShippingPerk | undefined): ShippingPrice {
  if (!perk) return paidShipping({ code: 'no_free_shipping' })
  const missing = missingFor(cart, counted, perk)
  if (missing) return paidShipping(missing)
  const { methodName, message } = perk
  const { shipping } = cart
  const free = { isFree: true, methodName, message }
  if (shipping && methodName !== null && !isSameMethod(shipping.method, methodName)) {
    return { ...free, discountMinor: 0, reason: { code: 'other_method', method: shipping.method, methodName } }
  }
  return { ...free, discountMinor: shipping?.priceMinor ?? 0, reason: { code: 'free_shipping' } }
}

function missingFor(cart: Cart, counted: Counted, { countries, threshold }: FreeShippingPerk): ShippingReason | null {
  // A contract keeps the shipping price that it was sold with.
  if (cart.charge === 'recurring') return { code: 'recurring_charge' }
  if (countries.length > 0) {
    if (cart.country === null) return { code: 'country_unknown', countries }
    const country = cart.country.toUpperCase()
    if (!countries.includes(country)) return { code: 'other_country', country, countries }
  }
  if (threshold?.type === 'items' && counted.items < threshold.items) {
    return { code: 'too_few_items', items: threshold.items, counted: counted.items }
  }
  if (threshold?.type === 'subtotal' && counted.subtotalMinor < threshold.amountMinor) {
    return { code: 'subtotal_too_low', amountMinor: threshold.amountMinor, countedMinor: counted.subtotalMinor }
  }
  return null
}

// The perk's name is typed by hand.
const isSameMethod = (a: string, b: string) => a.trim().toLowerCase() === b.trim().toLowerCase()
