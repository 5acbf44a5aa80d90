import { type Ctx, int, row, sql } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { lockMembers } from '#members'
import { couponNotFound } from '../refusals.ts'
import type { Coupon } from './coupon.ts'
import { findCoupon } from './coupon-queries.ts'

/** Ends those of these coupons that nobody has used; the platform takes them off a moment later. What was used stays as it is. */
export async function revokeCoupons(ctx: Ctx, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  await ctx.tx.run(sql`
    update loyalty_coupons
       set status = 'ended', ended_by = 'revoked', ended_at = ${ctx.now}, updated_at = ${ctx.now}, due_at = ${ctx.now},
           rests_until = null, attempts = 0
     where store_id = ${ctx.storeId} and id = any(${ids}::bigint[]) and status <> 'ended' and usage_count = 0`)
}

/** Ends a coupon by hand. Points that have bought it stay spent. */
export async function endCoupon(ctx: Ctx, id: number): Promise<Coupon> {
  const found = await findCoupon(ctx, id)
  if (!found) throw couponNotFound(id)
  // As everything that changes the coupons of a customer: a use of it comes before, or after.
  await lockMembers(ctx, [found.memberId])
  await revokeCoupons(ctx, [id])
  const coupon = (await findCoupon(ctx, id))!
  if (coupon.endedBy !== 'revoked') {
    throw new Refusal('conflict', `Coupon ${id} is over: it ended as ${coupon.endedBy ?? 'used'}`)
  }
  return coupon
}

/** Marks the coupons whose discounts somebody has deleted on the platform. Safe to repeat. */
export async function markCouponsDeleted(ctx: Ctx, platformDiscountIds: string[]): Promise<void> {
  await ctx.tx.run(sql`
    update loyalty_coupons
       set ended_by = case when status = 'ended' then ended_by else 'deleted' end, ended_at = coalesce(ended_at, ${ctx.now}),
           status = 'ended', deleted_at = ${ctx.now}, updated_at = ${ctx.now}, due_at = null, rests_until = null
     where store_id = ${ctx.storeId} and platform_discount_id = any(${platformDiscountIds}::text[]) and deleted_at is null`)
}

/** Gives the coupons of a customer whom the platform has merged to the one that was kept. */
export async function reassignCoupons(ctx: Ctx, from: number, to: number): Promise<void> {
  await ctx.tx.run(sql`
    update loyalty_coupons set member_id = ${to}, updated_at = ${ctx.now}
     where store_id = ${ctx.storeId} and member_id = ${from}`)
}

/**
 * Counts which of these orders have used coupons, each once, also those that are cancelled: the platform gives no use back. A coupon is good for
 * one order.
 */
export async function countCouponUses(ctx: Ctx, orderIds: number[]): Promise<void> {
  if (orderIds.length === 0) return
  const used = await ctx.tx.many(
    row({ couponId: int }),
    sql`
    insert into loyalty_coupon_uses (store_id, coupon_id, order_id)
    select ${ctx.storeId}, u.coupon_id, u.order_id
      from (select distinct c.id as coupon_id, o.id as order_id
              from orders o
             cross join lateral unnest(o.discount_codes) as d(code)
              join loyalty_coupons c on c.store_id = ${ctx.storeId} and upper(c.code) = upper(d.code)
             where o.store_id = ${ctx.storeId} and o.id = any(${orderIds}::bigint[]) offset 0) as u
     order by u.coupon_id, u.order_id
    on conflict do nothing
    returning coupon_id`
  )
  if (used.length === 0) return
  const ids = [...new Set(used.map(({ couponId }) => couponId))]
  // One that is still to be made was made all the same: its answer was lost, and its number is looked for.
  await ctx.tx.run(sql`
    with counted as (
      select coupon_id, count(*)::int as uses from loyalty_coupon_uses
       where store_id = ${ctx.storeId} and coupon_id = any(${ids}::bigint[]) group by coupon_id)
    update loyalty_coupons c
       set usage_count = counted.uses, updated_at = ${ctx.now},
           status = case when c.status = 'active' then 'ended' else c.status end,
           ended_by = case when c.status = 'active' then 'used' else c.ended_by end,
           ended_at = case when c.status = 'active' then ${ctx.now}::timestamptz else c.ended_at end,
           due_at = case when c.status = 'active' then null else c.due_at end
      from counted
     where c.store_id = ${ctx.storeId} and c.id = counted.coupon_id`)
}
