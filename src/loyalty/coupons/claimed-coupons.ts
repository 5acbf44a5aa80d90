import { dueQuery, type LeaseRelease } from '#kit/engines'
import {
  bool,
  type Ctx,
  directSql,
  instant,
  int,
  nullable,
  oneOf,
  type RowOf,
  row,
  sql,
  text,
  textList
} from '#kit/postgres'
import { COUPON_STATUSES, COUPON_TYPES, type CouponEndedBy } from './coupon.ts'
import type { FreePiece } from './free-piece.ts'

const ClaimedCoupon = row({
  id: int,
  leaseToken: int,
  memberId: int,
  ruleId: nullable(int),
  templateId: nullable(int),
  tierId: nullable(int),
  name: text,
  type: oneOf(...COUPON_TYPES),
  percentHundredths: nullable(int),
  amountMinor: nullable(int),
  productIds: textList,
  collectionIds: textList,
  minimumMinor: nullable(int),
  code: text,
  status: oneOf(...COUPON_STATUSES),
  endedBy: nullable(text as (value: unknown) => CouponEndedBy),
  expiresAt: nullable(instant),
  platformDiscountId: nullable(text),
  wasSent: bool,
  isSettled: bool,
  attempts: int,
  customerId: text,
  isDeleted: bool
})
/** A coupon that this process works on. `wasSent`: a call before may have made it. `isSettled`: none can be under way any more. */
export type ClaimedCoupon = RowOf<typeof ClaimedCoupon>

type Lease = { leaseOwner: number; leaseMs: number }

const idsOf = (coupons: ClaimedCoupon[]) => coupons.map(({ id }) => id)
const tokensOf = (coupons: ClaimedCoupon[]) => coupons.map(({ leaseToken }) => leaseToken)

/**
 * Leases coupons that are due, the longest due first; none of those `except`. One whose time is over ends. One that is to be made counts as
 * sent from here on, since only the platform can say later whether it was.
 */
export async function claimCoupons(
  ctx: Ctx,
  { leaseOwner, leaseMs, limit, except, settleMs }: Lease & { limit: number; except: ClaimedCoupon[]; settleMs: number }
): Promise<ClaimedCoupon[]> {
  if (ctx.isRestored) return []
  const settlesAt = Temporal.Instant.fromEpochMilliseconds(Math.ceil(ctx.realNowMs + settleMs))
  return ctx.tx.many(
    ClaimedCoupon,
    sql`
    with due as (
      select c.id, c.sent_at is not null as was_sent, c.settles_at is null or c.settles_at < statement_timestamp() as is_settled,
             c.status <> 'ended' and c.expires_at is not null and c.expires_at <= ${ctx.now} as is_over
        from loyalty_coupons c
       where c.store_id = ${ctx.storeId} and c.due_at <= ${ctx.now}
         and (c.leased_until is null or c.leased_until < statement_timestamp())
         and (c.rests_until is null or c.rests_until < statement_timestamp())
         and c.id <> all(${idsOf(except)}::bigint[])
       order by c.due_at, c.id limit ${limit} for update skip locked)
    update loyalty_coupons c
       set lease_token = c.lease_token + 1, lease_owner = ${leaseOwner},
           leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond',
           sent_at = case when c.status = 'pending' and not due.is_over then coalesce(c.sent_at, ${ctx.now}::timestamptz)
                          else c.sent_at end,
           settles_at = case when c.status = 'pending' and not due.is_over then ${settlesAt}::timestamptz else c.settles_at end,
           ended_by = case when due.is_over then case when c.usage_count > 0 then 'used' else 'expired' end else c.ended_by end,
           ended_at = case when due.is_over then ${ctx.now}::timestamptz else c.ended_at end,
           updated_at = case when due.is_over then ${ctx.now}::timestamptz else c.updated_at end,
           status = case when due.is_over then 'ended' else c.status end
      from due, members m
     where c.store_id = ${ctx.storeId} and c.id = due.id and m.store_id = ${ctx.storeId} and m.id = c.member_id
    returning c.id, c.lease_token, c.member_id, c.rule_id, c.template_id, c.tier_id, c.name, c.type, c.percent_hundredths, c.amount_minor,
              c.product_ids, c.collection_ids, c.minimum_minor, c.code, c.status, c.ended_by, c.expires_at, c.platform_discount_id, due.was_sent, due.is_settled,
              c.attempts, m.platform_customer_id as customer_id, m.platform_deleted_at is not null as is_deleted`
  )
}

/** Extends the leases on those coupons that no other process has, and returns these. */
export async function extendCouponLeases(
  ctx: Ctx,
  coupons: ClaimedCoupon[],
  { leaseOwner, leaseMs }: Lease
): Promise<ClaimedCoupon[]> {
  const extended = await ctx.tx.many(
    row({ id: int }),
    sql`
    with held as (
      select c.id from loyalty_coupons c
        join unnest(${idsOf(coupons)}::bigint[], ${tokensOf(coupons)}::int[]) as h(id, token)
          on c.id = h.id and c.lease_token = h.token
       where c.store_id = ${ctx.storeId} for update of c skip locked)
    update loyalty_coupons c
       set lease_owner = ${leaseOwner}, leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond'
      from held where c.store_id = ${ctx.storeId} and c.id = held.id
    returning c.id`
  )
  const ids = new Set(extended.map(({ id }) => id))
  return coupons.filter(({ id }) => ids.has(id))
}

const LockedCoupon = row({
  id: int,
  status: oneOf(...COUPON_STATUSES),
  endedBy: nullable(text as (value: unknown) => CouponEndedBy),
  usageCount: int,
  expiresAt: nullable(instant),
  pointsEntryId: nullable(int),
  problem: nullable(text)
})
export type LockedCoupon = RowOf<typeof LockedCoupon>

/** Locks those coupons that no other process has by now, and returns their present state. */
export async function lockClaimedCoupons(ctx: Ctx, coupons: ClaimedCoupon[]): Promise<Map<number, LockedCoupon>> {
  const rows = await ctx.tx.many(
    LockedCoupon,
    sql`
    select c.id, c.status, c.ended_by, c.usage_count, c.expires_at, c.points_entry_id, c.problem from loyalty_coupons c
      join unnest(${idsOf(coupons)}::bigint[], ${tokensOf(coupons)}::int[]) as h(id, token)
        on c.id = h.id and c.lease_token = h.token
     where c.store_id = ${ctx.storeId} order by c.id for update of c`
  )
  return new Map(rows.map((one) => [one.id, one]))
}

/** How the work on a coupon ended. What is left out stays. */
export type CouponEnd = {
  id: number
  status?: 'active' | 'ended'
  endedBy?: 'used' | 'refused'
  discountId?: string | null
  piece?: FreePiece | null
  isDeleted?: boolean
  problem?: string
  /** Store time; null: nothing is to be done. */
  dueAt: Temporal.Instant | null
  /** In real time, before it is tried again. */
  restMs?: number
  attempts?: number
  error?: string | null
}

/** Records how the work on a coupon ended; its lease stays until `letGoOfCoupons`. */
export async function endClaimedCoupon(ctx: Ctx, end: CouponEnd): Promise<void> {
  const { id, status = null, endedBy = null, discountId = null, piece = null, isDeleted = false } = end
  const { problem = null, dueAt } = end
  const endedAt = status === 'ended' ? ctx.now : null
  const isSeen = status !== null || discountId !== null || isDeleted
  await ctx.tx.run(sql`
    update loyalty_coupons
       set status = coalesce(${status}, status), ended_by = coalesce(${endedBy}, ended_by),
           ended_at = coalesce(ended_at, ${endedAt}::timestamptz),
           platform_discount_id = coalesce(${discountId}, platform_discount_id),
           product_title = coalesce(${piece?.title ?? null}, product_title),
           price_minor = coalesce(${piece?.amountMinor ?? null}, price_minor),
           deleted_at = coalesce(deleted_at, ${isDeleted ? ctx.now : null}::timestamptz), problem = coalesce(${problem}, problem),
           updated_at = coalesce(${isSeen ? ctx.now : null}::timestamptz, updated_at), due_at = ${dueAt},
           rests_until = statement_timestamp() + ${end.restMs ?? null}::bigint * interval '1 millisecond',
           attempts = ${end.attempts ?? 0}, last_error = ${end.error ?? null}
     where store_id = ${ctx.storeId} and id = ${id}`)
}

/** Has all coupons worked on now that wait for a right of the app. */
export async function retryDeniedCoupons(ctx: Ctx): Promise<void> {
  // The time of an active one is when it expires; of what else is to be done nothing else waits by the store's clock.
  await ctx.tx.run(sql`
    update loyalty_coupons set due_at = ${ctx.now}, rests_until = null, attempts = 0
     where store_id = ${ctx.storeId} and due_at > ${ctx.now} and status <> 'active'`)
}

/** Others may have these coupons from now on. */
export async function letGoOfCoupons(ctx: Ctx, coupons: ClaimedCoupon[]): Promise<void> {
  await ctx.tx.run(sql`
    update loyalty_coupons c set lease_owner = null, leased_until = null, lease_token = c.lease_token + 1
      from unnest(${idsOf(coupons)}::bigint[], ${tokensOf(coupons)}::int[]) as h(id, token)
     where c.store_id = ${ctx.storeId} and c.id = h.id and c.lease_token = h.token`)
}

/** What rested in real time has waited since the end of that, by whatever clock. */
export const dueCoupons = dueQuery(
  'loyalty_coupons_due',
  `select c.store_id,
          min(greatest(c.due_at, case when t.clock_at is null then c.rests_until
                                      else s.until - (statement_timestamp() - c.rests_until) end)) as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join loyalty_coupons c on c.store_id = s.store_id and c.due_at <= s.until
     join stores t on t.store_id = s.store_id
    where (c.leased_until is null or c.leased_until < statement_timestamp())
      and (c.rests_until is null or c.rests_until < statement_timestamp())
    group by c.store_id`
)

/** What rests in real time is nothing that a clock could be moved to. */
export const nextCoupon = directSql<[storeId: number]>(
  'next_loyalty_coupon',
  `select min(due_at) as at from loyalty_coupons
    where store_id = $1 and (rests_until is null or rests_until < statement_timestamp())`
)

/** Releases what these nodes have leased, in all stores. */
export const releaseCoupons: LeaseRelease = (owners) => sql`
  update loyalty_coupons set lease_owner = null, leased_until = null where lease_owner = any(${owners}::bigint[])`
