import { record } from '#kit/outbox'
import { type Ctx, int, row, sql } from '#kit/postgres'
import { storeFacts } from '#stores'
import { lines, named } from './activity-lines.ts'
import { billingDate, lastCycleDue } from './billing-dates.ts'
import { subscriptionActivated } from './events.ts'
import {
  carryOut,
  carryOutUntold,
  type Planned,
  planCancel,
  planEnd,
  planPause,
  pushContracts,
  timesOf,
  type Untold
} from './moves.ts'
import { lockDueSubscriptions, lockSubscriptions, markInBilling, markStates, refreshStandings } from './queries.ts'
import type { PaymentMethod, Subscription } from './subscription.ts'
import { isOver } from './transitions.ts'

/** A cycle that has fallen due, handed to billing. */
export type DueCycle = { subscription: Subscription; cycle: number }

/**
 * Hands over what has fallen due by now, up to `limit`. Of several cycles missed while the service was down only the
 * latest is billed. One that has had all its cycles expires instead.
 */
export async function takeDueCycles(ctx: Ctx, limit: number): Promise<{ cycles: DueCycle[]; looked: number }> {
  const due = await lockDueSubscriptions(ctx, limit)
  if (due.length === 0) return { cycles: [], looked: 0 }
  const times = await timesOf(ctx)
  const cycles = due.map((subscription) => ({
    subscription,
    // A retry is for the cycle that was declined, whatever has fallen due since.
    cycle:
      subscription.declines > 0
        ? subscription.nextCycle
        : lastCycleDue(subscription, subscription.nextCycle, ctx.now, times.store.timezone)
  }))
  const over = cycles.filter(({ subscription: s, cycle }) => s.maxCycles !== null && cycle > s.maxCycles)
  await carryOut(
    ctx,
    over.map(({ subscription }) => planEnd(subscription, 'expired', 'expired', times)),
    'scheduler'
  )
  const billed = cycles.filter((c) => !over.includes(c))
  await markInBilling(
    ctx,
    billed.map(({ subscription, cycle }) => ({ id: subscription.id, nextCycle: cycle }))
  )
  return { cycles: billed, looked: due.length }
}

/** What became of a cycle that billing was handed. */
export type CycleResult = { subscriptionId: number; cycle: number } & (
  | { outcome: 'paid'; paymentMethod: PaymentMethod | null }
  /**
   * Declined, to be tried again at `retryAt`, or held until the customer brings a new payment method when that is null.
   * The decline of an attempt outside the ladder does not count.
   */
  | { outcome: 'declined'; retryAt: Temporal.Instant | null; countsDecline: boolean }
  /** Declined for the last time. */
  | { outcome: 'given_up'; ending: 'cancel' | 'pause' | 'fail' }
)

/**
 * Takes billing's results: the next date from the anchor after a payment, a retry or a hold after a decline, the end
 * when dunning gave up. Returns the subscriptions as they are now, and facts and history of first payments and of endings: the
 * caller records them after its own, since the charge comes before what follows from it. One that was cancelled or paused while its charge was under way keeps
 * its status.
 */
export async function settleCycles(
  ctx: Ctx,
  results: CycleResult[]
): Promise<{ after: Map<number, Subscription> } & Untold> {
  const store = await storeFacts(ctx)
  const byId = Map.groupBy(
    results.toSorted((a, b) => a.cycle - b.cycle),
    ({ subscriptionId }) => subscriptionId
  )
  const locked = await lockSubscriptions(ctx, [...byId.keys()])
  const times = { now: ctx.now, store }

  // One subscription may have several results: a late one of an older cycle beside that of the present one.
  const states = locked.map((subscription) =>
    byId.get(subscription.id)!.reduce((s, result) => stateAfter(s, result, ctx.now, store.timezone), subscription)
  )
  await markStates(ctx, states)
  const ofMembers = await refreshStandings(
    ctx,
    states.map((s) => s.memberId)
  )
  const paid = states.filter((s) => s.status === 'active' && byId.get(s.id)!.some(({ outcome }) => outcome === 'paid'))
  await pushContracts(
    ctx,
    paid.map((s) => s.id)
  )

  const after = new Map(states.map((s) => [s.id, s]))
  const endings = states.flatMap((s): Planned[] => {
    const result = byId.get(s.id)!.find(({ cycle }) => cycle === s.nextCycle)
    if (result?.outcome !== 'given_up' || s.status !== 'active') return []
    if (result.ending === 'pause') return [planPause(s, null, times)]
    return [
      result.ending === 'cancel'
        ? planCancel(s, 'payment_failed', null, times)
        : planEnd(s, 'failed', 'payment_failed', times)
    ]
  })
  const ofEndings = await carryOutUntold(ctx, endings, 'dunning')
  for (const { after: ended } of endings) after.set(ended.id, ended)
  const begun = locked.filter((before) => isFirstPayment(before, after.get(before.id)!))
  // A trial was active before its first payment.
  const activated = begun
    .filter(({ trialEndsAt }) => trialEndsAt === null)
    .map(({ id }) => subscriptionActivated(after.get(id)!, ctx.now, store.profile))
  return {
    after,
    told: [...activated, ...ofMembers, ...ofEndings.told],
    activities: [
      ...begun.map(({ id, trialEndsAt }) => ({
        ...(trialEndsAt === null ? lines.activated() : lines.trialEnded()),
        ...named('scheduler'),
        subscriptionId: id
      })),
      ...ofEndings.activities
    ]
  }
}

/** One that ended while the charge was under way does not begin any more. */
function isFirstPayment(before: Subscription, after: Subscription): boolean {
  return before.cycleIndex === 0 && after.cycleIndex > 0 && !isOver(after.status)
}

function stateAfter(s: Subscription, result: CycleResult, now: Temporal.Instant, timezone: string): Subscription {
  if (result.outcome === 'paid') {
    const cycleIndex = Math.max(s.cycleIndex, result.cycle)
    const paymentMethod = result.paymentMethod ?? s.paymentMethod
    // Late news of an older cycle must not wind the series back, nor end the dunning of the present one.
    if (result.cycle < s.nextCycle) return { ...s, cycleIndex, paymentMethod, updatedAt: now }
    const nextCycle = cycleIndex + 1
    const at = s.status === 'active' ? billingDate(s, nextCycle, timezone) : null
    return {
      ...s,
      cycleIndex,
      nextCycle,
      nextBillingAt: at,
      billingDueAt: at,
      declines: 0,
      paymentMethod,
      updatedAt: now
    }
  }
  // A cycle that has been passed over has nothing to say about the one that is next.
  if (result.cycle !== s.nextCycle) return s
  const retryAt = result.outcome === 'declined' && s.status === 'active' ? result.retryAt : null
  const declines = s.declines + (result.outcome === 'declined' && !result.countsDecline ? 0 : 1)
  return { ...s, declines, nextBillingAt: retryAt, billingDueAt: retryAt, updatedAt: now }
}

/** Hands the next cycle of a locked subscription to billing before its time: nothing else falls due until it is settled. */
export function takeNextCycle(ctx: Ctx, { id, nextCycle }: Subscription): Promise<void> {
  return markInBilling(ctx, [{ id, nextCycle }])
}

/**
 * Makes held subscriptions due at once: their customer has brought a new payment method. Others stay as they are. The
 * attempt that follows is what is told of it.
 */
export async function markDueNow(ctx: Ctx, subscriptionIds: number[]): Promise<void> {
  if (subscriptionIds.length === 0) return
  const due = await ctx.tx.many(
    row({ memberId: int }),
    sql`
    update subscriptions set billing_due_at = ${ctx.now}, next_billing_at = ${ctx.now}, updated_at = ${ctx.now}
     where store_id = ${ctx.storeId} and id = any(${subscriptionIds}::bigint[])
       and status = 'active' and billing_due_at is null and declines > 0
    returning member_id`
  )
  await record(
    ctx,
    ...(await refreshStandings(
      ctx,
      due.map((s) => s.memberId)
    ))
  )
}
