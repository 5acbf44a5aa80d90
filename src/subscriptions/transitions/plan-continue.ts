import { subscriptionResumed } from '../events/subscription-resumed.ts'
import { reactivatedChanges, subscriptionUpdated } from '../events/subscription-updated.ts'
import { activityMessages } from '../history/activity-messages.ts'
import { billingDate, firstCycleAfter, isInPeriod } from '../schedule/billing-dates.ts'
import { datesAt, hasPaidAll, type Subscription } from '../subscription.ts'
import { rescheduledTo, withTrialUntil } from './plan-date.ts'
import { noDeclines, type PlanContext, type TransitionPlan } from './transition-plan.ts'
import { hasUnpaidTrial, isInTrial } from './transitions.ts'

/** How long a past due cycle waits when a subscription continues: its customer sees the date, and can bring another card. */
const PAST_DUE_AFTER_HOURS = 24

/** How long a charge that is due waits at most for the platform's contract to become active again. */
const PLATFORM_UPDATE_MINUTES = 15

/**
 * Continues billing at `nextBillingAt`, which becomes the new anchor, or at the next date of the series when that is null.
 * Cycles whose dates are in the pause are missed. `pausedUntil`: the last moment of the pause.
 */
export function planResume(
  s: Subscription,
  nextBillingAt: Temporal.Instant | null,
  context: PlanContext,
  pausedUntil: Temporal.Instant = context.now
): TransitionPlan {
  const { now, store } = context
  const after = { ...continued(s, nextBillingAt, context, pausedUntil), pausedAt: null, resumesAt: null }
  return {
    before: s,
    after,
    events: [subscriptionResumed(after, now, store.profile)],
    activities: [activityMessages.resumed(s, after, store.timezone)]
  }
}

/** Takes a cancellation back. Cycles whose dates were in between are missed. */
export function planReactivate(s: Subscription, context: PlanContext): TransitionPlan {
  const { now, store } = context
  const after = {
    ...continued(s, null, context, now),
    cancelledAt: null,
    cancelReason: null,
    cancelComment: null,
    graceEndsAt: null
  }
  return {
    before: s,
    after,
    events: [subscriptionUpdated(after, reactivatedChanges(s, after), store.profile)],
    activities: [activityMessages.reactivated(s, after, store.timezone)]
  }
}

/**
 * Active again: at the date given; or a day later with the cycle that is past due, at the same step of its retries, if its period still
 * runs then; or from the first date of the series after `from`. Continuing never charges anything at once by itself.
 */
function continued(
  s: Subscription,
  given: Temporal.Instant | null,
  { now, store }: PlanContext,
  from: Temporal.Instant
): Subscription {
  const active = { ...s, status: 'active' as const, pastDueCycle: null, pausedByDunning: false, updatedAt: now }
  const pastDueAt = now.add({ hours: PAST_DUE_AFTER_HOURS })
  const stillRuns = (cycle: number | null) => cycle !== null && isInPeriod(s, cycle, pastDueAt, store.timezone)
  const pastDueCycle = [s.pastDueCycle, firstChargeOf(s, now, store.timezone)].find(stillRuns)
  if (!given && pastDueCycle) {
    return { ...active, nextCycle: pastDueCycle, pastDueCycle, nextBillingAt: pastDueAt, billingDueAt: pastDueAt }
  }
  const nextCycle = given || hasPaidAll(s) ? s.nextCycle : firstCycleAfter(s, s.nextCycle, from, store.timezone)
  const at = given ?? billingDate(s, nextCycle, store.timezone)
  const dated = given ? rescheduledTo(given, active) : withTrialUntil(at, active)
  const isAhead = Temporal.Instant.compare(at, now) > 0
  // The platform does not bill a contract that is paused there: what is due by now waits for the contract to be active.
  const waiting = isAhead ? {} : { billingDueAt: now.add({ minutes: PLATFORM_UPDATE_MINUTES }) }
  return { ...dated, nextCycle, ...datesAt(s, at), ...waiting, ...noDeclines }
}

/**
 * The cycle that is past due because a trial ended meanwhile: the one whose period runs now. Without it, whoever stops before the
 * first charge and goes on after it would have a longer trial.
 */
function firstChargeOf(s: Subscription, now: Temporal.Instant, timezone: string): number | null {
  if (!hasUnpaidTrial(s) || isInTrial(s, now)) return null
  const cycle = firstCycleAfter(s, s.nextCycle, now, timezone) - 1
  return cycle >= s.nextCycle ? cycle : null
}
