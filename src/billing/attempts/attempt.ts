import { bool, type Ctx, instant, int, json, nullable, oneOf, type RowOf, row, sql, text } from '#kit/postgres'
import type { PaymentMethod, Subscription } from '#subscriptions'

export const Attempt = row({
  id: int,
  subscriptionId: int,
  cycleIndex: int,
  attemptNumber: int,
  status: oneOf('pending', 'success', 'failed'),
  idempotencyKey: text,
  amountMinor: int,
  currency: text,
  scheduledAt: instant,
  submittedAt: nullable(instant),
  platformAttemptId: nullable(text),
  orderId: nullable(int),
  paymentMethod: nullable(json<PaymentMethod>()),
  /** When a success was reported after a failure of the attempt. */
  lateSuccessAt: nullable(instant),
  /** Requested by a person, outside the retry schedule. */
  manual: bool,
  /** The retry of the schedule that waits for a manual attempt's result. */
  ladderRetryAt: nullable(instant),
  /** A new payment method arrived while the attempt was open. */
  newPaymentMethod: bool,
  /** Where the customer confirms the payment. `actionRequiredAt` is null when the payment does not wait for that. */
  actionUrl: nullable(text),
  actionRequiredAt: nullable(instant),
  actionReminders: int
})
export type Attempt = RowOf<typeof Attempt>

export type NewAttempt = {
  subscriptionId: number
  platformContractId: string
  cycle: number
  cycleAt: Temporal.Instant
  amountMinor: number
  currency: string
  /** Tries that the retry schedule has after this one. */
  attemptsRemaining: number
  manual?: boolean
  ladderRetryAt?: Temporal.Instant | null
}

/**
 * Opens one attempt per cycle, numbered after those that the cycle has had. A cycle with an open or a paid attempt gets none:
 * the settlement of that one decides what is next. The key names contract, cycle and number, so that a repeated call cannot
 * charge twice, not even after a restore from a backup. Amount and date are those of the cycle's first attempt.
 */
export function insertAttempts(ctx: Ctx, rows: NewAttempt[]): Promise<Attempt[]> {
  return ctx.tx.many(
    Attempt,
    sql`
    insert into billing_attempts (store_id, subscription_id, cycle_index, attempt_number, status, idempotency_key,
      amount_minor, currency, cycle_at, attempts_remaining, manual, ladder_retry_at, scheduled_at, check_at, created_at)
    select ${ctx.storeId}, t.subscription_id, t.cycle, n.number, 'pending',
           'svc-' || t.contract || '-' || t.cycle || '-' || n.number, coalesce(n.amount, t.amount), t.currency,
           coalesce(n.cycle_at, t.cycle_at), t.remaining,
           t.manual, t.ladder_retry_at, ${ctx.now}, ${ctx.now}, ${ctx.now}
      from unnest(${rows.map((r) => r.subscriptionId)}::bigint[], ${rows.map((r) => r.platformContractId)}::text[],
                  ${rows.map((r) => r.cycle)}::int[], ${rows.map((r) => r.amountMinor)}::bigint[],
                  ${rows.map((r) => r.currency)}::text[], ${rows.map((r) => r.cycleAt)}::timestamptz[],
                  ${rows.map((r) => r.attemptsRemaining)}::int[],
                  ${rows.map((r) => r.manual ?? false)}::boolean[],
                  ${rows.map((r) => r.ladderRetryAt ?? null)}::timestamptz[]) with ordinality
             as t(subscription_id, contract, cycle, amount, currency, cycle_at, remaining, manual, ladder_retry_at, position)
     cross join lateral (
       select coalesce(max(a.attempt_number), 0) + 1 as number,
              (array_agg(coalesce(a.requested_minor, a.amount_minor) order by a.attempt_number)
                 filter (where a.error_code <> 'voided' and a.currency = t.currency))[1] as amount,
              (array_agg(a.cycle_at order by a.attempt_number) filter (where a.error_code <> 'voided'))[1] as cycle_at
         from billing_attempts a
        where a.store_id = ${ctx.storeId} and a.subscription_id = t.subscription_id and a.cycle_index = t.cycle offset 0) n
     order by t.position
    on conflict do nothing
    returning *`
  )
}

/**
 * Locks the pending attempts with these keys, and of `paid` keys also those that were reported as failed. Others are left out,
 * and so are keys that are not ours.
 */
export function lockAttemptsByKey(ctx: Ctx, keys: string[], paid: string[] = []): Promise<Attempt[]> {
  return ctx.tx.many(
    Attempt,
    sql`
    select * from billing_attempts
     where store_id = ${ctx.storeId} and idempotency_key = any(${keys}::text[])
       and (status = 'pending'
            or (status = 'failed' and late_success_at is null and idempotency_key = any(${paid}::text[])))
     order by id for update`
  )
}

/** Locks the attempts of the same cycles that are open or paid. */
export function lockRivals(ctx: Ctx, attempts: Pick<Attempt, 'subscriptionId' | 'cycleIndex'>[]): Promise<Attempt[]> {
  return ctx.tx.many(
    Attempt,
    sql`
    select a.* from billing_attempts a
      join unnest(${attempts.map((a) => a.subscriptionId)}::bigint[], ${attempts.map((a) => a.cycleIndex)}::int[])
             as t(subscription_id, cycle) on a.subscription_id = t.subscription_id and a.cycle_index = t.cycle
     where a.store_id = ${ctx.storeId} and a.status in ('pending', 'success')
     order by a.id for update of a`
  )
}

/** Locks the attempt of a cycle that is open or paid; null when there is none. */
export function lockAttemptOfCycle(ctx: Ctx, subscriptionId: number, cycle: number): Promise<Attempt | null> {
  return ctx.tx.maybeOne(
    Attempt,
    sql`
    select * from billing_attempts
     where store_id = ${ctx.storeId} and subscription_id = ${subscriptionId} and cycle_index = ${cycle}
       and status in ('pending', 'success')
       for update`
  )
}

/** Locks the attempts of the same cycles whose success was reported late and has not been applied yet. */
export function lockLateSuccesses(ctx: Ctx, attempts: Attempt[]): Promise<Attempt[]> {
  return ctx.tx.many(
    Attempt,
    sql`
    select a.* from billing_attempts a
      join unnest(${attempts.map((a) => a.subscriptionId)}::bigint[], ${attempts.map((a) => a.cycleIndex)}::int[])
             as t(subscription_id, cycle) on a.subscription_id = t.subscription_id and a.cycle_index = t.cycle
     where a.store_id = ${ctx.storeId} and a.late_success_at is not null and a.status = 'failed'
     order by a.id for update of a`
  )
}

/** The subscription of an attempt, to be locked before the attempt; null when there is no such attempt. */
export async function findSubscriptionOfAttempt(ctx: Ctx, id: number): Promise<number | null> {
  const found = await ctx.tx.maybeOne(
    row({ subscriptionId: int }),
    sql`select subscription_id from billing_attempts where store_id = ${ctx.storeId} and id = ${id}`
  )
  return found?.subscriptionId ?? null
}

/** Locks one attempt. */
export function lockAttempt(ctx: Ctx, id: number): Promise<Attempt | null> {
  return ctx.tx.maybeOne(
    Attempt,
    sql`select * from billing_attempts where store_id = ${ctx.storeId} and id = ${id} for update`
  )
}

/** The subscriptions of attempts by key, to be locked before the attempts. */
export async function listSubscriptionsOfKeys(ctx: Ctx, keys: string[], paid: string[]): Promise<number[]> {
  const rows = await ctx.tx.many(
    row({ subscriptionId: int }),
    sql`
    select distinct subscription_id from billing_attempts
     where store_id = ${ctx.storeId} and idempotency_key = any(${keys}::text[])
       and (status = 'pending'
            or (status = 'failed' and late_success_at is null and idempotency_key = any(${paid}::text[])))`
  )
  return rows.map((r) => r.subscriptionId)
}

/** The subscriptions among these whose next cycle has a pending attempt. */
export async function listSubscriptionsInBilling(ctx: Ctx, subscriptions: Subscription[]): Promise<number[]> {
  const rows = await ctx.tx.many(
    row({ subscriptionId: int }),
    sql`
    select a.subscription_id
      from unnest(${subscriptions.map((s) => s.id)}::bigint[], ${subscriptions.map((s) => s.nextCycle)}::int[])
             as t(id, next_cycle)
      join billing_attempts a on a.store_id = ${ctx.storeId} and a.subscription_id = t.id
           and a.cycle_index = t.next_cycle and a.status = 'pending'`
  )
  return rows.map((r) => r.subscriptionId)
}

/** The error code of the last attempt of the next cycle of these subscriptions, by subscription; only where it has failed. */
export async function listLastErrors(ctx: Ctx, subscriptions: Subscription[]): Promise<Map<number, string>> {
  if (subscriptions.length === 0) return new Map()
  const rows = await ctx.tx.many(
    row({ subscriptionId: int, status: text, code: nullable(text) }),
    sql`
    select distinct on (a.subscription_id) a.subscription_id, a.status, a.error_code as code
      from unnest(${subscriptions.map((s) => s.id)}::bigint[], ${subscriptions.map((s) => s.nextCycle)}::int[])
             as t(id, next_cycle)
      join billing_attempts a on a.store_id = ${ctx.storeId} and a.subscription_id = t.id and a.cycle_index = t.next_cycle
     order by a.subscription_id, a.attempt_number desc`
  )
  return new Map(
    rows.flatMap(({ subscriptionId, status, code }) => (status === 'failed' && code ? [[subscriptionId, code]] : []))
  )
}

/** Marks on the pending attempts of these subscriptions that a new payment method has arrived. */
export async function markNewPaymentMethod(ctx: Ctx, subscriptionIds: number[]): Promise<void> {
  if (subscriptionIds.length === 0) return
  await ctx.tx.run(sql`
    update billing_attempts set new_payment_method = true
     where store_id = ${ctx.storeId} and subscription_id = any(${subscriptionIds}::bigint[]) and status = 'pending'`)
}

/** Whether a charge is still wanted: not where the subscription was stopped, and not for a cycle that was missed. */
export function isWanted(attempt: Attempt, { status, nextCycle }: Subscription): boolean {
  return status === 'active' && attempt.cycleIndex >= nextCycle
}

/** Locks pending attempts of these subscriptions that were not sent yet. */
export function lockUnsentAttempts(ctx: Ctx, subscriptionIds: number[]): Promise<Attempt[]> {
  return ctx.tx.many(
    Attempt,
    sql`
    select * from billing_attempts
     where store_id = ${ctx.storeId} and subscription_id = any(${subscriptionIds}::bigint[])
       and status = 'pending' and submitted_at is null
     order by id for update`
  )
}
