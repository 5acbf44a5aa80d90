import { Type } from 'typebox'
import { declareJob, enqueue } from '#kit/jobs'
import { type Fact, record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { type StoreContext, storeContext } from '#stores'
import { type ActivityMessage, type Actor, activityMessages, actorOf } from '../activity-messages.ts'
import { billingDate, firstCycleAfter, isInPeriod, lastCycleDue } from '../billing-dates.ts'
import { endChangesOf } from '../changes.ts'
import {
  changesOf,
  reactivatedChanges,
  subscriptionCancelled,
  subscriptionPaused,
  subscriptionResumed,
  subscriptionUpdated
} from '../events.ts'
import { refreshMembershipStatuses } from '../membership-status.ts'
import { markStates, type SubscriptionState } from '../queries.ts'
import { type NewActivity, recordActivities } from '../record-activity.ts'
import { datesAt, hasPaidAll, holderOf, type Subscription } from '../subscription.ts'
import { isFinal, isInBilling } from './transitions.ts'

/** A change of one locked subscription, ready to be written together with others. */
export type TransitionPlan = {
  before: Subscription
  after: Subscription & { cancelComment?: string | null }
  events: Fact[]
  activities: ActivityMessage[]
}

type PlanContext = { now: Temporal.Instant; store: StoreContext }

/**
 * A cycle that billing has had in hand is passed over: what becomes of its attempt has no say in what comes after the pause.
 * Unpaid, it is owed if its period still runs when the pause ends (docs/decisions/0010).
 */
export function planPause(
  s: Subscription,
  resumesAt: Temporal.Instant | null,
  { now, store }: PlanContext
): TransitionPlan {
  const after = {
    ...s,
    ...stopped,
    status: 'paused' as const,
    nextCycle: isInBilling(s) ? s.nextCycle + 1 : s.nextCycle,
    pastDueCycle: pastDueCycleOf(s, { now, store }),
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

/**
 * Cycles that fell into the pause are passed over; a date given by the caller becomes the new anchor, and nothing is charged
 * before it. `pausedTo`: the last moment of the pause.
 */
export function planResume(
  s: Subscription,
  nextBillingAt: Temporal.Instant | null,
  { now, store }: PlanContext,
  pausedTo: Temporal.Instant = now
): TransitionPlan {
  const after = { ...continued(s, nextBillingAt, { now, store }, pausedTo), pausedAt: null, resumesAt: null }
  return {
    before: s,
    after,
    events: [subscriptionResumed(after, now, store.profile)],
    activities: [activityMessages.resumed(s, after, store.timezone)]
  }
}

/** Takes a cancellation back. Cycles that fell into it are passed over. */
export function planReactivate(s: Subscription, { now, store }: PlanContext): TransitionPlan {
  const after = {
    ...continued(s, null, { now, store }, now),
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

/** What is unpaid when one stops: the cycle that billing has in hand, or one that is due and was not taken up yet. */
function pastDueCycleOf(s: Subscription, { now, store }: PlanContext): number | null {
  if (s.status !== 'active') return s.pastDueCycle
  if (isInBilling(s)) return s.nextCycle
  const isDue = s.nextBillingAt !== null && Temporal.Instant.compare(s.nextBillingAt, now) <= 0
  return isDue ? lastCycleDue(s, s.nextCycle, now, store.timezone) : null
}

/**
 * Active again: at the date given, or a day later with the unpaid cycle whose period still runs then, where its dunning stood,
 * or from the first date of the series after `from`. Coming back never charges anything at once by itself.
 */
function continued(
  s: Subscription,
  given: Temporal.Instant | null,
  { now, store }: PlanContext,
  from: Temporal.Instant
): Subscription {
  const going = { ...s, status: 'active' as const, pastDueCycle: null, pausedByDunning: false, updatedAt: now }
  const pastDueAt = now.add({ hours: PAST_DUE_AFTER_HOURS })
  if (!given && s.pastDueCycle !== null && isInPeriod(s, s.pastDueCycle, pastDueAt, store.timezone)) {
    const pastDueCycle = s.pastDueCycle
    return { ...going, nextCycle: pastDueCycle, pastDueCycle, nextBillingAt: pastDueAt, billingDueAt: pastDueAt }
  }
  const nextCycle = given || hasPaidAll(s) ? s.nextCycle : firstCycleAfter(s, s.nextCycle, from, store.timezone)
  const at = given ?? billingDate(s, nextCycle, store.timezone)
  const moved = given ? rescheduledTo(given, going) : trialUntil(at, going)
  const isAhead = Temporal.Instant.compare(at, now) > 0
  // What is due by now is charged when the platform's contract, which stands still, has been told.
  const pendingEvents = isAhead ? {} : { billingDueAt: now.add({ minutes: PLATFORM_UPDATE_MINUTES }) }
  return { ...moved, nextCycle, ...datesAt(s, at), ...pendingEvents, ...noDeclines }
}

/** How long what is owed waits when a subscription comes back: its customer sees the date, and can bring another card before. */
const PAST_DUE_AFTER_HOURS = 24

/** How long a charge waits at most that is due when its contract is about to be told that it is active again. */
const PLATFORM_UPDATE_MINUTES = 15

/** The next cycle is not billed; the one after it keeps its date. */
export function planSkip(s: Subscription, { now, store }: PlanContext): TransitionPlan {
  const nextCycle = s.nextCycle + 1
  const at = billingDate(s, nextCycle, store.timezone)
  const after = { ...trialUntil(at, s), nextCycle, ...datesAt(s, at), updatedAt: now }
  return {
    before: s,
    after,
    events: [subscriptionUpdated(after, changesOf(s, after), store.profile)],
    activities: [activityMessages.skipped(s, after, store.timezone)]
  }
}

/** The next cycle is billed on this date, and all after it are counted from there. */
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

/** `graceHours`: how long it can be taken back. */
export function planCancel(
  s: Subscription,
  reason: string,
  comment: string | null,
  { now, store }: PlanContext,
  graceHours = 0
): TransitionPlan {
  const after = {
    ...s,
    ...stopped,
    status: 'cancelled' as const,
    pastDueCycle: pastDueCycleOf(s, { now, store }),
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

/** Dunning gave up, or the fixed number of cycles is done: receivers see a cancellation, the state keeps the difference. */
export function planEnd(
  s: Subscription,
  status: 'failed' | 'expired',
  reason: string,
  { now, store }: PlanContext
): TransitionPlan {
  const ended = { cancelledAt: now, cancelReason: reason }
  const nothingPastDue = { pastDueCycle: null, pausedByDunning: false }
  const after = {
    ...s,
    ...stopped,
    ...ended,
    ...nothingPastDue,
    status,
    pausedAt: null,
    resumesAt: null,
    updatedAt: now
  }
  return {
    before: s,
    after,
    events: [subscriptionCancelled(after, now, reason, store.profile)],
    activities: [activityMessages.ended(status, reason)]
  }
}

const stopped = { nextBillingAt: null, billingDueAt: null, paymentMethodDeadline: null }
/** Of the cycle that is next. */
export const noDeclines = { declines: 0, inventoryFailures: 0, paymentMethodDeadline: null }

/** With this date for the next cycle, and all after it counted from there. */
export function rescheduledTo(date: Temporal.Instant, s: Subscription): Subscription {
  return { ...trialUntil(date, s), anchorAt: date, anchorCycle: s.nextCycle, pastDueCycle: null }
}

/** A trial lasts until its first charge. */
function trialUntil(date: Temporal.Instant, s: Subscription): Subscription {
  return s.trialEndsAt !== null && s.cycleIndex === 0 ? { ...s, trialEndsAt: date } : s
}

/** Writes planned changes: the rows, the members' standing, the facts, the history, and what the platform must be told. */
export async function applyTransitions(ctx: Ctx, plans: TransitionPlan[], by: Actor): Promise<void> {
  const { pendingEvents, activities } = await applyTransitionsUnrecorded(ctx, plans, by)
  await record(ctx, ...pendingEvents)
  await recordActivities(ctx, activities)
}

/** What is still to be recorded of changes that were made. */
export type PendingEvents = { pendingEvents: Fact[]; activities: NewActivity[] }

/** The same, with facts and history returned for a caller who has more to tell before them. */
export async function applyTransitionsUnrecorded(ctx: Ctx, plans: TransitionPlan[], by: Actor): Promise<PendingEvents> {
  if (plans.length === 0) return { pendingEvents: [], activities: [] }
  await markStates(
    ctx,
    plans.map(({ after }): SubscriptionState => after)
  )
  await endChangesOf(
    ctx,
    plans.filter(({ after }) => isFinal(after)).map(({ before }) => before.id)
  )
  const ofMembers = await refreshMembershipStatuses(
    ctx,
    plans.map(({ before }) => holderOf(before))
  )
  if (actorOf(by).actor !== 'platform') {
    const moved = plans.filter(({ before, after }) => before.status !== after.status || !sameDate(before, after))
    await pushContracts(
      ctx,
      moved.map(({ before }) => before.id)
    )
  }
  return {
    pendingEvents: [...plans.flatMap(({ events }) => events), ...ofMembers],
    activities: plans.flatMap(({ before, activities }) =>
      activities.map(({ by: other, ...message }) => ({
        ...message,
        ...actorOf(other ?? by),
        subscriptionId: before.id
      }))
    )
  }
}

function sameDate(a: Subscription, b: Subscription): boolean {
  if (!a.nextBillingAt || !b.nextBillingAt) return a.nextBillingAt === b.nextBillingAt
  return a.nextBillingAt.equals(b.nextBillingAt)
}

/** Makes the platform's contract agree with the subscription: status and next date. */
export const pushContractJob = declareJob('push-contract', Type.Object({ subscriptionId: Type.Integer() }), {
  priority: 'high',
  dedupe: ({ subscriptionId }) => subscriptionId
})

/** Has the platform's contract brought in line with ours after the commit. */
export function pushContracts(ctx: Ctx, subscriptionIds: number[]): Promise<void> {
  return enqueue(
    ctx,
    pushContractJob,
    subscriptionIds.map((subscriptionId) => ({ subscriptionId }))
  )
}

/** The times a plan needs: now, and the shop's zone and settings. */
export async function planContextOf(ctx: Ctx): Promise<PlanContext> {
  return { now: ctx.now, store: await storeContext(ctx) }
}
