import { changesOf, subscriptionUpdated } from '../events/subscription-updated.ts'
import { activityMessages } from '../history/activity-messages.ts'
import { billingDate } from '../schedule/billing-dates.ts'
import { datesAt, type Subscription } from '../subscription.ts'
import { noDeclines, type PlanContext, type TransitionPlan } from './transition-plan.ts'

/**
 * The next cycle is never billed, and what it failed with is forgotten; the cycle after it keeps its date, and a trial its end: the
 * first charge of a trial cannot be skipped before it is due.
 */
export function planSkip(s: Subscription, { now, store }: PlanContext): TransitionPlan {
  const nextCycle = s.nextCycle + 1
  const at = billingDate(s, nextCycle, store.timezone)
  const after = { ...s, ...noDeclines, nextCycle, ...datesAt(s, at), updatedAt: now }
  return {
    before: s,
    after,
    events: [subscriptionUpdated(after, changesOf(s, after), store.profile)],
    activities: [activityMessages.skipped(s, after, store.timezone)]
  }
}

/** The next cycle is billed at `nextBillingAt`, and all later ones are counted from there. */
export function planReschedule(
  s: Subscription,
  nextBillingAt: Temporal.Instant,
  { now, store }: PlanContext
): TransitionPlan {
  const after = { ...rescheduledTo(nextBillingAt, s), nextBillingAt, billingDueAt: nextBillingAt, updatedAt: now }
  return {
    before: s,
    after,
    events: [subscriptionUpdated(after, changesOf(s, after), store.profile)],
    activities: [activityMessages.dateChanged(s, after, store.timezone)]
  }
}

/** With this date for the next cycle, and all later ones counted from there. */
export function rescheduledTo(date: Temporal.Instant, s: Subscription): Subscription {
  return { ...withTrialUntil(date, s), anchorAt: date, anchorCycle: s.nextCycle, pastDueCycle: null }
}

/** With the first charge at this date, which ends a trial: a date before its end makes it shorter, and nothing makes it longer. */
export function withTrialUntil(date: Temporal.Instant, s: Subscription): Subscription {
  if (s.trialEndsAt === null || s.cycleIndex > 0) return s
  return Temporal.Instant.compare(date, s.trialEndsAt) < 0 ? { ...s, trialEndsAt: date } : s
}
