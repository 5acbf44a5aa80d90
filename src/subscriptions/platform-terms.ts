import type { Plan } from '#plans'
import type { PlatformContract } from '#platform'
import type { Terms } from './queries.ts'
import type { Subscription } from './subscription.ts'

/** The platform's status in our words. One that we do not know (stale, say) must not be billed. */
export function ourStatus(status: string): Subscription['status'] {
  return status === 'active' || status === 'cancelled' || status === 'expired' || status === 'failed'
    ? status
    : 'paused'
}

/** The plan that a contract's lines were sold under; null when it is none of ours. */
export function planOf(contract: PlatformContract, plans: Plan[]): Plan | null {
  for (const line of contract.lines) {
    const plan =
      line.sellingPlanId && plans.find(({ platformSellingPlanId }) => platformSellingPlanId === line.sellingPlanId)
    if (plan) return plan
  }
  return null
}

/** What the contract now says is bought, for how much and how often. */
export function termsOf(before: Subscription, contract: PlatformContract, plans: Plan[]): Omit<Terms, 'trialEndsAt'> {
  return {
    ...boughtBy(before, contract, plans),
    priceMinor: contract.priceMinor + contract.deliveryPriceMinor,
    interval: contract.interval,
    intervalCount: contract.intervalCount
  }
}

/**
 * Other apps edit lines without their selling plan: as long as a line is of the plan's own product, the plan stays. A name
 * that was taken from a line stays as long as there is such a line, whatever their order, and so does a plan that an import
 * has given to such a line.
 */
function boughtBy(before: Subscription, contract: PlatformContract, plans: Plan[]): Pick<Terms, 'planId' | 'name'> {
  const { planId, name } = before
  const isStillSold = contract.lines.some(
    ({ sellingPlanId }) =>
      sellingPlanId !== null && sellingPlanId === plans.find(({ id }) => id === planId)?.platformSellingPlanId
  )
  if (isStillSold) return { planId, name }
  const plan = planOf(contract, plans)
  if (plan) return plan.id === planId ? { planId, name } : { planId: plan.id, name: plan.name }
  const { lines } = contract
  const product = plans.find(({ id }) => id === planId)?.platformProductId
  const isStillThere = lines.some((line) => line.title === name || (planId !== null && line.productId === product))
  if (lines.length === 0 || isStillThere) return { planId, name }
  return { planId: null, name: lines[0]!.title }
}
