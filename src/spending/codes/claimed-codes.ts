import { dueQuery, type LeaseRelease } from '#kit/engines'
import { bool, type Ctx, directSql, instant, int, nullable, oneOf, type RowOf, row, sql, text } from '#kit/postgres'
import { CODE_STATUSES } from './code.ts'

const ClaimedCode = row({
  id: int,
  leaseToken: int,
  code: text,
  amountMinor: int,
  status: oneOf(...CODE_STATUSES),
  endsAt: instant,
  platformDiscountId: nullable(text),
  wasSent: bool,
  isSettled: bool,
  isClosed: bool,
  attempts: int,
  customerId: text,
  isDeleted: bool
})
/**
 * A code that this process works on. `wasSent`: a call before may have made it. `isSettled`: none can be under way any more. `isClosed`: the
 * platform takes it no more.
 */
export type ClaimedCode = RowOf<typeof ClaimedCode>

type Lease = { leaseOwner: number; leaseMs: number }

const idsOf = (codes: ClaimedCode[]) => codes.map(({ id }) => id)
const tokensOf = (codes: ClaimedCode[]) => codes.map(({ leaseToken }) => leaseToken)

/**
 * Leases codes that are due, the longest due first; none of those `except`. One whose time is over ends. One that is to be made counts
 * as sent from here on, since only the platform can say later whether it was.
 */
export async function claimCodes(
  ctx: Ctx,
  { leaseOwner, leaseMs, limit, except, settleMs }: Lease & { limit: number; except: ClaimedCode[]; settleMs: number }
): Promise<ClaimedCode[]> {
  if (ctx.isRestored) return []
  const settlesAt = Temporal.Instant.fromEpochMilliseconds(Math.ceil(ctx.realNowMs + settleMs))
  return ctx.tx.many(
    ClaimedCode,
    sql`
    with due as (
      select c.id, c.sent_at is not null as was_sent, c.settles_at is null or c.settles_at < statement_timestamp() as is_settled
        from credit_codes c
       where c.store_id = ${ctx.storeId} and c.due_at <= ${ctx.now}
         and (c.leased_until is null or c.leased_until < statement_timestamp())
         and (c.rests_until is null or c.rests_until < statement_timestamp())
         and c.id <> all(${idsOf(except)}::bigint[])
       order by c.due_at, c.id limit ${limit} for update skip locked)
    update credit_codes c
       set lease_token = c.lease_token + 1, lease_owner = ${leaseOwner},
           leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond',
           ended_by = case when c.status in ('pending', 'active') and c.ends_at <= ${ctx.now} then 'expired' else c.ended_by end,
           sent_at = case when c.status = 'pending' and c.ends_at > ${ctx.now} then coalesce(c.sent_at, ${ctx.now}::timestamptz)
                          else c.sent_at end,
           settles_at = case when c.status = 'pending' and c.ends_at > ${ctx.now} then ${settlesAt}::timestamptz
                             else c.settles_at end,
           status = case when c.status in ('pending', 'active') and c.ends_at <= ${ctx.now} then 'ending' else c.status end
      from due, members m
     where c.store_id = ${ctx.storeId} and c.id = due.id and m.store_id = ${ctx.storeId} and m.id = c.member_id
    returning c.id, c.lease_token, c.code, c.amount_minor, c.status, c.ends_at, c.platform_discount_id, due.was_sent,
              due.is_settled, c.closed_at is not null as is_closed, c.attempts, m.platform_customer_id as customer_id,
              m.platform_deleted_at is not null as is_deleted`
  )
}

/** Extends the leases on those codes that no other process has, and returns these. */
export async function extendCodeLeases(
  ctx: Ctx,
  codes: ClaimedCode[],
  { leaseOwner, leaseMs }: Lease
): Promise<ClaimedCode[]> {
  const extended = await ctx.tx.many(
    row({ id: int }),
    sql`
    with held as (
      select c.id from credit_codes c
        join unnest(${idsOf(codes)}::bigint[], ${tokensOf(codes)}::int[]) as h(id, token)
          on c.id = h.id and c.lease_token = h.token
       where c.store_id = ${ctx.storeId} for update of c skip locked)
    update credit_codes c
       set lease_owner = ${leaseOwner}, leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond'
      from held where c.store_id = ${ctx.storeId} and c.id = held.id
    returning c.id`
  )
  const ids = new Set(extended.map(({ id }) => id))
  return codes.filter(({ id }) => ids.has(id))
}

const LockedCode = row({
  id: int,
  reservationId: int,
  status: oneOf(...CODE_STATUSES),
  endsAt: instant,
  problem: nullable(text)
})
export type LockedCode = RowOf<typeof LockedCode>

/** Locks those codes that no other process has by now, and returns their present state. */
export async function lockClaimedCodes(ctx: Ctx, codes: ClaimedCode[]): Promise<Map<number, LockedCode>> {
  const rows = await ctx.tx.many(
    LockedCode,
    sql`
    select c.id, c.reservation_id, c.status, c.ends_at, c.problem from credit_codes c
      join unnest(${idsOf(codes)}::bigint[], ${tokensOf(codes)}::int[]) as h(id, token)
        on c.id = h.id and c.lease_token = h.token
     where c.store_id = ${ctx.storeId} order by c.id for update of c`
  )
  return new Map(rows.map((one) => [one.id, one]))
}

/** How the work on a code ended. What is left out stays. */
export type CodeEnd = {
  id: number
  status?: 'active' | 'ending'
  discountId?: string | null
  isClosed?: boolean
  problem?: string
  /** Store time; null: nothing is to be done. */
  dueAt: Temporal.Instant | null
  /** In real time, before it is tried again. */
  restMs?: number
  attempts?: number
  error?: string | null
}

/** Records how the work on a code ended; its lease stays until `letGoOfCodes`. */
export async function endClaimedCode(ctx: Ctx, end: CodeEnd): Promise<void> {
  const { id, status = null, discountId = null, isClosed = false, problem = null, dueAt, restMs = null } = end
  await ctx.tx.run(sql`
    update credit_codes
       set status = coalesce(${status}, status), platform_discount_id = coalesce(${discountId}, platform_discount_id),
           closed_at = coalesce(closed_at, ${isClosed ? ctx.now : null}::timestamptz), problem = coalesce(${problem}, problem),
           due_at = ${dueAt}, rests_until = statement_timestamp() + ${restMs}::bigint * interval '1 millisecond',
           attempts = ${end.attempts ?? 0}, last_error = ${end.error ?? null}
     where store_id = ${ctx.storeId} and id = ${id}`)
}

/** Others may have these codes from now on. */
export async function letGoOfCodes(ctx: Ctx, codes: ClaimedCode[]): Promise<void> {
  await ctx.tx.run(sql`
    update credit_codes c set lease_owner = null, leased_until = null, lease_token = c.lease_token + 1
      from unnest(${idsOf(codes)}::bigint[], ${tokensOf(codes)}::int[]) as h(id, token)
     where c.store_id = ${ctx.storeId} and c.id = h.id and c.lease_token = h.token`)
}

/** What rested in real time has waited since the end of that, by whatever clock. */
export const dueCodes = dueQuery(
  'credit_codes_due',
  `select c.store_id,
          min(greatest(c.due_at, case when t.clock_at is null then c.rests_until
                                      else s.until - (statement_timestamp() - c.rests_until) end)) as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join credit_codes c on c.store_id = s.store_id and c.due_at <= s.until
     join stores t on t.store_id = s.store_id
    where (c.leased_until is null or c.leased_until < statement_timestamp())
      and (c.rests_until is null or c.rests_until < statement_timestamp())
    group by c.store_id`
)

/** What rests in real time is nothing that a clock could be moved to. */
export const nextCode = directSql<[storeId: number]>(
  'next_credit_code',
  `select min(due_at) as at from credit_codes
    where store_id = $1 and (rests_until is null or rests_until < statement_timestamp())`
)

/** Releases what these nodes have leased, in all stores. */
export const releaseCodes: LeaseRelease = (owners) => sql`
  update credit_codes set lease_owner = null, leased_until = null where lease_owner = any(${owners}::bigint[])`
