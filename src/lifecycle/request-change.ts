import type { Ctx } from '#kit/postgres'
import { invalidField } from '#kit/refusal'
import { assertHolderAllowed } from '#members'
import { listPlans, listPlanVersions, type Plan } from '#plans'
import type { Interval } from '#platform'
import {
  type Actor,
  actorOf,
  assertAllowed,
  type Change,
  dropChange,
  holderOf,
  listChanges,
  lockSubscriptions,
  type NewChange,
  type Subscription,
  subscriptionNotFound,
  writeChanges
} from '#subscriptions'

/** What somebody wants to be different; what is left out stays. */
export type RequestedChange = {
  planId?: number
  priceMinor?: number
  interval?: Interval
  intervalCount?: number
  /** The platform's id of the payment method, as it writes it. */
  platformPaymentMethodId?: string
}

/**
 * Asks for other terms, which hold from the next cycle on: the platform's contract is edited after the commit, and ours
 * follows it. What was asked for before and is not done yet stays wanted where this says nothing of it. A plan brings its
 * price and interval along unless they are given too. Returns whether anything is to be changed.
 */
export async function requestChange(ctx: Ctx, id: number, requested: RequestedChange, by: Actor): Promise<boolean> {
  const [subscription] = await lockSubscriptions(ctx, [id])
  if (!subscription) throw subscriptionNotFound(id)
  const { platformPaymentMethodId, ...terms } = requested
  if (Object.values(terms).some((value) => value !== undefined)) assertAllowed('change_terms', subscription, ctx.now)
  if (platformPaymentMethodId !== undefined) assertAllowed('change_payment', subscription, ctx.now)

  const [waiting] = await listChanges(ctx, [id])
  const plan = requested.planId === undefined ? null : planFor(subscription, requested.planId, await listPlans(ctx))
  if (plan && plan.id !== subscription.planId) await assertHolderAllowed(ctx, plan, holderOf(subscription))
  const isPlain = plan !== null && (await paysPlanPrice(ctx, subscription))
  const change = changeOf(subscription, waiting ?? null, plan && { ...plan, isPlain }, requested, by)
  if (change) await writeChanges(ctx, [change])
  else if (waiting) await dropChange(ctx, id)
  return change !== null
}

/** Then the contract is for nothing but the plan, and what it will cost under another is known beforehand. */
async function paysPlanPrice(ctx: Ctx, { planId, planVersion, priceMinor }: Subscription): Promise<boolean> {
  if (planId === null) return false
  const versions = await listPlanVersions(ctx, planId)
  return versions.find(({ version }) => version === planVersion)?.priceMinor === priceMinor
}

type RequestedPlan = Plan & { isPlain: boolean }

/**
 * What remains to be changed of all that is wanted; null when that is nothing. A price that is named is what a cycle costs in
 * all; that of a plan is of the plan's line alone, whatever else the contract costs.
 */
function changeOf(
  s: Subscription,
  waiting: Change | null,
  plan: RequestedPlan | null,
  requested: RequestedChange,
  by: Actor
): NewChange | null {
  const isOfPlan = plan !== null && requested.priceMinor === undefined
  const planPrice = plan?.isPlain ? plan.priceMinor : null
  const wanted = {
    planId: requested.planId ?? waiting?.planId ?? s.planId,
    priceMinor: isOfPlan ? planPrice : (requested.priceMinor ?? waiting?.priceMinor ?? null),
    interval: requested.interval ?? plan?.interval ?? waiting?.interval ?? s.interval,
    intervalCount:
      requested.intervalCount ??
      (requested.interval ? 1 : (plan?.intervalCount ?? waiting?.intervalCount ?? s.intervalCount)),
    // A price of one's own takes the place of that of a plan or a version.
    linePriceMinor: isOfPlan
      ? plan.priceMinor
      : requested.priceMinor === undefined
        ? (waiting?.linePriceMinor ?? null)
        : null,
    method: requested.platformPaymentMethodId ?? waiting?.platformPaymentMethodId ?? null
  }
  const isOtherCadence = wanted.interval !== s.interval || wanted.intervalCount !== s.intervalCount
  const isSamePlan = wanted.planId === s.planId
  const isSamePrice = wanted.priceMinor === s.priceMinor
  const change = {
    planId: isSamePlan ? null : wanted.planId,
    priceMinor: isSamePrice ? null : wanted.priceMinor,
    linePriceMinor: isSamePlan && isSamePrice ? null : wanted.linePriceMinor,
    interval: isOtherCadence ? wanted.interval : null,
    intervalCount: isOtherCadence ? wanted.intervalCount : null,
    platformPaymentMethodId: wanted.method
  }
  const isAny = Object.values(change).some((value) => value !== null)
  return isAny ? { subscriptionId: s.id, ...change, ...actorOf(by) } : null
}

function planFor({ currency }: Subscription, planId: number, plans: Plan[]): Plan {
  const plan = plans.find(({ id }) => id === planId)
  if (!plan) throw invalidField('plan_id', 'must be the id of a plan of this store')
  if (plan.status === 'disabled') throw invalidField('plan_id', 'must be the id of a plan that is enabled')
  if (plan.platformVariantId === null) throw invalidField('plan_id', 'must be the id of a membership plan')
  if (plan.currency !== currency) throw invalidField('plan_id', `must be the id of a plan in ${currency}`)
  return plan
}
