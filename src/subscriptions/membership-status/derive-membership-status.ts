import type { Fact } from '#kit/outbox'
import { type Ctx, instant, int, nullable, oneOf, row, sql } from '#kit/postgres'
import { lockMembers, type MembershipStatus, setMembershipStatuses } from '#members'

/**
 * The rule of who is a member: derives the status, plan and dates of members from all subscriptions that each of them holds, and
 * stores them. Called for the holders of changed subscriptions; returns the facts, for the caller to record. A gift counts for its
 * receiver. The members are locked before anything is read: of two transactions that change one member, the later sees what the
 * other did.
 */
export async function deriveMembershipStatuses(ctx: Ctx, memberIds: number[]): Promise<Fact[]> {
  const ids = [...new Set(memberIds)]
  const before = await lockMembers(ctx, ids)
  const memberships = await ctx.tx.many(
    row({
      memberId: int,
      status: oneOf('active', 'paused', 'cancelled'),
      planId: nullable(int),
      memberSince: instant,
      nextBillingAt: nullable(instant)
    }),
    sql`
    with held as (
      select member_id, id, status, plan_id, cancelled_at, created_at as since, next_billing_at from subscriptions
       where store_id = ${ctx.storeId} and member_id = any(${ids}::bigint[]) and receiver_member_id is null
      union all
      select receiver_member_id, id, status, plan_id, cancelled_at, gifted_at, next_billing_at from subscriptions
       where store_id = ${ctx.storeId} and receiver_member_id = any(${ids}::bigint[]))
    select s.member_id,
           case min(case s.status when 'active' then 1 when 'paused' then 2 else 3 end)
             when 1 then 'active' when 2 then 'paused' else 'cancelled' end as status,
           -- The plan of an active subscription before that of a paused one, a membership before products, VIP before Elite, the
           -- oldest of equals. If all have ended, the plan of the one that ended last.
           (array_agg(s.plan_id order by s.status not in ('active', 'paused'), s.plan_id is null, p.type = 'product',
                      case s.status when 'active' then 1 when 'paused' then 2 else 3 end,
                      case when s.cancelled_at is null then p.type is distinct from 'vip' end, s.cancelled_at desc,
                      case when s.cancelled_at is null then s.id else -s.id end))[1] as plan_id,
           min(s.since) as member_since,
           min(s.next_billing_at) as next_billing_at
      from held s left join plans p on p.store_id = ${ctx.storeId} and p.id = s.plan_id
     group by s.member_id`
  )
  // A member who holds nothing any more is cancelled, with the plan that they had last.
  const holders = new Set(memberships.map(({ memberId }) => memberId))
  const former = before.flatMap(({ id, memberSince, planId }): MembershipStatus[] => {
    if (memberSince === null || holders.has(id)) return []
    return [{ memberId: id, status: 'cancelled', planId, memberSince, nextBillingAt: null }]
  })
  return setMembershipStatuses(ctx, [...memberships, ...former])
}
