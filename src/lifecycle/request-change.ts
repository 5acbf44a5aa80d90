import type { Ctx } from '#kit/postgres'
import { invalidField } from '#kit/refusal'
import { assertHolderAllowed } from '#members'
import { listPlans, listPlanVersions, type Plan } from '#plans'
import type { Interval } from '#platform'
import {
  type Actor,
  actorOf,
  type Change,
  holderOf,
  listChanges,
  lockSubscription,
  type Subscription
} from '#subscriptions'
import { assertAllowed, dropChange, type NewChange, writeChanges } from '#subscriptions/transitions'

/** The terms that are to be different; what is left out stays. */
export type RequestedChange = {
  planId?: number
  priceMinor?: number
  interval?: Interval
  intervalCount?: number
  /** The platform's id of the payment method, as it writes it. */
  platformPaymentMethodId?: string
}

/**
 * Requests other terms, which hold from the next cycle on: the platform's contract is edited after the commit, and the
 * subscription follows it. Terms that were requested before and are not made yet stay requested where this says nothing of them.
 * A plan brings its price and interval along unless they are given too. Returns whether anything is to be changed.
 */
export async function requestChange(ctx: Ctx, id: number, requested: RequestedChange, by: Actor): Promise<boolean> {
  const subscription = await lockSubscription(ctx, id)
  const { platformPaymentMethodId, ...terms } = requested
  if (Object.values(terms).some((value) => value !== undefined)) assertAllowed('change_terms', subscription, ctx.now)
  if (platformPaymentMethodId !== undefined) assertAllowed('change_payment', subscription, ctx.now)

  const [waiting] = await listChanges(ctx, [id])
  const plan = requested.planId === undefined ? null : planFor(subscription, requested.planId, await listPlans(ctx))
  if (plan && plan.id !== subscription.planId) await assertHolderAllowed(ctx, plan, holderOf(subscription))
  const isPlain = plan !== null && (await paysPlanPrice(ctx, subscription))
  const change = planChange(subscription, waiting ?? null, plan && { ...plan, isPlain }, requested, by)
  if (change) await writeChanges(ctx, [change])
  else if (waiting) await dropChange(ctx, id)

  return change !== null
}

/** Whether the contract is for nothing but its plan, so that its price under another plan is known beforehand. */
async function paysPlanPrice(ctx: Ctx, { planId, planVersion, priceMinor }: Subscription): Promise<boolean> {
  if (planId === null) return false
  const versions = await listPlanVersions(ctx, planId)
  return versions.find(({ version }) => version === planVersion)?.priceMinor === priceMinor
}

type RequestedPlan = Plan & { isPlain: boolean }

/**
 * What is to be changed in all, with what was requested before; null when that is nothing. A price that is given is what a cycle
 * costs in all. The price of a plan is that of the plan's line alone, whatever else the contract costs.
 */
function planChange(
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
    // A price that is given replaces the price of a plan or a version.
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
