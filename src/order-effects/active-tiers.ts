import { type Ctx, int, row, sql, text } from '#kit/postgres'

/** An order, who placed it and when. */
export type Placed = { orderId: number; memberId: number; at: Temporal.Instant }

/** The tier of the membership that each customer held, active or in trial, when the order was placed: Elite before VIP. */
export async function findActiveTiers(ctx: Ctx, placed: Placed[]): Promise<Map<number, string>> {
  if (placed.length === 0) return new Map()
  const rows = await ctx.tx.many(
    row({ orderId: int, tierName: text }),
    sql`
    with placed as (
      select * from unnest(${placed.map((p) => p.orderId)}::bigint[], ${placed.map((p) => p.memberId)}::bigint[],
                           ${placed.map((p) => p.at)}::timestamptz[]) as t(order_id, member_id, at)),
    -- Whose subscription it was then: of a gift the receiver's from the day it was given.
    held as (
      select p.order_id, p.at, s.id, s.plan_id, s.paused_at, s.cancelled_at
        from placed p join subscriptions s on s.store_id = ${ctx.storeId} and s.member_id = p.member_id
       where s.created_at <= p.at and (s.receiver_member_id is null or s.gifted_at > p.at)
      union all
      select p.order_id, p.at, s.id, s.plan_id, s.paused_at, s.cancelled_at
        from placed p join subscriptions s on s.store_id = ${ctx.storeId} and s.receiver_member_id = p.member_id
       where s.created_at <= p.at and s.gifted_at <= p.at)
    select distinct on (h.order_id) h.order_id, coalesce(l.tier_name, l.name) as tier_name
      from held h
      join plans l on l.store_id = ${ctx.storeId} and l.id = h.plan_id and l.type <> 'product'
     cross join lateral (
       select coalesce((
         select case when a.kind = 'imported' then a.refs ->> 'status' = 'active' else a.kind in ('resumed', 'reactivated') end
           from contract_activities a
          where a.store_id = ${ctx.storeId} and a.subscription_id = h.id and a.occurred_at <= h.at
            and a.kind in ('imported', 'paused', 'resumed', 'cancelled', 'reactivated', 'expired', 'failed')
          order by a.id desc limit 1),
         coalesce(h.paused_at, h.cancelled_at, 'infinity') > h.at) as is_active) then_
     where then_.is_active
     order by h.order_id, (l.type = 'elite') desc, h.id`
  )
  return new Map(rows.map(({ orderId, tierName }) => [orderId, tierName]))
}
