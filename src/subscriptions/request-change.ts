import type { Ctx } from '#kit/postgres'
import { invalidField } from '#kit/refusal'
import { listPlans, type Plan } from '#plans'
import type { Interval } from '#platform'
import { type Actor, named } from './activity-lines.ts'
import { type Change, dropChange, listChanges, type NewChange, writeChanges } from './changes.ts'
import { lockSubscriptions } from './queries.ts'
import { mustAllow, subscriptionNotFound } from './refusals.ts'
import type { Subscription } from './subscription.ts'

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
  const change = changeOf(subscription, waiting ?? null, plan, wish, by)
  if (change) await writeChanges(ctx, [change])
  else if (waiting) await dropChange(ctx, id)
  return change !== null
}

/** What remains to be changed of all that is wanted; null when that is nothing. */
function changeOf(s: Subscription, waiting: Change | null, plan: Plan | null, wish: Wish, by: Actor): NewChange | null {
  const wanted = {
    planId: wish.planId ?? waiting?.planId ?? s.planId,
    priceMinor: wish.priceMinor ?? plan?.priceMinor ?? waiting?.priceMinor ?? s.priceMinor,
    interval: wish.interval ?? plan?.interval ?? waiting?.interval ?? s.interval,
    intervalCount:
      wish.intervalCount ?? (wish.interval ? 1 : (plan?.intervalCount ?? waiting?.intervalCount ?? s.intervalCount)),
    // A price of one's own takes the place of that of a version.
    linePriceMinor: wish.priceMinor === undefined && !plan ? (waiting?.linePriceMinor ?? null) : null,
    method: wish.platformPaymentMethodId ?? waiting?.platformPaymentMethodId ?? null
  }
  const isOtherRhythm = wanted.interval !== s.interval || wanted.intervalCount !== s.intervalCount
  const change = {
    planId: wanted.planId === s.planId ? null : wanted.planId,
    priceMinor: wanted.priceMinor === s.priceMinor ? null : wanted.priceMinor,
    linePriceMinor: wanted.linePriceMinor,
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
