import { currencyDecimals } from '#kit/money'
import { planSettingsField, planSettingsOf } from '#plans'
import type { Cart, PricingContext, Tier } from '#plans/pricing'
import { encodeMetafield, type Metafield } from '#platform'

const settings = { type: 'json', field: planSettingsField } as unknown as Metafield<unknown>
const PRODUCTS = { vip: '900', elite: '901' }

/** A plan of a tier as the service writes it to the shop: 29.00 a month; null where the store has none. */
export function printedPlan(
  tier: Tier,
  plan: PricingContext['plans'][Tier],
  currency: string,
  more = {}
): object | null {
  if (!plan) return null
  const value = planSettingsOf(
    {
      ...{ name: plan.label, tierName: plan.label, type: tier, status: 'enabled', perks: plan.perks, currency },
      ...{ priceMinor: 2900, interval: 'month', intervalCount: 1, trialType: null, trialDays: 0, trialPriceMinor: 0 },
      ...{ creditMinor: 0, creditType: 'storecredit', allowedCountries: [] },
      ...{ platformProductId: PRODUCTS[tier], platformVariantId: `${PRODUCTS[tier]}1`, platformSellingPlanId: '77' },
      ...more
    },
    { vipDiscount: true }
  )
  return JSON.parse(encodeMetafield(settings, value))
}

/** The products of a cart of the service, as the platform's cart API has them, and what a theme prints of them. */
export function printedCart({ lines }: Cart, currency: string) {
  const hundredths = (minor: number) => minor * 10 ** (2 - currencyDecimals(currency))
  const products = lines.filter(({ membership }) => membership === null)
  return {
    cart: {
      ...{ token: 't', currency },
      items: products.map((line, i) => ({
        ...{ key: `${i}`, product_id: Number(line.productId), variant_id: 1000 + i, quantity: line.quantity },
        ...{ original_price: hundredths(line.priceMinor), final_price: hundredths(line.priceMinor) },
        ...{ product_title: `Product ${i}`, product_type: 'Thing' }
      }))
    },
    variants: Object.fromEntries(
      products.map(({ tags, collectionIds, compareAtMinor }, i) => [
        1000 + i,
        {
          tags,
          collections: collectionIds.map(Number),
          compare_at: compareAtMinor === null ? null : hundredths(compareAtMinor)
        }
      ])
    )
  }
}

/** What a theme prints of somebody. */
export const printedCustomer = (member: PricingContext['member']): object | null =>
  member && {
    tags: member.activeTiers.map((tier) => `SVC: ${tier === 'vip' ? 'VIP' : 'Elite'}: Active`),
    customer_subscription1: member.heldMembership ? { scid: 7, status: 'CANCELLED' } : null
  }

/** The cart of a theme's products with the membership of a tier in it, or with none, as the service prices it. */
export function cartWith({ lines, country }: Cart, tier: Tier | null): Cart {
  const products = lines
    .filter(({ membership }) => membership === null)
    .map((line, i) => ({ ...line, id: `${i}`, variantId: `${1000 + i}` }))
  const membership = tier && {
    ...{ id: `${products.length}`, productId: PRODUCTS[tier], variantId: `${PRODUCTS[tier]}1`, quantity: 1 },
    ...{ priceMinor: 2900, compareAtMinor: null, collectionIds: [], tags: [], membership: tier }
  }
  return { charge: 'checkout', country, shipping: null, lines: membership ? [...products, membership] : products }
}
