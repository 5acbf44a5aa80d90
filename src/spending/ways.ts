import { type Ctx, int, oneOf, row, sql } from '#kit/postgres'
import { CREDIT_PAYOUT_TYPES, findMainPlans, listPlans, PLAN_TYPES } from '#plans'

/** How a customer spends store credit: `store_credit_type` of the plan that decides. */
export type SpendingWay = (typeof CREDIT_PAYOUT_TYPES)[number]

/** Whether the platform is given what a customer of this way can spend. */
export const isMirrored = (way: SpendingWay | undefined): boolean => way === 'storecredit' || way === 'giftcard'

/**
 * How each of these customers spends credit now. The membership decides that decides the status: one that lives before one that has
 * ended, VIP before Elite, then the newest. For who never held one, it is the main plan, VIP before Elite; where there is none, the oldest
 * enabled plan, of products last. A store without a plan has no way: its customers are left out.
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
                h.cancelled_at desc, h.id desc)
    select holder as member_id, credit_type as way from deciding`
  )
  const ways = new Map(rows.map(({ memberId, way }) => [memberId, way]))
  const others = memberIds.filter((id) => !ways.has(id))
  const usual = others.length > 0 ? await wayWithoutMembership(ctx) : null
  if (usual !== null) for (const id of others) ways.set(id, usual)
  return ways
}

async function wayWithoutMembership(ctx: Ctx): Promise<SpendingWay | null> {
  const plans = await listPlans(ctx)
  const { vip, elite } = await findMainPlans(ctx, plans)
  const oldest = (type: string) => plans.find((plan) => plan.type === type && plan.status === 'enabled')
  const plan = vip ?? elite ?? PLAN_TYPES.map(oldest).find((found) => found !== undefined)
  return plan?.creditType ?? null
}
