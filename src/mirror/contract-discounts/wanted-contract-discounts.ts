import { hash } from 'node:crypto'
import { isSoldUnder, type Plan, tierOf } from '#plans'
import { type PricingContext, priceCart, TIERS, type Tier, type TierPlan } from '#plans/pricing'
import {
  MAX_DISCOUNTED_LINES,
  type MemberDiscount,
  memberDiscountTitle,
  type PlatformContract,
  type PlatformContractLine,
  type ProductFacts
} from '#platform'

type Plans = PricingContext['plans']
type Line = Pick<
  PlatformContractLine,
  'id' | 'productId' | 'variantId' | 'sellingPlanId' | 'quantity' | 'priceMinor' | 'lastingPriceMinor'
>

/** What decides the reduction of renewals in a tier, as a hash; null where its perk does not count on renewals. */
export function termsHashOf({ label, perks: { discount } }: TierPlan): string | null {
  if (!discount?.stackWithSubscriptions) return null
  return hash('sha256', JSON.stringify([label, discount]), 'hex').slice(0, 32)
}

/** Whether the perk of a tier needs to know in which collections products are. */
export const needsCollections = (plans: Plans, tier: Tier): boolean =>
  plans[tier]?.perks.discount?.scope.appliesTo === 'collection'

/** Why a contract cannot have a discount of ours at all; null where it can. */
export const whyNotDiscounted = ({ lines }: Pick<PlatformContract, 'lines'>): string | null =>
  lines.length > MAX_DISCOUNTED_LINES
    ? `The contract has ${lines.length} lines: one with more than ${MAX_DISCOUNTED_LINES} gets no member discount`
    : null

/**
 * The discounts of ours that a contract of products is to have while its customer holds a membership of a tier: pure. They are what
 * `priceCart` takes off a renewal of its lines, in whole percents. A line of whose product nothing is known gets none, and does not count
 * for steps: no perk is exceeded. Nor does a line that costs nothing, as the free product of a grant. `products`: what is known, by product.
 */
export function memberDiscountsOf(
  lines: readonly Line[],
  { tier, plans, allPlans }: { tier: Tier; plans: Plans; allPlans: readonly Plan[] },
  products: ReadonlyMap<string, ProductFacts>
): MemberDiscount[] {
  const readsCollections = needsCollections(plans, tier)
  const cart = lines.flatMap((line) => {
    const product = line.productId === null ? undefined : products.get(line.productId)
    if (!product || (readsCollections && product.collectionIds === null)) return []
    // A trial may be free, and the renewals after it are not.
    const priceMinor = Math.max(line.priceMinor, line.lastingPriceMinor)
    if (priceMinor === 0) return []
    return {
      id: line.id,
      productId: product.id,
      variantId: line.variantId,
      quantity: line.quantity,
      priceMinor,
      compareAtMinor: null,
      collectionIds: product.collectionIds ?? [],
      tags: product.tags,
      membership: membershipOf(line, allPlans)
    }
  })
  const priced = priceCart(
    { charge: 'recurring', lines: cart, country: null, shipping: null },
    { plans, member: { activeTiers: [tier], heldMembership: true } }
  )
  const label = plans[tier]?.label ?? ''
  const free: string[] = []
  const reduced = new Map<number, string[]>()
  for (const { id, reasons } of priced.lines) {
    for (const reason of reasons) {
      if (reason.code === 'tagged_free') free.push(id)
      if (reason.code !== 'member_price' && reason.code !== 'step_price') continue
      if (reason.reduction.type !== 'percentage') continue
      const { percent } = reason.reduction
      reduced.set(percent, [...(reduced.get(percent) ?? []), id])
    }
  }
  return [
    ...[...reduced].map(([percent, lineIds]) => ({ title: memberDiscountTitle(label, 'price'), percent, lineIds })),
    ...(free.length > 0 ? [{ title: memberDiscountTitle(label, 'free'), percent: 100, lineIds: free }] : [])
  ]
}

/** The tier of the membership that a line sells; null for a product. */
function membershipOf({ productId, sellingPlanId }: Line, plans: readonly Plan[]): Tier | null {
  const plan = plans.find(
    (one) =>
      one.type !== 'product' &&
      ((productId !== null && one.platformProductId === productId) ||
        (sellingPlanId !== null && isSoldUnder(one, sellingPlanId)))
  )
  return plan ? tierOf(plan) : null
}

/** What members do not get on renewals of their product subscriptions although the main plans promise it. */
export function notEnforcedOnRenewals(plans: Plans): { tier: Tier; field: string; message: string }[] {
  return TIERS.flatMap((tier) => {
    const discount = plans[tier]?.perks.discount
    if (!discount?.stackWithSubscriptions) return []
    const reductions = [discount.reduction, ...discount.steps]
    const field = 'perks.discount.stack_with_subscriptions'
    const lost: string[] = []
    if (reductions.some(({ type }) => type === 'fixed')) {
      lost.push(
        "a fixed amount is not taken off renewals of product subscriptions: the platform's contracts have whole percents only"
      )
    }
    for (const reduction of reductions) {
      if (reduction.type === 'fixed' || Number.isInteger(reduction.percent)) continue
      const whole = Math.floor(reduction.percent)
      lost.push(
        `renewals of product subscriptions are reduced by ${whole === 0 ? 'nothing' : `${whole}%`}, not ${reduction.percent}%: the platform's contracts have whole percents only`
      )
    }
    return lost.map((message) => ({ tier, field, message }))
  })
}
