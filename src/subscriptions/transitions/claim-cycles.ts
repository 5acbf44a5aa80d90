import { record } from '#kit/outbox'
import { type Ctx, int, nullable, row, sql } from '#kit/postgres'
import { settingsOf } from '#stores'
import { lockDueSubscriptions } from '../lock-subscriptions.ts'
import { deriveMembershipStatuses } from '../membership-status/derive-membership-status.ts'
import { deferForChanges } from '../requested-changes.ts'
import { lastCycleDue } from '../schedule/billing-dates.ts'
import { scheduleSettings } from '../settings.ts'
import { hasPaidAll, holderOf, type Subscription } from '../subscription.ts'
import { applyTransitions } from './apply-transitions.ts'
import { planEnd } from './plan-stop.ts'
import { planContextOf } from './transition-plan.ts'
import { isDeclined } from './transitions.ts'

/** A cycle that has fallen due, handed to billing. */
export type DueCycle = { subscription: Subscription; cycle: number }

/**
 * Hands what has fallen due by now to billing, up to `limit`: it is not due again until billing has settled the cycle. Of
 * several cycles missed while the service was down only the latest is billed, or each after the other, as the store has set. A
 * subscription that has paid all its cycles expires instead. `looked`: how many rows were due.
 */
export async function claimDueCycles(ctx: Ctx, limit: number): Promise<{ cycles: DueCycle[]; looked: number }> {
  const locked = await lockDueSubscriptions(ctx, limit)
  if (locked.length === 0) return { cycles: [], looked: 0 }
  // A cycle that was declined is paid at its own price, and an end waits for nothing.
  const isDeferred = ({ subscription: s, hasChange }: (typeof locked)[number]) =>
    hasChange && !isDeclined(s) && !hasPaidAll(s)
  await deferForChanges(
    ctx,
    locked.filter(isDeferred).map(({ subscription }) => subscription.id)
  )
  const due = locked.filter((one) => !isDeferred(one)).map(({ subscription }) => subscription)
  const context = await planContextOf(ctx)
  const { timezone } = context.store
  const { catchUp } = await settingsOf(ctx, scheduleSettings)
  const cycles = due.map((subscription) => {
    // A retry is for the cycle that was declined, whatever has fallen due since.
    const isNext = catchUp === 'all' || isDeclined(subscription)
    const { nextCycle } = subscription
    return { subscription, cycle: isNext ? nextCycle : lastCycleDue(subscription, nextCycle, ctx.now, timezone) }
  })
  const over = cycles.filter(({ subscription }) => hasPaidAll(subscription))
  // Nothing that is due has an open attempt, so there is no billing to stop.
  await applyTransitions(
    ctx,
    over.map(({ subscription }) => planEnd(subscription, 'expired', 'expired', context)),
    'scheduler'
  )
  const billed = cycles.filter((c) => !over.includes(c))
  await markInBilling(
    ctx,
    billed.map(({ subscription, cycle }) => ({ id: subscription.id, nextCycle: cycle }))
  )
  return { cycles: billed, looked: locked.length }
}

/** Hands the next cycle of a locked subscription to billing before its time: nothing else falls due until it is settled. */
export function claimNextCycle(ctx: Ctx, { id, nextCycle }: Subscription): Promise<void> {
  return markInBilling(ctx, [{ id, nextCycle }])
}

async function markInBilling(ctx: Ctx, rows: { id: number; nextCycle: number }[]): Promise<void> {
  if (rows.length === 0) return
  await ctx.tx.run(sql`
    update subscriptions s
       set billing_due_at = null, payment_method_deadline = null, past_due_cycle = null, next_cycle = t.next_cycle,
           updated_at = ${ctx.now}
      from unnest(${rows.map((r) => r.id)}::bigint[], ${rows.map((r) => r.nextCycle)}::int[]) as t(id, next_cycle)
     where s.store_id = ${ctx.storeId} and s.id = t.id`)
}

/**
 * Makes charges due at once that are held or wait for a retry after a decline: their customer has brought a new payment
 * method. Others stay as they are. The attempt that follows is what receivers are notified of.
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
  await record(ctx, ...(await deriveMembershipStatuses(ctx, due.map(holderOf))))
}

/** Paused subscriptions get a cycle back that their pause had counted as missed, since no charge of it was ever sent. */
export async function reopenCycles(ctx: Ctx, rows: { id: number; cycle: number }[]): Promise<void> {
  if (rows.length === 0) return
  await ctx.tx.run(sql`
    update subscriptions s set next_cycle = t.cycle, updated_at = ${ctx.now}
      from unnest(${rows.map((r) => r.id)}::bigint[], ${rows.map((r) => r.cycle)}::int[]) as t(id, cycle)
     where s.store_id = ${ctx.storeId} and s.id = t.id and s.status = 'paused' and s.next_cycle = t.cycle + 1
       and t.cycle > s.cycle_index`)
}
