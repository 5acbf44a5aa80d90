import { type Ctx, int, oneOf, row, sql } from '#kit/postgres'
import { CREDIT_PAYOUT_TYPES } from '#plans'

/** How a customer spends store credit: `store_credit_type` of the plan that decides. */
export type SpendingWay = (typeof CREDIT_PAYOUT_TYPES)[number]

/** Whether the platform is given what a customer of this way can spend. */
export const isMirrored = (way: SpendingWay | undefined): boolean => way === 'storecredit' || way === 'giftcard'

/**
 * How each of these customers spends credit now. The membership decides that decides the status: one that lives before one that has
 * ended, VIP before Elite, then the newest. For who never held one, it is the main plan: the oldest that is enabled, VIP before
 * Elite before a plan of products. A store without a plan has no way: its customers are left out.
 */
export async function listWays(ctx: Ctx, memberIds: number[]): Promise<Map<number, SpendingWay>> {
  if (memberIds.length === 0) return new Map()
  const rows = await ctx.tx.many(
    row({ memberId: int, way: oneOf(...CREDIT_PAYOUT_TYPES) }),
    sql`
    with held as (
      select member_id as holder, plan_id, status, cancelled_at, id from subscriptions
       where store_id = ${ctx.storeId} and member_id = any(${memberIds}::bigint[]) and receiver_member_id is null
      union all
      select receiver_member_id, plan_id, status, cancelled_at, id from subscriptions
       where store_id = ${ctx.storeId} and receiver_member_id = any(${memberIds}::bigint[])),
    deciding as (
      select distinct on (h.holder) h.holder, p.credit_type
        from held h join plans p on p.store_id = ${ctx.storeId} and p.id = h.plan_id and p.type <> 'product'
       order by h.holder, case when h.status in ('active', 'paused') then p.type = 'elite' end nulls last,
                h.cancelled_at desc, h.id desc),
    main as (
      select credit_type from plans where store_id = ${ctx.storeId} and status = 'enabled'
       order by case type when 'vip' then 0 when 'elite' then 1 else 2 end, id limit 1)
    select m.id as member_id, coalesce(d.credit_type, (select credit_type from main)) as way
      from unnest(${memberIds}::bigint[]) as m(id) left join deciding d on d.holder = m.id
     where d.credit_type is not null or exists (select from main)`
  )
  return new Map(rows.map(({ memberId, way }) => [memberId, way]))
}
