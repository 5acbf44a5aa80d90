import { bool, type Ctx, int, nullable, type RowOf, row, sql } from '#kit/postgres'
import type { RecordedOrder } from '#orders'
import type { PlatformOrder } from '#platform'
import type { PaymentMethod, Subscription } from '#subscriptions'
import type { CycleResult } from '#subscriptions/for-billing'
import type { Attempt } from './attempt.ts'
import type { AttemptResult } from './attempt-result.ts'

/** How an attempt ends, as it is written to its row. */
export type Settlement = {
  id: number
  status: 'success' | 'failed'
  platformAttemptId: string | null
  errorCode: string | null
  errorMessage: string | null
  declineCode: string | null
  retryAt: Temporal.Instant | null
  attemptsRemaining: number
  orderId: number | null
  paymentMethod: PaymentMethod | null
  /** What the platform really charged; null where that is not known. */
  chargedMinor: number | null
  chargedAfterStop: boolean
}

/** The order of a charge, ours and as the platform reported it. */
export type ChargedOrder = { ours: RecordedOrder; reported: Pick<PlatformOrder, 'totalMinor' | 'currency'> }

/** A settlement with what it means for the cycle; `cycle` is null where another payment has settled that. */
export type SettledAttempt = {
  attempt: Attempt
  settlement: Settlement
  order: ChargedOrder | null
  cycle: CycleResult | null
}

/** A settlement without a charge, to be filled in. */
export function failedSettlement(id: number): Settlement {
  return {
    id,
    status: 'failed',
    platformAttemptId: null,
    errorCode: null,
    errorMessage: null,
    declineCode: null,
    retryAt: null,
    attemptsRemaining: 0,
    orderId: null,
    paymentMethod: null,
    chargedMinor: null,
    chargedAfterStop: false
  }
}

export function paidSettlement(
  attempt: Attempt,
  { paymentMethod, platformAttemptId }: Extract<AttemptResult, { state: 'success' }>,
  order: ChargedOrder | null,
  subscription: Subscription
): SettledAttempt {
  return {
    attempt,
    order,
    settlement: {
      ...failedSettlement(attempt.id),
      status: 'success',
      platformAttemptId,
      orderId: order?.ours.id ?? null,
      paymentMethod,
      ...chargedOf(attempt, order?.reported ?? null, subscription)
    },
    cycle: { subscriptionId: attempt.subscriptionId, cycle: attempt.cycleIndex, outcome: 'paid', paymentMethod }
  }
}

export function declinedSettlement(
  { id }: Attempt,
  { platformAttemptId, errorMessage }: Extract<AttemptResult, { state: 'failed' }>,
  { code, declineCode }: { code: string; declineCode: string },
  following: Pick<Settlement, 'retryAt' | 'attemptsRemaining'>
): Settlement {
  return {
    ...failedSettlement(id),
    ...following,
    platformAttemptId,
    errorCode: code,
    errorMessage: errorMessage ?? 'The charge failed',
    declineCode
  }
}

/** What the platform really charged, in the attempt's currency, and whether the subscription had ended before it was known. */
export function chargedOf(
  { currency }: Attempt,
  order: Pick<PlatformOrder, 'totalMinor' | 'currency'> | null,
  { status }: Subscription
): Pick<Settlement, 'chargedMinor' | 'chargedAfterStop'> {
  return {
    chargedMinor: order?.currency === currency ? order.totalMinor : null,
    chargedAfterStop: status !== 'active' && status !== 'paused'
  }
}

const Written = row({
  id: int,
  /** A success after a decline of its cycle. */
  recovered: bool,
  /** The store credit that the paid cycle issues; null where it was not paid, or issues none. */
  creditMinor: nullable(int)
})

/** Writes how pending attempts ended; others stay as they are. By attempt. */
export async function markSettled(ctx: Ctx, rows: Settlement[]): Promise<Map<number, RowOf<typeof Written>>> {
  if (rows.length === 0) return new Map()
  const ended = await ctx.tx.many(
    Written,
    sql`
    update billing_attempts a
       set status = t.status, platform_attempt_id = coalesce(t.platform_id, a.platform_attempt_id), error_code = t.code,
           error_message = t.message, decline_code = t.decline_code, retry_at = t.retry_at,
           attempts_remaining = t.remaining, order_id = t.order_id, payment_method = t.payment_method::jsonb,
           amount_minor = coalesce(t.charged, a.amount_minor),
           requested_minor = case when t.charged <> a.amount_minor then a.amount_minor end,
           recovered = t.status = 'success' and a.attempt_number > 1
             and exists (
               select from billing_attempts e
                where e.store_id = ${ctx.storeId} and e.subscription_id = a.subscription_id
                  and e.cycle_index = a.cycle_index and e.attempt_number < a.attempt_number and e.status = 'failed'
                  and e.error_code not in ('voided', 'superseded')),
           charged_after_stop = t.after_stop,
           -- As listCycleCredits: read here, since a settlement is to have no statement more than it needs.
           credit_minor = case when t.status = 'success' then (
             select v.credit_minor
               from subscriptions s
               join plans p on p.store_id = ${ctx.storeId} and p.id = s.plan_id
               join plan_versions v on v.store_id = ${ctx.storeId} and v.plan_id = s.plan_id
                    and v.version = s.plan_version and v.credit_minor > 0
               join stores o on o.store_id = ${ctx.storeId} and o.currency = p.currency
              where s.store_id = ${ctx.storeId} and s.id = a.subscription_id) end,
           completed_at = ${ctx.now}, check_at = null, remind_at = null, lease_owner = null, leased_until = null
      from unnest(${rows.map((r) => r.id)}::bigint[], ${rows.map((r) => r.status)}::text[],
                  ${rows.map((r) => r.platformAttemptId)}::text[], ${rows.map((r) => r.errorCode)}::text[],
                  ${rows.map((r) => r.errorMessage)}::text[], ${rows.map((r) => r.declineCode)}::text[],
                  ${rows.map((r) => r.retryAt)}::timestamptz[], ${rows.map((r) => r.attemptsRemaining)}::int[],
                  ${rows.map((r) => r.orderId)}::bigint[],
                  ${rows.map((r) => r.paymentMethod && JSON.stringify(r.paymentMethod))}::text[],
                  ${rows.map((r) => r.chargedMinor)}::bigint[], ${rows.map((r) => r.chargedAfterStop)}::boolean[])
             as t(id, status, platform_id, code, message, decline_code, retry_at, remaining, order_id, payment_method,
                  charged, after_stop)
     where a.store_id = ${ctx.storeId} and a.id = t.id and a.status = 'pending'
    returning a.id, a.recovered, a.credit_minor`
  )
  return new Map(ended.map((written) => [written.id, written]))
}

export type Corrected = Pick<
  Settlement,
  'id' | 'platformAttemptId' | 'orderId' | 'paymentMethod' | 'chargedMinor' | 'chargedAfterStop'
> & {
  /** The store credit that the paid cycle issues; null where there is none. */
  creditMinor: number | null
}

/**
 * Turns failed attempts into the successes that they are, or marks only that they will be while another attempt of the cycle is
 * open or paid (`isBlocked`). They keep the time at which they ended, so the metrics of that day change. By attempt.
 */
export async function markCorrected(
  ctx: Ctx,
  rows: Corrected[],
  isBlocked: boolean
): Promise<Map<number, RowOf<typeof Written>>> {
  if (rows.length === 0) return new Map()
  const corrected = await ctx.tx.many(
    Written,
    sql`
    update billing_attempts a
       set late_success_at = coalesce(a.late_success_at, ${ctx.now}), order_id = coalesce(t.order_id, a.order_id),
           platform_attempt_id = coalesce(t.platform_id, a.platform_attempt_id),
           payment_method = coalesce(t.payment_method::jsonb, a.payment_method),
           amount_minor = coalesce(t.charged, a.amount_minor),
           requested_minor = case when t.charged <> a.amount_minor then a.amount_minor else a.requested_minor end,
           charged_after_stop = t.after_stop,
           status = case when ${isBlocked}::boolean then a.status else 'success' end,
           error_code = case when ${isBlocked}::boolean then a.error_code end,
           error_message = case when ${isBlocked}::boolean then a.error_message end,
           decline_code = case when ${isBlocked}::boolean then a.decline_code end,
           retry_at = null, attempts_remaining = 0,
           credit_minor = t.credit,
           recovered = not ${isBlocked}::boolean and a.attempt_number > 1
             and exists (
               select from billing_attempts e
                where e.store_id = ${ctx.storeId} and e.subscription_id = a.subscription_id
                  and e.cycle_index = a.cycle_index and e.attempt_number < a.attempt_number and e.status = 'failed'
                  and e.error_code not in ('voided', 'superseded'))
      from unnest(${rows.map((r) => r.id)}::bigint[], ${rows.map((r) => r.platformAttemptId)}::text[],
                  ${rows.map((r) => r.orderId)}::bigint[],
                  ${rows.map((r) => r.paymentMethod && JSON.stringify(r.paymentMethod))}::text[],
                  ${rows.map((r) => r.chargedMinor)}::bigint[], ${rows.map((r) => r.chargedAfterStop)}::boolean[],
                  ${rows.map((r) => r.creditMinor)}::bigint[])
             as t(id, platform_id, order_id, payment_method, charged, after_stop, credit)
     where a.store_id = ${ctx.storeId} and a.id = t.id and a.status = 'failed'
    returning a.id, a.recovered, a.credit_minor`
  )
  return new Map(corrected.map((written) => [written.id, written]))
}

/** Has these attempts checked on the platform at once. */
export async function checkNow(ctx: Ctx, attempts: Attempt[]): Promise<void> {
  if (attempts.length === 0) return
  await ctx.tx.run(sql`
    update billing_attempts set check_at = ${ctx.now}
     where store_id = ${ctx.storeId} and id = any(${attempts.map((a) => a.id)}::bigint[]) and status = 'pending'`)
}

/** Makes the announced retries of these subscriptions due now. */
export async function expediteRetries(ctx: Ctx, subscriptionIds: number[]): Promise<void> {
  if (subscriptionIds.length === 0) return
  await ctx.tx.run(sql`
    update billing_attempts set retry_at = ${ctx.now}
     where store_id = ${ctx.storeId} and subscription_id = any(${subscriptionIds}::bigint[]) and retry_at > ${ctx.now}`)
}

/** Writes how many automatic tries follow these pending attempts. */
export async function markRemaining(ctx: Ctx, rows: { id: number; remaining: number }[]): Promise<void> {
  if (rows.length === 0) return
  await ctx.tx.run(sql`
    update billing_attempts a set attempts_remaining = t.remaining
      from unnest(${rows.map((r) => r.id)}::bigint[], ${rows.map((r) => r.remaining)}::int[]) as t(id, remaining)
     where a.store_id = ${ctx.storeId} and a.id = t.id and a.status = 'pending'`)
}

/** No automatic try of these cycles is to come any more: none of their attempts says otherwise. */
export async function clearRemaining(
  ctx: Ctx,
  cycles: Pick<Attempt, 'subscriptionId' | 'cycleIndex'>[]
): Promise<void> {
  if (cycles.length === 0) return
  await ctx.tx.run(sql`
    update billing_attempts a set attempts_remaining = 0
      from unnest(${cycles.map((c) => c.subscriptionId)}::bigint[], ${cycles.map((c) => c.cycleIndex)}::int[])
             as t(subscription_id, cycle)
     where a.store_id = ${ctx.storeId} and a.subscription_id = t.subscription_id and a.cycle_index = t.cycle
       and a.attempts_remaining > 0`)
}

/** Whether a payment of the platform has paid another cycle of the subscription than this one, or stands beside such a payment. */
export async function isKnownPayment(
  ctx: Ctx,
  { subscriptionId, cycleIndex }: Pick<Attempt, 'subscriptionId' | 'cycleIndex'>,
  platformAttemptId: string
): Promise<boolean> {
  const found = await ctx.tx.maybeOne(
    row({ id: int }),
    sql`
    select id from billing_attempts
     where store_id = ${ctx.storeId} and subscription_id = ${subscriptionId} and cycle_index <> ${cycleIndex}
       and platform_attempt_id = ${platformAttemptId} and (status = 'success' or late_success_at is not null) limit 1`
  )
  return found !== null
}

/** Notes that the platform has another payment of an open attempt's cycle, to be found before the cycle is charged again. */
export async function noteOtherPayment(ctx: Ctx, { id }: Attempt, platformAttemptId: string): Promise<void> {
  await ctx.tx.run(sql`
    update billing_attempts set other_payment_id = ${platformAttemptId}
     where store_id = ${ctx.storeId} and id = ${id} and status = 'pending'`)
}

/**
 * Cancels the announced retries of these subscriptions: those ahead, and one that is due and has no attempt yet. None of their attempts
 * has automatic tries to come any more.
 */
export async function clearRetries(ctx: Ctx, subscriptionIds: number[]): Promise<void> {
  await ctx.tx.run(sql`
    update billing_attempts set attempts_remaining = 0
     where store_id = ${ctx.storeId} and subscription_id = any(${subscriptionIds}::bigint[]) and attempts_remaining > 0`)
  await ctx.tx.run(sql`
    update billing_attempts a set retry_at = null
     where a.store_id = ${ctx.storeId} and a.subscription_id = any(${subscriptionIds}::bigint[]) and a.retry_at is not null
       and (a.retry_at >= ${ctx.now} or not exists (
         select from billing_attempts n
          where n.store_id = ${ctx.storeId} and n.subscription_id = a.subscription_id and n.cycle_index = a.cycle_index
            and n.attempt_number > a.attempt_number))`)
}

/**
 * Only the newest attempt of a cycle announces a retry: cancels what the earlier ones announced. `isPaid`: no try is to come any
 * more; otherwise they wait for the newest one.
 */
export async function clearRetriesOfCycle(
  ctx: Ctx,
  { subscriptionId, cycleIndex }: Attempt,
  { isPaid }: { isPaid: boolean }
): Promise<void> {
  await ctx.tx.run(sql`
    update billing_attempts set retry_at = null
     where store_id = ${ctx.storeId} and subscription_id = ${subscriptionId} and cycle_index = ${cycleIndex}
       and retry_at >= ${ctx.now}`)
  if (isPaid) await clearRemaining(ctx, [{ subscriptionId, cycleIndex }])
}
