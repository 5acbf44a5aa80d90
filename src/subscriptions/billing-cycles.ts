import { record } from '#kit/outbox'
import { type Ctx, int, nullable, row, sql } from '#kit/postgres'
import { settingsOf, storeContext } from '#stores'
import { type ActivityMessage, activityMessages, actorOf } from './activity-messages.ts'
import { billingDate, isInPeriod, lastCycleDue } from './billing-dates.ts'
import { deferForChanges, editWaitingContracts } from './changes.ts'
import { subscriptionActivated } from './events.ts'
import { lockDueSubscriptions, lockPastPaymentMethodDeadline } from './lock-subscriptions.ts'
import { refreshMembershipStatuses } from './membership-status.ts'
import { markInBilling, markStates } from './queries.ts'
import { scheduleSettings } from './settings.ts'
import { datesAt, hasPaidAll, holderOf, type PaymentMethod, type Subscription } from './subscription.ts'
import {
  applyTransitions,
  applyTransitionsUnrecorded,
  noDeclines,
  type PendingEvents,
  planCancel,
  planContextOf,
  planEnd,
  planPause,
  planResume,
  planSkip,
  pushContracts,
  type TransitionPlan
} from './transitions/transition-plans.ts'
import { isDeclined, isInBilling, isOver } from './transitions/transitions.ts'

/** A cycle that has fallen due, handed to billing. */
export type DueCycle = { subscription: Subscription; cycle: number }

/**
 * Hands over what has fallen due by now, up to `limit`. Of several cycles missed while the service was down only the
 * latest is billed, or each after the other, as the store has set. One that has had all its cycles expires instead.
 */
export async function claimDueCycles(ctx: Ctx, limit: number): Promise<{ cycles: DueCycle[]; looked: number }> {
  const locked = await lockDueSubscriptions(ctx, limit)
  if (locked.length === 0) return { cycles: [], looked: 0 }
  // A cycle that was declined is paid at its own price, and an end waits for nothing.
  const isHeld = ({ subscription: s, hasChange }: (typeof locked)[number]) =>
    hasChange && !isDeclined(s) && !hasPaidAll(s)
  await deferForChanges(
    ctx,
    locked.filter(isHeld).map(({ subscription }) => subscription.id)
  )
  const due = locked.filter((one) => !isHeld(one)).map(({ subscription }) => subscription)
  const times = await planContextOf(ctx)
  const { timezone } = times.store
  const { catchUp } = await settingsOf(ctx, scheduleSettings)
  const cycles = due.map((subscription) => {
    // A retry is for the cycle that was declined, whatever has fallen due since.
    const isNext = catchUp === 'all' || isDeclined(subscription)
    const { nextCycle } = subscription
    return { subscription, cycle: isNext ? nextCycle : lastCycleDue(subscription, nextCycle, ctx.now, timezone) }
  })
  const over = cycles.filter(({ subscription }) => hasPaidAll(subscription))
  await applyTransitions(
    ctx,
    over.map(({ subscription }) => planEnd(subscription, 'expired', 'expired', times)),
    'scheduler'
  )
  const billed = cycles.filter((c) => !over.includes(c))
  await markInBilling(
    ctx,
    billed.map(({ subscription, cycle }) => ({ id: subscription.id, nextCycle: cycle }))
  )
  return { cycles: billed, looked: locked.length }
}

/** What became of a cycle that billing was handed. */
export type CycleResult = { subscriptionId: number; cycle: number } & (
  | { outcome: 'paid'; paymentMethod: PaymentMethod | null }
  /**
   * Declined, to be tried again at `retryAt`, or held when that is null: until `paymentMethodDeadline`, or for as long as it takes. The
   * decline of an attempt outside the ladder counts as nothing.
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

/** Each has a ladder of its own. */
export type DeclineCounter = 'declines' | 'inventoryFailures'

/** `skip`: only the cycle is over. */
export type Ending = 'cancel' | 'pause' | 'fail' | 'skip'

/**
 * Takes billing's results: the next date from the anchor after a payment, a retry or a hold after a decline, the end
 * when dunning gave up. Returns the subscriptions as they are now, and facts and history of first payments and of endings: the
 * caller records them after its own, since the charge comes before what follows from it. One that was cancelled or paused while its charge was under way keeps
 * its status. `held`: the subscriptions, which the caller holds.
 */
export async function settleCycles(
  ctx: Ctx,
  results: CycleResult[],
  held: Subscription[]
): Promise<{ after: Map<number, Subscription> } & PendingEvents> {
  const store = await storeContext(ctx)
  const byId = Map.groupBy(
    results.toSorted((a, b) => a.cycle - b.cycle),
    ({ subscriptionId }) => subscriptionId
  )
  const locked = held.filter(({ id }) => byId.has(id))
  const times = { now: ctx.now, store }

  // One subscription may have several results: a late one of an older cycle beside that of the present one.
  const states = locked.map((subscription) =>
    byId.get(subscription.id)!.reduce((s, result) => stateAfter(s, result, ctx.now, store.timezone), subscription)
  )
  await markStates(ctx, states)
  const ofMembers = await refreshMembershipStatuses(ctx, states.map(holderOf))
  const paid = states.filter((s) => s.status === 'active' && byId.get(s.id)!.some(({ outcome }) => outcome === 'paid'))
  // A cycle that is due at once is not a date that the platform could take.
  await pushContracts(
    ctx,
    paid.filter((s) => s.nextBillingAt && Temporal.Instant.compare(s.nextBillingAt, ctx.now) > 0).map((s) => s.id)
  )

  await editWaitingContracts(
    ctx,
    locked.filter(isDeclined).map(({ id }) => id)
  )

  const after = new Map(states.map((s) => [s.id, s]))
  const endings = states.flatMap((s): TransitionPlan[] => {
    const result = byId.get(s.id)!.find(({ cycle }) => cycle === s.nextCycle)
    if (result?.outcome !== 'retries_exhausted' || s.status !== 'active') return []
    return [planEnding(s, result, times)]
  })
  const revivals = locked.flatMap((before) => revival(before, after.get(before.id)!, times) ?? [])
  const ofEndings = await applyTransitionsUnrecorded(ctx, [...endings, ...revivals], 'dunning')
  for (const { after: moved } of [...endings, ...revivals]) after.set(moved.id, moved)
  const begun = locked.filter((before) => isFirstPayment(before, after.get(before.id)!))
  // A trial was active before its first payment.
  const activated = begun
    .filter(({ trialEndsAt }) => trialEndsAt === null)
    .map(({ id }) => subscriptionActivated(after.get(id)!, ctx.now, store.profile))
  return {
    after,
    pendingEvents: [...activated, ...ofMembers, ...ofEndings.pendingEvents],
    activities: [
      ...begun.map(({ id, trialEndsAt }) => ({
        ...(trialEndsAt === null ? activityMessages.activated() : activityMessages.trialEnded()),
        ...actorOf('scheduler'),
        subscriptionId: id
      })),
      ...ofEndings.activities
    ]
  }
}

/**
 * Dunning had paused it, nobody else, and the cycle that it had given up is paid after all: while that one's period runs its
 * member has what they paid for.
 */
function revival(
  before: Subscription,
  after: Subscription,
  times: Awaited<ReturnType<typeof planContextOf>>
): TransitionPlan | null {
  const { now, store } = times
  const { pastDueCycle: cycle } = before
  if (!before.pausedByDunning || cycle === null || after.pastDueCycle !== null) return null
  if (!isInPeriod(after, cycle, now, store.timezone)) return null
  const planned = planResume(after, null, times)
  return { ...planned, activities: [activityMessages.paidAfterAll(cycle, planned.after.nextBillingAt, store.timezone)] }
}

/** What the store wants where a charge is given up. */
function planEnding(
  s: Subscription,
  { ending, reason }: { ending: Ending; reason: string },
  times: Awaited<ReturnType<typeof planContextOf>>
): TransitionPlan {
  const planned = {
    skip: () => planSkip({ ...s, ...noDeclines }, times),
    pause: () => pausedByDunning(planPause(s, null, times)),
    cancel: () => planCancel(s, reason, null, times),
    fail: () => planEnd(s, 'failed', reason, times)
  }[ending]()
  const retriesExhausted: ActivityMessage = {
    kind: 'retries_exhausted',
    text: `Gave up charging cycle ${s.nextCycle}: ${reason.replaceAll('_', ' ')}`,
    refs: { cycle: s.nextCycle, ending, reason }
  }
  return { ...planned, activities: [retriesExhausted, ...planned.activities] }
}

const pausedByDunning = (planned: TransitionPlan): TransitionPlan => ({
  ...planned,
  after: { ...planned.after, pausedByDunning: true }
})

/** Gives up the charges, up to `limit`, that have waited long enough for a new payment method. Returns how many. */
export async function endChargesPastDeadline(ctx: Ctx, limit: number, ending: Ending): Promise<number> {
  const held = await lockPastPaymentMethodDeadline(ctx, limit)
  if (held.length === 0) return 0
  const times = await planContextOf(ctx)
  await applyTransitions(
    ctx,
    held.map((s) => planEnding(s, { ending, reason: PAYMENT_FAILED }, times)),
    'dunning'
  )
  return held.length
}

/** One that ended while the charge was under way does not begin any more. */
function isFirstPayment(before: Subscription, after: Subscription): boolean {
  return before.cycleIndex === 0 && after.cycleIndex > 0 && !isOver(after.status)
}

function stateAfter(s: Subscription, result: CycleResult, now: Temporal.Instant, timezone: string): Subscription {
  if (result.outcome === 'paid') {
    const cycleIndex = Math.max(s.cycleIndex, result.cycle)
    const paymentMethod = result.paymentMethod ?? s.paymentMethod
    const cyclesPaid = s.cyclesPaid + 1
    const isPastDue = result.cycle === s.pastDueCycle
    const paid = {
      ...s,
      ...(isPastDue ? { ...noDeclines, pastDueCycle: null } : {}),
      cycleIndex,
      cyclesPaid,
      paymentMethod,
      updatedAt: now
    }
    // Late news of an older cycle must not wind the series back, nor end the dunning of the present one.
    if (result.cycle < s.nextCycle)
      return { ...paid, ...(hasPaidAll(paid) && !isInBilling(s) ? { nextBillingAt: null } : {}) }
    const nextCycle = cycleIndex + 1
    const dates = s.status === 'active' ? datesAt(paid, billingDate(s, nextCycle, timezone)) : {}
    return { ...paid, ...noDeclines, nextCycle, ...dates }
  }
  const counted = result.counts === null ? {} : { [result.counts]: s[result.counts] + 1 }
  if (s.status !== 'active' && result.cycle === s.pastDueCycle) return { ...s, ...counted, updatedAt: now }
  // A cycle that has been passed over has nothing to say about the one that is next.
  if (result.cycle !== s.nextCycle) return s
  const isActive = s.status === 'active'
  const retryAt = result.outcome === 'declined' && isActive ? result.retryAt : null
  const paymentMethodDeadline =
    result.outcome === 'declined' && isActive && retryAt === null ? result.paymentMethodDeadline : null
  return {
    ...s,
    ...counted,
    pastDueCycle: null,
    paymentMethodDeadline,
    nextBillingAt: retryAt,
    billingDueAt: retryAt,
    updatedAt: now
  }
}

/** Hands the next cycle of a locked subscription to billing before its time: nothing else falls due until it is settled. */
export function claimNextCycle(ctx: Ctx, { id, nextCycle }: Subscription): Promise<void> {
  return markInBilling(ctx, [{ id, nextCycle }])
}

/**
 * Makes charges due at once that are held or wait for a retry after a decline: their customer has brought a new payment
 * method. Others stay as they are. The attempt that follows is what is told of it.
 */
export async function markDueNow(ctx: Ctx, subscriptionIds: number[]): Promise<void> {
  if (subscriptionIds.length === 0) return
  const due = await ctx.tx.many(
    row({ memberId: int, receiverMemberId: nullable(int) }),
    sql`
    update subscriptions
       set billing_due_at = ${ctx.now}, next_billing_at = ${ctx.now}, payment_method_deadline = null, updated_at = ${ctx.now}
     where store_id = ${ctx.storeId} and id = any(${subscriptionIds}::bigint[])
       and status = 'active' and (billing_due_at is null or (declines > 0 and billing_due_at > ${ctx.now}))
    returning member_id, receiver_member_id`
  )
  await record(ctx, ...(await refreshMembershipStatuses(ctx, due.map(holderOf))))
}

/** Why a subscription ended whose charge was given up. */
export const PAYMENT_FAILED = 'payment_failed'
