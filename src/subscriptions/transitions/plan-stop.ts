import { subscriptionCancelled } from '../events/subscription-cancelled.ts'
import { subscriptionCancelledAfterFailure } from '../events/subscription-cancelled-after-failure.ts'
import { subscriptionPaused } from '../events/subscription-paused.ts'
import { activityMessages } from '../history/activity-messages.ts'
import { lastCycleDue } from '../schedule/billing-dates.ts'
import type { Subscription } from '../subscription.ts'
import type { PlanContext, TransitionPlan } from './transition-plan.ts'
import { isInBilling } from './transitions.ts'

/** Only an active subscription has dates. */
const noDates = { nextBillingAt: null, billingDueAt: null, paymentMethodDeadline: null }

/**
 * Stops billing until `resumesAt`, or until someone resumes it when that is null. A cycle that is being charged counts as
 * missed, so that the result of its attempt does not decide what comes after the pause. Unpaid, it is past due if its period
 * still runs when the pause ends (docs/decisions/0010).
 */
export function planPause(s: Subscription, resumesAt: Temporal.Instant | null, context: PlanContext): TransitionPlan {
  const { now, store } = context
  const after = {
    ...s,
    ...noDates,
    status: 'paused' as const,
    nextCycle: isInBilling(s) ? s.nextCycle + 1 : s.nextCycle,
    pastDueCycle: pastDueCycleOf(s, context),
    pausedAt: now,
    resumesAt,
    updatedAt: now
  }
  return {
    before: s,
    after,
    events: [subscriptionPaused(after, store.profile)],
    activities: [activityMessages.paused(resumesAt, store.timezone)]
  }
}

/** `graceHours`: how long the cancellation can be taken back. */
export function planCancel(
  s: Subscription,
  reason: string,
  comment: string | null,
  context: PlanContext,
  graceHours = 0
): TransitionPlan {
  const { now, store } = context
  const after = {
    ...s,
    ...noDates,
    status: 'cancelled' as const,
    pastDueCycle: pastDueCycleOf(s, context),
    pausedByDunning: false,
    pausedAt: null,
    resumesAt: null,
    cancelledAt: now,
    cancelReason: reason,
    cancelComment: comment,
    graceEndsAt: graceHours > 0 ? now.add({ hours: graceHours }) : null,
    updatedAt: now
  }
  return {
    before: s,
    after,
    events: [subscriptionCancelled(after, now, reason, store.profile)],
    activities: [activityMessages.cancelled(reason, comment)]
  }
}

/**
 * Cancels one that has failed. It keeps when and why it ended, which receivers were notified of then. It cannot be taken back: cancelling
 * must not be a way back from exhausted retries.
 */
export function planCancelFailed(
  s: Subscription,
  reason: string,
  comment: string | null,
  context: PlanContext
): TransitionPlan {
  const plan = planCancel(s, reason, comment, context)
  const after = { ...plan.after, cancelledAt: s.cancelledAt, cancelReason: s.cancelReason }
  return { ...plan, after, events: [subscriptionCancelledAfterFailure(after)] }
}

/**
 * Retries are exhausted, or the fixed number of cycles is paid. Webhooks report a cancellation; the status here keeps the
 * difference.
 */
export function planEnd(
  s: Subscription,
  status: 'failed' | 'expired',
  reason: string,
  { now, store }: PlanContext
): TransitionPlan {
  const after = {
    ...s,
    ...noDates,
    status,
    pastDueCycle: null,
    pausedByDunning: false,
    pausedAt: null,
    resumesAt: null,
    cancelledAt: now,
    cancelReason: reason,
    updatedAt: now
  }
  return {
    before: s,
    after,
    events: [subscriptionCancelled(after, now, reason, store.profile)],
    activities: [activityMessages.ended(status, reason)]
  }
}

/** The cycle that is unpaid when a subscription stops: the one in billing, or one that is due and was not claimed yet. */
function pastDueCycleOf(s: Subscription, { now, store }: PlanContext): number | null {
  if (s.status !== 'active') return s.pastDueCycle
  if (isInBilling(s)) return s.nextCycle
  const isDue = s.nextBillingAt !== null && Temporal.Instant.compare(s.nextBillingAt, now) <= 0
  return isDue ? lastCycleDue(s, s.nextCycle, now, store.timezone) : null
}
