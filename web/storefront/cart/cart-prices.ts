import type { CartLine, CartPrice, PricingContext, Tier } from '#plans/pricing'
import { priceCart } from '#plans/pricing'
import type { Offer } from './offers.ts'
import type { CartItem, ThemeCart, ThemeData } from './theme-data.ts'

/** By the type that the service gives to the products of memberships. */
export const isMembership = ({ product_type }: CartItem): boolean => product_type === 'Membership'

/** The tags by which the service says whose membership is active. */
const ACTIVE_TAGS: Record<Tier, string> = { vip: 'svc: vip: active', elite: 'svc: elite: active' }

/** The item that sells an offer; undefined while the cart has none. */
export const itemOf = (cart: ThemeCart, offer: Offer): CartItem | undefined =>
  cart.items.find(({ product_id }) => String(product_id) === offer.productId)

/** Whether the cart sells a membership that the theme knows nothing of: nothing can be said of its prices. */
export const hasOtherMembership = (cart: ThemeCart, offers: readonly Offer[]): boolean =>
  cart.items.some(
    (item) => isMembership(item) && offers.every(({ productId }) => productId !== String(item.product_id))
  )

export const activeTiers = ({ customer }: ThemeData): Tier[] => {
  const tags = (customer?.tags ?? []).map((tag) => tag.trim().toLowerCase())
  return (['elite', 'vip'] as const).filter((tier) => tags.includes(ACTIVE_TAGS[tier]))
}

/** An amount of the cart API in minor units. */
export const minorOf = (hundredths: number, decimals: number): number =>
  decimals === 2 ? hundredths : Math.round(hundredths * 10 ** (decimals - 2))

/**
 * What the cart costs with a membership in it, whether it is there yet or not; with null without any. Its lines are those of `productsOf`,
 * in that order, and then the membership. Null while the theme has not said all that prices depend on.
 */
export function priceWith(
  data: ThemeData,
  offers: readonly Offer[],
  chosen: Offer | null,
  decimals: number
): CartPrice | null {
  const lines: CartLine[] = []
  for (const item of productsOf(data.cart, offers)) {
    const facts = data.variants[item.variant_id]
    if (!facts) return null
    lines.push({
      id: String(lines.length),
      productId: String(item.product_id),
      variantId: String(item.variant_id),
      quantity: item.quantity,
      priceMinor: minorOf(item.original_price, decimals),
      compareAtMinor: facts.compare_at === null ? null : minorOf(facts.compare_at, decimals),
      collectionIds: facts.collections.map(String),
      tags: facts.tags,
      membership: null
    })
  }
  if (chosen) lines.push(membershipLine(chosen, lines.length))
  const cart = { charge: 'checkout' as const, lines, country: data.country, shipping: null }
  try {
    return priceCart(cart, contextOf(data, offers))
  } catch (err) {
    // A cart that cannot be has no price.
    if (err instanceof RangeError) return null
    throw err
  }
}

/** The items of the cart that are no membership. */
export const productsOf = (cart: ThemeCart, offers: readonly Offer[]): CartItem[] =>
  cart.items.filter(({ product_id }) => offers.every(({ productId }) => productId !== String(product_id)))

const membershipLine = ({ tier, productId, variantId, priceMinor }: Offer, id: number): CartLine => ({
  ...{ id: String(id), productId, variantId, quantity: 1, priceMinor, compareAtMinor: null },
  ...{ collectionIds: [], tags: [], membership: tier }
})

export function contextOf(data: ThemeData, offers: readonly Offer[]): PricingContext {
  const planOf = (tier: Tier) => offers.find((offer) => offer.tier === tier) ?? null
  const active = activeTiers(data)
  const { customer } = data
  return {
    plans: { vip: planOf('vip'), elite: planOf('elite') },
    member: customer && {
      activeTiers: active,
      heldMembership: active.length > 0 || customer.subscriptions.some(({ scid }) => scid !== undefined)
    }
  }
}
