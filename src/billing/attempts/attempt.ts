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
  /** Rises with each claim. */
  leaseToken: int,
  orderId: nullable(int),
  paymentMethod: nullable(json<PaymentMethod>()),
  /** A payment of its cycle that is not ours, while it is open. */
  otherPaymentId: nullable(text),
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

/** A payment of the platform under a key. */
export type KeyedPayment = { idempotencyKey: string; platformAttemptId: string }

/**
 * The subscriptions of attempts by key, to be locked before the attempts: those that `lockAttemptsByKey` locks, and those of
 * `listOtherPayments`.
 */
export async function listSubscriptionsOfKeys(
  ctx: Ctx,
  keys: string[],
  paid: string[],
  payments: KeyedPayment[] = []
): Promise<number[]> {
  const rows = await ctx.tx.many(
    row({ subscriptionId: int }),
    sql`
    select distinct a.subscription_id from billing_attempts a
     where a.store_id = ${ctx.storeId} and a.idempotency_key = any(${keys}::text[])
       and (a.status = 'pending'
            or (a.status = 'failed' and a.late_success_at is null and a.idempotency_key = any(${paid}::text[]))
            or exists (
              select from unnest(${payments.map((p) => p.idempotencyKey)}::text[],
                                 ${payments.map((p) => p.platformAttemptId)}::text[]) as t(key, platform_id)
               where t.key = a.idempotency_key and (a.status = 'success' or a.late_success_at is not null)
                 and t.platform_id <> a.platform_attempt_id
                 and not exists (
                   select from billing_attempts o
                    where o.store_id = ${ctx.storeId} and o.subscription_id = a.subscription_id
                      and o.platform_attempt_id = t.platform_id)))`
  )
  return rows.map((r) => r.subscriptionId)
}

const OtherPayment = row({ id: int, platformAttemptId: text })

/** Those of these payments whose attempt is paid by another one, and that no attempt stands for yet; `id` is the attempt's. */
export function listOtherPayments(ctx: Ctx, payments: KeyedPayment[]): Promise<RowOf<typeof OtherPayment>[]> {
  return ctx.tx.many(
    OtherPayment,
    sql`
    select a.id, t.platform_id as platform_attempt_id
      from unnest(${payments.map((p) => p.idempotencyKey)}::text[],
                  ${payments.map((p) => p.platformAttemptId)}::text[]) as t(key, platform_id)
      join billing_attempts a on a.store_id = ${ctx.storeId} and a.idempotency_key = t.key
       and (a.status = 'success' or a.late_success_at is not null) and a.platform_attempt_id <> t.platform_id
     where not exists (
       select from billing_attempts o
        where o.store_id = ${ctx.storeId} and o.subscription_id = a.subscription_id and o.platform_attempt_id = t.platform_id)
     order by a.id, t.platform_id`
  )
}

/** Notes which payment it was where a success was reported without its id, so that another one is told from it. */
export async function namePayments(ctx: Ctx, payments: KeyedPayment[]): Promise<void> {
  await ctx.tx.run(sql`
    update billing_attempts a set platform_attempt_id = t.platform_id
      from unnest(${payments.map((p) => p.idempotencyKey)}::text[],
                  ${payments.map((p) => p.platformAttemptId)}::text[]) as t(key, platform_id)
     where a.store_id = ${ctx.storeId} and a.idempotency_key = t.key and a.status = 'success'
       and a.platform_attempt_id is null`)
}

export const BESIDE = 'A payment beside the attempt of the cycle that is open or paid'

/**
 * An attempt for a payment of a cycle that has another attempt, open or paid: it has failed, as if superseded, until it is known
 * what became of that one. Its own key is never sent.
 */
export function insertOtherPayment(ctx: Ctx, { id }: Pick<Attempt, 'id'>, platformAttemptId: string): Promise<Attempt> {
  return ctx.tx.one(
    Attempt,
    sql`
    insert into billing_attempts (store_id, subscription_id, cycle_index, attempt_number, status, idempotency_key, amount_minor,
      currency, cycle_at, attempts_remaining, scheduled_at, submitted_at, platform_attempt_id, completed_at, error_code,
      error_message, created_at)
    select ${ctx.storeId}, t.subscription_id, t.cycle_index, t.number, 'failed',
           'svc-' || t.contract || '-' || t.cycle_index || '-' || t.number, t.amount_minor, t.currency, t.cycle_at, 0,
           ${ctx.now}, ${ctx.now}, ${platformAttemptId}, ${ctx.now}, 'superseded', ${BESIDE}, ${ctx.now}
      from (
        select a.subscription_id, a.cycle_index, a.amount_minor, a.currency, a.cycle_at, s.platform_contract_id as contract,
               (select max(e.attempt_number) + 1 from billing_attempts e
                 where e.store_id = ${ctx.storeId} and e.subscription_id = a.subscription_id
                   and e.cycle_index = a.cycle_index) as number
          from billing_attempts a
          join subscriptions s on s.store_id = ${ctx.storeId} and s.id = a.subscription_id
         where a.store_id = ${ctx.storeId} and a.id = ${id} offset 0) t
    returning *`
  )
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
       and a.late_success_at is null
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

/** Locks the pending attempts of these subscriptions. */
export function lockPendingAttempts(ctx: Ctx, subscriptionIds: number[]): Promise<Attempt[]> {
  return ctx.tx.many(
    Attempt,
    sql`
    select * from billing_attempts
     where store_id = ${ctx.storeId} and subscription_id = any(${subscriptionIds}::bigint[]) and status = 'pending'
     order by id for update`
  )
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
