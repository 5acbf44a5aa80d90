import type { Ctx } from '#kit/postgres'
import { invalidField } from '#kit/refusal'
import { mustBeForHolder } from '#members'
import { listPlans, listPlanVersions, type Plan } from '#plans'
import type { Interval } from '#platform'
import {
  type Actor,
  type Change,
  dropChange,
  holderOf,
  listChanges,
  lockSubscriptions,
  mustAllow,
  type NewChange,
  named,
  type Subscription,
  subscriptionNotFound,
  writeChanges
} from '#subscriptions'

/** What somebody wants to be different; what is left out stays. */
export type Wish = {
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
export async function requestChange(ctx: Ctx, id: number, wish: Wish, by: Actor): Promise<boolean> {
  const [subscription] = await lockSubscriptions(ctx, [id])
  if (!subscription) throw subscriptionNotFound(id)
  const { platformPaymentMethodId, ...terms } = wish
  if (Object.values(terms).some((value) => value !== undefined)) mustAllow('change_terms', subscription, ctx.now)
  if (platformPaymentMethodId !== undefined) mustAllow('change_payment', subscription, ctx.now)

  const [waiting] = await listChanges(ctx, [id])
  const plan = wish.planId === undefined ? null : planFor(subscription, wish.planId, await listPlans(ctx))
  if (plan && plan.id !== subscription.planId) await mustBeForHolder(ctx, plan, holderOf(subscription))
  const isPlain = plan !== null && (await paysPlanPrice(ctx, subscription))
  const change = changeOf(subscription, waiting ?? null, plan && { ...plan, isPlain }, wish, by)
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

type WantedPlan = Plan & { isPlain: boolean }

/**
 * What remains to be changed of all that is wanted; null when that is nothing. A price that is named is what a cycle costs in
 * all; that of a plan is of the plan's line alone, whatever else the contract costs.
 */
function changeOf(
  s: Subscription,
  waiting: Change | null,
  plan: WantedPlan | null,
  wish: Wish,
  by: Actor
): NewChange | null {
  const isOfPlan = plan !== null && wish.priceMinor === undefined
  const planPrice = plan?.isPlain ? plan.priceMinor : null
  const wanted = {
    planId: wish.planId ?? waiting?.planId ?? s.planId,
    priceMinor: isOfPlan ? planPrice : (wish.priceMinor ?? waiting?.priceMinor ?? null),
    interval: wish.interval ?? plan?.interval ?? waiting?.interval ?? s.interval,
    intervalCount:
      wish.intervalCount ?? (wish.interval ? 1 : (plan?.intervalCount ?? waiting?.intervalCount ?? s.intervalCount)),
    // A price of one's own takes the place of that of a plan or a version.
    linePriceMinor: isOfPlan
      ? plan.priceMinor
      : wish.priceMinor === undefined
        ? (waiting?.linePriceMinor ?? null)
        : null,
    method: wish.platformPaymentMethodId ?? waiting?.platformPaymentMethodId ?? null
  }
  const isOtherRhythm = wanted.interval !== s.interval || wanted.intervalCount !== s.intervalCount
  const isSamePlan = wanted.planId === s.planId
  const isSamePrice = wanted.priceMinor === s.priceMinor
  const change = {
    planId: isSamePlan ? null : wanted.planId,
    priceMinor: isSamePrice ? null : wanted.priceMinor,
    linePriceMinor: isSamePlan && isSamePrice ? null : wanted.linePriceMinor,
    interval: isOtherRhythm ? wanted.interval : null,
    intervalCount: isOtherRhythm ? wanted.intervalCount : null,
    platformPaymentMethodId: wanted.method
  }
  const isAny = Object.values(change).some((value) => value !== null)
  return isAny ? { subscriptionId: s.id, ...change, ...named(by) } : null
}

function planFor({ currency }: Subscription, planId: number, plans: Plan[]): Plan {
  const plan = plans.find(({ id }) => id === planId)
  if (!plan) throw invalidField('plan_id', 'takes the id of a plan of this store')
  if (plan.status === 'disabled') throw invalidField('plan_id', 'takes the id of a plan that is enabled')
  if (plan.platformVariantId === null) throw invalidField('plan_id', 'takes the id of a membership plan')
  if (plan.currency !== currency) throw invalidField('plan_id', `takes the id of a plan in ${currency}`)
  return plan
}
