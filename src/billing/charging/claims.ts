import type { LeaseRelease } from '#kit/engines'
import { bool, type Ctx, instant, int, json, nullable, type RowOf, row, sql, text } from '#kit/postgres'
import { MAX_CALL_MS } from '#platform'

export type EarlierAttempt = { idempotencyKey: string; platformAttemptId: string | null }

/** An attempt that this process has claimed for a call to the platform. `submittedBefore`: an earlier call may have arrived. */
export const ClaimedAttempt = row({
  id: int,
  subscriptionId: int,
  cycleIndex: int,
  idempotencyKey: text,
  platformContractId: text,
  /** The date of its cycle; null where it was not stored yet. */
  cycleAt: nullable(instant),
  /**
   * Attempts of its cycle that were sent before it and ended without a payment, as far as was reported; without a key, payments
   * that are not ours.
   */
  earlier: json<EarlierAttempt[]>(),
  /**
   * Whether the charge is still wanted: not where the subscription was stopped, not for a missed cycle, and for a past due
   * cycle not before it is due again.
   */
  isWanted: bool,
  scheduledAt: instant,
  platformAttemptId: nullable(text),
  submittedBefore: nullable(instant),
  /** How often the platform was asked before: for the attempt, or to charge it. Not counted where it was not reached. */
  checks: int,
  refusals: int,
  /** The customer was asked to confirm the payment. */
  isActionRequired: bool,
  leaseToken: int
})
export type ClaimedAttempt = RowOf<typeof ClaimedAttempt>

/** Not while the platform knows more than we do: after a restore, and after a disconnection. */
export const mayCharge = ({ isRestored, isCaughtUp }: Ctx): boolean => !isRestored && isCaughtUp

/**
 * The times of a claim, in milliseconds. `claimMs`: how long it lasts. `endMs`: how long after its beginning or renewal the call
 * of a charge has to have ended: what waits so long before it is sent that it could not end by then is not sent. `sendMs`: until
 * how long after it that time is given to a charge without a renewal. `maxCallMs`: no call of the platform takes longer.
 */
export const claimTimes = (maxCallMs: number) => ({
  claimMs: maxCallMs * 1.5,
  endMs: maxCallMs * 1.375,
  sendMs: maxCallMs / 4
})

/**
 * Claims up to `limit` pending attempts that are due to be sent or checked, none of those `except`, which this process works on,
 * and marks them as sent before any call is made: from then on only the platform can say how they end. Claims none where nothing
 * may be charged at present, also when that began after the store's work did. A claim is kept while its calls last
 * (`keep-claims.ts`).
 */
export async function claimAttempts(
  ctx: Ctx,
  limit: number,
  leaseOwner: number,
  maxCallMs = MAX_CALL_MS,
  except: Pick<ClaimedAttempt, 'id'>[] = []
): Promise<ClaimedAttempt[]> {
  if (!mayCharge(ctx)) return []
  const { claimMs } = claimTimes(maxCallMs)
  const underWay = except.map(({ id }) => id)
  return ctx.tx.many(
    ClaimedAttempt,
    sql`
    with due as (
      select id, submitted_at from billing_attempts
       where store_id = ${ctx.storeId} and status = 'pending' and check_at <= ${ctx.now}
         and (leased_until is null or leased_until < statement_timestamp())
         and id not in (select unnest(${underWay}::bigint[]))
       order by check_at, id limit ${limit} for update skip locked),
    claimed as (
      update billing_attempts a
         set lease_token = a.lease_token + 1, lease_owner = ${leaseOwner},
             leased_until = statement_timestamp() + ${claimMs} * interval '1 millisecond',
             submitted_at = coalesce(a.submitted_at, ${ctx.now})
        from due where a.store_id = ${ctx.storeId} and a.id = due.id
      returning a.*, due.submitted_at as submitted_before)
    select c.id, c.subscription_id, c.cycle_index, c.idempotency_key, s.platform_contract_id, c.scheduled_at, c.cycle_at,
           case when c.attempt_number = 1 then '[]'::jsonb else (
             select coalesce(jsonb_agg(jsonb_build_object('idempotencyKey', p.key, 'platformAttemptId', p.platform_id)
                                      order by e.attempt_number), '[]')
               from billing_attempts e
              cross join lateral (values (e.idempotency_key, e.platform_attempt_id), ('', e.other_payment_id))
                      as p(key, platform_id)
              where (p.key <> '' or p.platform_id is not null) and e.store_id = ${ctx.storeId} and e.subscription_id = c.subscription_id
                and e.cycle_index = c.cycle_index and e.attempt_number < c.attempt_number
                and e.submitted_at is not null and e.error_code <> 'superseded') end as earlier,
           s.status = 'active' and c.cycle_index >= s.next_cycle
             and (s.past_due_cycle is null or s.billing_due_at <= ${ctx.now}) as is_wanted,
           c.platform_attempt_id, c.submitted_before, c.checks, c.refusals,
           c.action_required_at is not null as is_action_required, c.lease_token
      from claimed c join subscriptions s on s.store_id = ${ctx.storeId} and s.id = c.subscription_id
     order by c.scheduled_at, c.id`
  )
}

export type Checked = {
  id: number
  idempotencyKey: string
  leaseToken: number
  /** The pause until the next check, by the store's clock. It begins when this is written: the search may have taken long. */
  afterSeconds: number
  platformAttemptId: string | null
  actionUrl: string | null
  /** The payment does not wait for the customer any more. */
  isConfirmed: boolean
  /** The platform refused the call. */
  isRefused: boolean
  /** The platform was not reached: that was no check. */
  isUnreached: boolean
}

/**
 * Ends the leases of attempts that are still pending and sets when they are checked again: at the latest before the customer is
 * reminded. A process that has lost its lease writes nothing, nor one that has written it before.
 */
export async function markChecked(ctx: Ctx, rows: Checked[]): Promise<void> {
  await ctx.tx.run(sql`
    update billing_attempts a
       set check_at = case when a.remind_at > ${ctx.now} then least(t.check_at, a.remind_at) else t.check_at end,
           platform_attempt_id = coalesce(t.platform_id, a.platform_attempt_id),
           action_required_at = case when t.is_confirmed then null else a.action_required_at end,
           action_reminders = case when t.is_confirmed then 0 else a.action_reminders end,
           remind_at = case when t.is_confirmed then null else a.remind_at end,
           refusals = a.refusals + t.refused::int, checks = a.checks + (not t.unreached)::int, lease_owner = null, leased_until = null
      from unnest(${rows.map((r) => r.id)}::bigint[], ${rows.map((r) => r.leaseToken)}::int[],
                  ${rows.map((r) => ctx.now.add({ seconds: r.afterSeconds }))}::timestamptz[], ${rows.map((r) => r.platformAttemptId)}::text[],
                  ${rows.map((r) => r.isConfirmed)}::boolean[],
                  ${rows.map((r) => r.isRefused)}::boolean[], ${rows.map((r) => r.isUnreached)}::boolean[])
             as t(id, token, check_at, platform_id, is_confirmed, refused, unreached)
     where a.store_id = ${ctx.storeId} and a.id = t.id and a.lease_token = t.token and a.leased_until is not null
       and a.status = 'pending'`)
}

/**
 * Releases attempts that these nodes have leased to read them, in all stores. A charge that they may have sent stays leased until
 * its call has ended: it may still arrive at the platform, after a search there for its attempt.
 */
export const releaseAttempts: LeaseRelease = (owners) => sql`
  update billing_attempts set lease_owner = null, leased_until = null
   where lease_owner = any(${owners}::bigint[]) and platform_attempt_id is not null`
