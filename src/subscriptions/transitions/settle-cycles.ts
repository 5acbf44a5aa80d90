import type { Ctx } from '#kit/postgres'
import { type StoreContext, storeContext } from '#stores'
import { subscriptionActivated } from '../events/subscription-activated.ts'
import { activityMessages, actorOf } from '../history/activity-messages.ts'
import { deriveMembershipStatuses } from '../membership-status/derive-membership-status.ts'
import { enqueueContractPush } from '../platform-requests.ts'
import { enqueueWaitingEdits } from '../requested-changes.ts'
import { billingDate, isInPeriod } from '../schedule/billing-dates.ts'
import { datesAt, hasPaidAll, holderOf, type PaymentMethod, type Subscription } from '../subscription.ts'
import { applyTransitionsUnrecorded, markStates, type PendingEvents } from './apply-transitions.ts'
import { planResume } from './plan-continue.ts'
import { type Ending, planRetriesExhausted } from './plan-retries-exhausted.ts'
import { noDeclines, type PlanContext, type TransitionPlan } from './transition-plan.ts'
import { isDeclined, isInBilling, isOver } from './transitions.ts'

/** What billing reports of a cycle that it was handed. */
export type CycleResult = { subscriptionId: number; cycle: number } & (
  | { outcome: 'paid'; paymentMethod: PaymentMethod | null }
  /**
   * Declined, to be tried again at `retryAt`. Without a retry it is held until `paymentMethodDeadline`, or without an end when
   * that is null too. `counts` is null for an attempt outside the retry schedule.
   */
  | {
      outcome: 'declined'
      retryAt: Temporal.Instant | null
      paymentMethodDeadline: Temporal.Instant | null
      counts: DeclineCounter | null
    }
  /** Declined for the last time. */
  | { outcome: 'retries_exhausted'; counts: DeclineCounter | null; ending: Ending; reason: string }
)

/** Each counter has a retry schedule of its own. */
export type DeclineCounter = 'declines' | 'inventoryFailures'

/**
 * Writes billing's results to the schedule: the next date from the anchor after a payment, a retry or a hold after a decline,
 * the end when retries are exhausted. A subscription that was cancelled or paused during its charge keeps its status. `held`: the
 * subscriptions, which the caller has locked. Returns them as they are now, and the facts and history of first payments and
 * endings: the caller records these after the charge, which they follow from.
 */
export async function settleCycles(
  ctx: Ctx,
  results: CycleResult[],
  held: Subscription[]
): Promise<{ after: Map<number, Subscription> } & PendingEvents> {
  const context = { now: ctx.now, store: await storeContext(ctx) }
  const byId = Map.groupBy(
    results.toSorted((a, b) => a.cycle - b.cycle),
    ({ subscriptionId }) => subscriptionId
  )
  const locked = held.filter(({ id }) => byId.has(id))
  // One subscription may have several results: a late one of an older cycle beside that of the current one.
  const states = locked.map((subscription) =>
    byId.get(subscription.id)!.reduce((s, result) => stateAfter(s, result, context), subscription)
  )
  await markStates(ctx, states)
  const ofMembers = await deriveMembershipStatuses(ctx, states.map(holderOf))
  await requestContractUpdates(
    ctx,
    context.store,
    locked,
    states.filter((s) => byId.get(s.id)!.some(({ outcome }) => outcome === 'paid'))
  )

  const after = new Map(states.map((s) => [s.id, s]))
  const plans = [
    ...states.flatMap((s) => planEnding(s, byId.get(s.id)!, context) ?? []),
    ...locked.flatMap((before) => planRevival(before, after.get(before.id)!, context) ?? [])
  ]
  // An attempt whose result ends a subscription was its only open one, so there is no billing to stop.
  const ofPlans = await applyTransitionsUnrecorded(ctx, plans, 'dunning')
  for (const plan of plans) after.set(plan.after.id, plan.after)
  const started = locked.filter((before) => isFirstPayment(before, after.get(before.id)!))
  // A trial was active before its first payment.
  const activated = started.filter(({ trialEndsAt }) => trialEndsAt === null)
  return {
    after,
    pendingEvents: [
      ...activated.map(({ id }) => subscriptionActivated(after.get(id)!, ctx.now, context.store.profile)),
      ...ofMembers,
      ...ofPlans.pendingEvents
    ],
    activities: [
      ...started.map(({ id, trialEndsAt }) => ({
        ...(trialEndsAt === null ? activityMessages.activated() : activityMessages.trialEnded()),
        ...actorOf('scheduler'),
        subscriptionId: id
      })),
      ...ofPlans.activities
    ]
  }
}

/** The contract gets the next date of what was paid; changes that waited for the end of billing are tried again. */
async function requestContractUpdates(
  ctx: Ctx,
  { restoredAt }: StoreContext,
  before: Subscription[],
  paid: Subscription[]
): Promise<void> {
  // The platform does not accept a date that is not ahead.
  const isAhead = (at: Temporal.Instant | null) => at !== null && Temporal.Instant.compare(at, ctx.now) > 0
  // While a restored store follows its platform, a push that waits would make our older status and date count there.
  if (restoredAt === null) {
    await enqueueContractPush(
      ctx,
      paid.filter((s) => s.status === 'active' && isAhead(s.nextBillingAt)).map(({ id }) => id)
    )
  }
  await enqueueWaitingEdits(
    ctx,
    before.filter(isDeclined).map(({ id }) => id)
  )
}

function planEnding(s: Subscription, results: CycleResult[], context: PlanContext): TransitionPlan | null {
  const result = results.find(({ cycle }) => cycle === s.nextCycle)
  if (result?.outcome !== 'retries_exhausted' || s.status !== 'active') return null
  return planRetriesExhausted(s, result, context)
}

/**
 * Dunning had paused the subscription, not a person, and the cycle that caused it is paid after all: while the period of that
 * cycle runs, its member has what they paid for.
 */
function planRevival(before: Subscription, after: Subscription, context: PlanContext): TransitionPlan | null {
  const { now, store } = context
  const { pastDueCycle: cycle } = before
  if (!before.pausedByDunning || cycle === null || after.pastDueCycle !== null) return null
  if (!isInPeriod(after, cycle, now, store.timezone)) return null
  const plan = planResume(after, null, context)
  return { ...plan, activities: [activityMessages.paidAfterAll(cycle, plan.after.nextBillingAt, store.timezone)] }
}

/** One that ended while the charge was under way does not begin any more. */
function isFirstPayment(before: Subscription, after: Subscription): boolean {
  return before.cycleIndex === 0 && after.cycleIndex > 0 && !isOver(after.status)
}

function stateAfter(s: Subscription, result: CycleResult, { now, store }: PlanContext): Subscription {
  return result.outcome === 'paid'
    ? stateAfterPayment(s, result, now, store.timezone)
    : stateAfterDecline(s, result, now)
}

function stateAfterPayment(
  s: Subscription,
  result: Extract<CycleResult, { outcome: 'paid' }>,
  now: Temporal.Instant,
  timezone: string
): Subscription {
  const cycleIndex = Math.max(s.cycleIndex, result.cycle)
  const isPastDue = result.cycle === s.pastDueCycle
  const paid = {
    ...s,
    ...(isPastDue ? { ...noDeclines, pastDueCycle: null } : {}),
    cycleIndex,
    cyclesPaid: s.cyclesPaid + 1,
    paymentMethod: result.paymentMethod ?? s.paymentMethod,
    updatedAt: now
  }
  // A late payment of an older cycle must not wind the series back, nor end the dunning of the current one.
  if (result.cycle < s.nextCycle) {
    return { ...paid, ...(hasPaidAll(paid) && !isInBilling(s) ? { nextBillingAt: null } : {}) }
  }
  const nextCycle = cycleIndex + 1
  const dates = s.status === 'active' ? datesAt(paid, billingDate(s, nextCycle, timezone)) : {}
  return { ...paid, ...noDeclines, nextCycle, ...dates }
}

function stateAfterDecline(
  s: Subscription,
  result: Exclude<CycleResult, { outcome: 'paid' }>,
  now: Temporal.Instant
): Subscription {
  const counted = result.counts === null ? {} : { [result.counts]: s[result.counts] + 1 }
  if (s.status !== 'active' && result.cycle === s.pastDueCycle) return { ...s, ...counted, updatedAt: now }
  // The result of a missed cycle says nothing about the one that is next.
  if (result.cycle !== s.nextCycle) return s
  const isRetried = s.status === 'active' && result.outcome === 'declined'
  const retryAt = isRetried ? result.retryAt : null
  return {
    ...s,
    ...counted,
    pastDueCycle: null,
    paymentMethodDeadline: isRetried && retryAt === null ? result.paymentMethodDeadline : null,
    nextBillingAt: retryAt,
    billingDueAt: retryAt,
    updatedAt: now
  }
}
