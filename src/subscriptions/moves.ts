import { enqueue } from '#kit/jobs'
import { type DomainEvent, record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { type StoreFacts, storeFacts } from '#stores'
import { billingDate, firstCycleAfter } from './billing-dates.ts'
import { subscriptionCancelled, subscriptionPaused, subscriptionResumed } from './events.ts'
import { markStates, refreshStandings, type SubscriptionState } from './queries.ts'
import type { Subscription } from './subscription.ts'

/** Who wants a move. What the platform tells us of need not be told to it again. */
export type Actor = 'api' | 'customer' | 'operator' | 'scheduler' | 'dunning' | 'platform'

/** A change of one locked subscription, ready to be written together with others. */
export type Planned = {
  before: Subscription
  after: Subscription & { cancelComment?: string | null }
  events: DomainEvent[]
}

type Times = { now: Temporal.Instant; store: StoreFacts }

/** A cycle that billing has had in hand is passed over: what becomes of its attempt has no say in what comes after the pause. */
export function planPause(s: Subscription, resumesAt: Temporal.Instant | null, { now, store }: Times): Planned {
  const isInBilling = s.billingDueAt === null || s.declines > 0
  const after = {
    ...s,
    ...stopped,
    status: 'paused' as const,
    nextCycle: isInBilling ? s.nextCycle + 1 : s.nextCycle,
    pausedAt: now,
    resumesAt,
    updatedAt: now
  }
  return { before: s, after, events: [subscriptionPaused(after, store.profile)] }
}

/** Cycles that fell into the pause are passed over; a date given by the caller becomes the new anchor. */
export function planResume(s: Subscription, nextBillingAt: Temporal.Instant | null, { now, store }: Times): Planned {
  const cycle = nextBillingAt ? s.nextCycle : firstCycleAfter(s, s.nextCycle, now, store.timezone)
  const at = nextBillingAt ?? billingDate(s, cycle, store.timezone)
  const after = {
    ...s,
    status: 'active' as const,
    pausedAt: null,
    resumesAt: null,
    nextCycle: cycle,
    nextBillingAt: at,
    billingDueAt: at,
    anchorAt: nextBillingAt ?? s.anchorAt,
    anchorCycle: nextBillingAt ? cycle : s.anchorCycle,
    declines: 0,
    updatedAt: now
  }
  return { before: s, after, events: [subscriptionResumed(after, now, store.profile)] }
}

export function planCancel(s: Subscription, reason: string, comment: string | null, { now, store }: Times): Planned {
  const after = {
    ...s,
    ...stopped,
    status: 'cancelled' as const,
    pausedAt: null,
    resumesAt: null,
    cancelledAt: now,
    cancelReason: reason,
    cancelComment: comment,
    updatedAt: now
  }
  return { before: s, after, events: [subscriptionCancelled(after, now, reason, store.profile)] }
}

/** Dunning gave up, or the fixed number of cycles is done: receivers see a cancellation, the state keeps the difference. */
export function planEnd(s: Subscription, status: 'failed' | 'expired', reason: string, { now, store }: Times): Planned {
  const ended = { cancelledAt: now, cancelReason: reason }
  const after = { ...s, ...stopped, ...ended, status, pausedAt: null, resumesAt: null, updatedAt: now }
  return { before: s, after, events: [subscriptionCancelled(after, now, reason, store.profile)] }
}

const stopped = { nextBillingAt: null, billingDueAt: null }

/** Writes planned changes: the rows, the members' standing, the facts, and what the platform must be told. */
export async function carryOut(ctx: Ctx, planned: Planned[], by: Actor): Promise<void> {
  await record(ctx, ...(await carryOutUntold(ctx, planned, by)))
}

/** The same, with the facts returned for a caller who has more to tell before them. */
export async function carryOutUntold(ctx: Ctx, planned: Planned[], by: Actor): Promise<DomainEvent[]> {
  if (planned.length === 0) return []
  await markStates(
    ctx,
    planned.map(({ after }): SubscriptionState => after)
  )
  const ofMembers = await refreshStandings(
    ctx,
    planned.map(({ before }) => before.memberId)
  )
  if (by !== 'platform') {
    const moved = planned.filter(({ before, after }) => before.status !== after.status || !sameDate(before, after))
    await pushContracts(
      ctx,
      moved.map(({ before }) => before.id)
    )
  }
  return [...planned.flatMap(({ events }) => events), ...ofMembers]
}

function sameDate(a: Subscription, b: Subscription): boolean {
  if (!a.nextBillingAt || !b.nextBillingAt) return a.nextBillingAt === b.nextBillingAt
  return a.nextBillingAt.equals(b.nextBillingAt)
}

export const PUSH_CONTRACT = 'push-contract'

/** Has the platform's contract brought in line with ours after the commit. */
export function pushContracts(ctx: Ctx, subscriptionIds: number[]): Promise<void> {
  return enqueue(
    ctx,
    PUSH_CONTRACT,
    subscriptionIds.map((id) => ({ key: String(id), payload: { subscriptionId: id } }))
  )
}

/** The times a plan needs: now, and the shop's zone and settings. */
export async function timesOf(ctx: Ctx): Promise<Times> {
  return { now: ctx.now, store: await storeFacts(ctx) }
}
