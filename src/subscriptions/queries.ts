import { type Ctx, directSql, instant, int, nullable, type Queries, type RowOf, row, sql, text } from '#kit/postgres'
import type { PaymentMethod, Subscription } from './subscription.ts'

/** Whose contract it is; not locked. */
export function findSubscriptionByContract(ctx: Ctx, contractId: string) {
  return ctx.tx.maybeOne(
    row({ id: int, memberId: int, customerPlatformId: text }),
    sql`
    select s.id, s.member_id, m.platform_customer_id as customer_platform_id
      from subscriptions s join members m on m.store_id = s.store_id and m.id = s.member_id
     where s.store_id = ${ctx.storeId} and s.platform_contract_id = ${contractId}`
  )
}

/** Holds cancelled subscriptions whose time for taking that back is over by now. */
export function lockEndedGraces(ctx: Ctx, limit: number): Promise<{ id: number }[]> {
  return ctx.tx.many(
    row({ id: int }),
    sql`
    select id from subscriptions
     where store_id = ${ctx.storeId} and grace_ends_at <= ${ctx.now}
     order by grace_ends_at, id limit ${limit} for update skip locked`
  )
}

export async function markGracesOver(ctx: Ctx, ids: number[]): Promise<void> {
  await ctx.tx.run(sql`
    update subscriptions set grace_ends_at = null
     where store_id = ${ctx.storeId} and id = any(${ids}::bigint[])`)
}

/** What a change leaves behind on a row. Everything else of the row stays. */
export type SubscriptionState = Pick<
  Subscription,
  | 'id'
  | 'status'
  | 'priceMinor'
  | 'anchorAt'
  | 'anchorCycle'
  | 'cycleIndex'
  | 'nextCycle'
  | 'nextBillingAt'
  | 'billingDueAt'
  | 'declines'
  | 'inventoryFailures'
  | 'paymentMethodDeadline'
  | 'cyclesPaid'
  | 'platformRevision'
  | 'pausedAt'
  | 'resumesAt'
  | 'cancelledAt'
  | 'cancelReason'
  | 'graceEndsAt'
  | 'trialEndsAt'
  | 'pastDueCycle'
  | 'pausedByDunning'
> & { cancelComment?: string | null; paymentMethod: PaymentMethod | null }

/** Writes states of locked rows in one statement. */
export async function markStates(ctx: Ctx, states: SubscriptionState[]): Promise<void> {
  await ctx.tx.run(sql`
    update subscriptions s
       set status = t.status, price_minor = t.price, anchor_at = t.anchor_at, anchor_cycle = t.anchor_cycle,
           cycle_index = t.cycle_index, next_cycle = t.next_cycle, next_billing_at = t.next_billing_at,
           billing_due_at = t.billing_due_at, declines = t.declines, inventory_failures = t.inventory_failures,
           payment_method_deadline = t.payment_method_deadline, cycles_paid = t.cycles_paid, platform_revision = t.revision,
           paused_at = t.paused_at, resumes_at = t.resumes_at, cancelled_at = t.cancelled_at,
           cancel_reason = t.cancel_reason,
           cancel_comment = case when t.cancelled_at is not null then coalesce(t.cancel_comment, s.cancel_comment) end,
           grace_ends_at = t.grace_ends_at, trial_ends_at = t.trial_ends_at, past_due_cycle = t.past_due_cycle,
           paused_by_dunning = t.paused_by_dunning, payment_method = t.payment_method::jsonb,
           updated_at = ${ctx.now}
      from unnest(${states.map((s) => s.id)}::bigint[], ${states.map((s) => s.status)}::text[],
                  ${states.map((s) => s.priceMinor)}::bigint[], ${states.map((s) => s.anchorAt)}::timestamptz[],
                  ${states.map((s) => s.anchorCycle)}::int[], ${states.map((s) => s.cycleIndex)}::int[],
                  ${states.map((s) => s.nextCycle)}::int[], ${states.map((s) => s.nextBillingAt)}::timestamptz[],
                  ${states.map((s) => s.billingDueAt)}::timestamptz[], ${states.map((s) => s.declines)}::int[],
                  ${states.map((s) => s.inventoryFailures)}::int[], ${states.map((s) => s.paymentMethodDeadline)}::timestamptz[],
                  ${states.map((s) => s.cyclesPaid)}::int[], ${states.map((s) => s.platformRevision)}::text[], ${states.map((s) => s.pausedAt)}::timestamptz[],
                  ${states.map((s) => s.resumesAt)}::timestamptz[], ${states.map((s) => s.cancelledAt)}::timestamptz[],
                  ${states.map((s) => s.cancelReason)}::text[], ${states.map((s) => s.cancelComment ?? null)}::text[],
                  ${states.map((s) => s.graceEndsAt)}::timestamptz[], ${states.map((s) => s.trialEndsAt)}::timestamptz[],
                  ${states.map((s) => s.pastDueCycle)}::int[], ${states.map((s) => s.pausedByDunning)}::boolean[],
                  ${states.map((s) => s.paymentMethod && JSON.stringify(s.paymentMethod))}::text[])
             as t(id, status, price, anchor_at, anchor_cycle, cycle_index, next_cycle, next_billing_at, billing_due_at,
                  declines, inventory_failures, payment_method_deadline, cycles_paid, revision, paused_at, resumes_at, cancelled_at, cancel_reason, cancel_comment, grace_ends_at, trial_ends_at,
                  past_due_cycle, paused_by_dunning, payment_method)
     where s.store_id = ${ctx.storeId} and s.id = t.id`)
}

/** Hands due rows to billing: nothing looks at them again until billing has settled. */
export async function markInBilling(ctx: Ctx, rows: { id: number; nextCycle: number }[]): Promise<void> {
  await ctx.tx.run(sql`
    update subscriptions s set billing_due_at = null, payment_method_deadline = null, past_due_cycle = null, next_cycle = t.next_cycle, updated_at = ${ctx.now}
      from unnest(${rows.map((r) => r.id)}::bigint[], ${rows.map((r) => r.nextCycle)}::int[]) as t(id, next_cycle)
     where s.store_id = ${ctx.storeId} and s.id = t.id`)
}

/** Gives paused rows back a cycle that their pause passed over although no charge of it ever left the house. */
export async function reopenCycles(ctx: Ctx, rows: { id: number; cycle: number }[]): Promise<void> {
  await ctx.tx.run(sql`
    update subscriptions s set next_cycle = t.cycle, updated_at = ${ctx.now}
      from unnest(${rows.map((r) => r.id)}::bigint[], ${rows.map((r) => r.cycle)}::int[]) as t(id, cycle)
     where s.store_id = ${ctx.storeId} and s.id = t.id and s.status = 'paused' and s.next_cycle = t.cycle + 1
       and t.cycle > s.cycle_index`)
}

const NextWork = row({
  due: nullable(instant),
  resume: nullable(instant),
  grace: nullable(instant),
  paymentDeadline: nullable(instant)
})

const nextWork = directSql<[storeId: number]>(
  'subscriptions_next_work',
  `select (select min(billing_due_at) from subscriptions where store_id = $1) as due,
          (select min(resumes_at) from subscriptions where store_id = $1) as resume,
          (select min(grace_ends_at) from subscriptions where store_id = $1) as grace,
          (select min(payment_method_deadline) from subscriptions where store_id = $1) as payment_deadline`
)

/** When this module next has something to do: a due charge, a pause that ends, a cancellation that becomes final, a charge given up. */
export function nextSubscriptionWork(direct: Queries, storeId: number): Promise<RowOf<typeof NextWork>> {
  return direct.one(NextWork, nextWork(storeId))
}
