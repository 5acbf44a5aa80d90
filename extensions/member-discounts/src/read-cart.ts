import type { Cart, CartLine, PricingContext, Tier } from '../../../src/plans/pricing/index.ts'
import type { FunctionInput } from './input.ts'
import { decimalsOf, type Exchange, minorOf, Unreadable } from './money.ts'
import { type MainPlan, planOf, productsOf } from './plan-settings.ts'

/** A cart as prices see it, with the plans and the customer. Amounts are in minor units of the cart's currency. */
export type ReadCart = { cart: Omit<Cart, 'country' | 'shipping'>; context: PricingContext; decimals: number }

/** Null for an empty cart, and for settings that cannot be read: nothing is taken off then. */
export function readCart(input: FunctionInput): ReadCart | null {
  const currency = input.cart.lines[0]?.cost.amountPerQuantity.currencyCode
  if (currency === undefined) return null
  try {
    const exchange = { rate: Number(input.presentmentCurrencyRate), decimals: decimalsOf(currency) }
    const plans = {
      vip: planOf(input.shop.vip?.jsonValue, 'vip', exchange),
      elite: planOf(input.shop.elite?.jsonValue, 'elite', exchange)
    }
    const memberships = membershipsOf(input, plans)
    const lines = input.cart.lines.map((line) => lineOf(line, memberships, exchange))
    return {
      cart: { charge: 'checkout', lines },
      context: { plans, member: memberOf(input) },
      decimals: exchange.decimals
    }
  } catch (err) {
    if (err instanceof Unreadable) return null
    throw err
  }
}

function memberOf({ cart: { buyerIdentity } }: FunctionInput): PricingContext['member'] {
  const customer = buyerIdentity?.customer
  if (!customer) return null
  const has = (tier: Tier) => customer[tier].some(({ hasTag }) => hasTag)
  const activeTiers = (['elite', 'vip'] as const).filter(has)
  return { activeTiers, heldMembership: customer.held !== null || activeTiers.length > 0 }
}

/**
 * The tiers of the products that are memberships, by their numbers. A discount without the list, from before the service wrote it, has those of
 * the main plans.
 */
function membershipsOf({ discount }: FunctionInput, plans: Record<Tier, MainPlan | null>): Map<string, Tier> {
  const listed = (['elite', 'vip'] as const).flatMap((tier) =>
    [...productsOf(discount.memberships?.jsonValue, tier), plans[tier]?.productId ?? ''].map((id): [string, Tier] => [
      id,
      tier
    ])
  )
  return new Map(listed.filter(([id]) => id !== ''))
}

function lineOf(
  { id, quantity, cost, merchandise }: FunctionInput['cart']['lines'][number],
  memberships: Map<string, Tier>,
  { decimals }: Exchange
): CartLine {
  const { product } = merchandise
  const productId = product ? numberOf(product.id) : ''
  const before = cost.compareAtAmountPerQuantity
  return {
    id,
    productId,
    variantId: null,
    quantity,
    priceMinor: minorOf(cost.amountPerQuantity.amount, decimals),
    compareAtMinor: before && minorOf(before.amount, decimals),
    collectionIds: (product?.inCollections ?? []).flatMap((one) => (one.isMember ? [numberOf(one.collectionId)] : [])),
    tags: (product?.marks ?? []).flatMap(({ tag, hasTag }) => (hasTag ? [tag] : [])),
    membership: memberships.get(productId) ?? null
  }
}

const numberOf = (id: string): string => id.slice(id.lastIndexOf('/') + 1)
