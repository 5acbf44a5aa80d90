import { daysAfter } from '#kit/clock'
import { isSoldUnder, type Plan, versionSoldAt } from '#plans'
import type { PlatformContract } from '#platform'
import { billingDate, type Subscription } from '#subscriptions'
import type { Terms } from '#subscriptions/transitions'

/** The platform's status as one of ours. A contract with an unknown status (stale, for example) must not be billed. */
export function ourStatus(status: string): Subscription['status'] {
  return status === 'active' || status === 'cancelled' || status === 'expired' || status === 'failed'
    ? status
    : 'paused'
}

/**
 * Whether a checkout has sold the contract, which has paid its first cycle. Throws where the platform withholds that: a guess would
 * charge a cycle twice, or not at all.
 */
export function isBought({ id, originOrder }: PlatformContract): boolean {
  if (originOrder !== undefined) return originOrder !== null
  throw new Error(
    `The platform withholds the order of contract ${id}, which says whether its first cycle is paid (read_orders)`
  )
}

/** The plan that a contract's lines were sold under, in any version; null when it is none of ours. */
export function planOf(contract: PlatformContract, plans: Plan[]): Plan | null {
  for (const { sellingPlanId } of contract.lines) {
    const plan = sellingPlanId !== null && plans.find((one) => isSoldUnder(one, sellingPlanId))
    if (plan) return plan
  }
  return null
}

/** The version that the contract's line of this plan was sold under at that time; null when there is no such line. */
export function versionOf(contract: PlatformContract, plan: Plan, at: Temporal.Instant): number | null {
  for (const { sellingPlanId } of contract.lines) {
    const version = sellingPlanId !== null && versionSoldAt(plan, sellingPlanId, at)
    if (version) return version
  }
  return null
}

/** What the contract now sells, at which price and how often. */
export function termsOf(before: Subscription, contract: PlatformContract, plans: Plan[]): Omit<Terms, 'trialEndsAt'> {
  const bought = boughtBy(before, contract, plans)
  return {
    ...bought,
    unitPriceMinor: unitPriceOf(contract, plans.find(({ id }) => id === bought.planId) ?? null),
    priceMinor: contract.priceMinor + contract.deliveryPriceMinor,
    interval: contract.interval,
    intervalCount: contract.intervalCount
  }
}

/** What a cycle is charged by line, and for how many pieces; without lines that cost nothing. */
export function chargedLinesOf({
  lines,
  lineChargesMinor
}: PlatformContract): Pick<Subscription, 'lineChargesMinor' | 'lineQuantities'> {
  const charged = lines.flatMap(({ quantity }, i) => (lineChargesMinor[i]! > 0 ? { quantity, at: i } : []))
  return {
    lineChargesMinor: charged.map(({ at }) => lineChargesMinor[at]!),
    lineQuantities: charged.map(({ quantity }) => quantity)
  }
}

/**
 * The price of one of what the plan sells, before discounts, whatever else is in the contract: of the lines that were sold under the
 * plan, or of the only line that costs something. Null where that is not one price.
 */
export function unitPriceOf({ lines }: PlatformContract, plan: Plan | null): number | null {
  const ofPlan = lines.filter(({ sellingPlanId: sold }) => plan && sold !== null && isSoldUnder(plan, sold))
  const priced = lines.length > 1 ? lines.filter(({ lastingPriceMinor }) => lastingPriceMinor > 0) : lines
  const counting = ofPlan.length > 0 || priced.length > 1 ? ofPlan : priced
  const prices = new Set(counting.map(({ lastingPriceMinor }) => lastingPriceMinor))
  return prices.size === 1 ? [...prices][0]! : null
}

/**
 * Other apps edit lines without their selling plan: as long as a line is of the plan's own product, the plan stays. A name from
 * a line stays as long as there is such a line, in any order, and so does a plan that an import has given to such a line.
 */
function boughtBy(before: Subscription, contract: PlatformContract, plans: Plan[]): Bought {
  const { planId, planVersion, name } = before
  const present = plans.find(({ id }) => id === planId)
  const isStillSold =
    present && contract.lines.some(({ sellingPlanId: sold }) => sold !== null && isSoldUnder(present, sold))
  // A later version counts when the subscription was moved to it, not because the selling plan has another one by now.
  if (isStillSold) {
    return { planId, planVersion: planVersion ?? versionOf(contract, present, contract.createdAt), name }
  }
  const plan = planOf(contract, plans)
  if (plan) return { planId: plan.id, planVersion: versionOf(contract, plan, contract.updatedAt), name: plan.name }
  const { lines } = contract
  const isStillThere = lines.some(
    ({ title, productId }) => title === name || (productId !== null && present?.productIds.includes(productId))
  )
  if (lines.length === 0 || isStillThere) return { planId, planVersion, name }
  return { planId: null, planVersion: null, name: lines[0]!.title }
}

type Bought = Pick<Terms, 'planId' | 'planVersion' | 'name'>

/**
 * When a trial ends that started with the contract; null where the plan has none. A trial until the next billing date ends on the
 * first one. Where that has passed, the platform's date is of a later cycle, so the first date is computed.
 */
export function trialEndOf(
  plan: Plan,
  contract: PlatformContract,
  now: Temporal.Instant,
  timezone: string
): Temporal.Instant | null {
  const { createdAt, interval, intervalCount, nextBillingDate } = contract
  if (plan.trialType === null) return null
  if (plan.trialType === 'days') {
    return daysAfter(createdAt, plan.trialDays, timezone)
  }
  const first = billingDate({ anchorAt: createdAt, anchorCycle: 1, interval, intervalCount }, 2, timezone)
  const isAhead = (at: Temporal.Instant) => Temporal.Instant.compare(at, now) > 0
  return nextBillingDate && isAhead(first) && isAhead(nextBillingDate) ? nextBillingDate : first
}

/** The platform keeps whole seconds. */
export function isSameDate(a: Temporal.Instant | null, b: Temporal.Instant | null): boolean {
  const secondsOf = (at: Temporal.Instant) => Math.floor(at.epochMilliseconds / 1000)
  return a === null || b === null ? a === b : secondsOf(a) === secondsOf(b)
}
