import { bool, type Ctx, oneOf, row, sql } from '#kit/postgres'

/**
 * The tiers of the active memberships that a customer holds, in no order, and whether they ever held one. In dunning and in a trial a
 * membership is active. A gift is held by its receiver; who gave it away has held it.
 */
export async function findMemberships(ctx: Ctx, memberId: number) {
  const held = await ctx.tx.many(
    row({ tier: oneOf('vip', 'elite'), isActive: bool }),
    sql`
    select p.type as tier,
           bool_or(s.status = 'active' and coalesce(s.receiver_member_id, s.member_id) = ${memberId}) as is_active
      from subscriptions s join plans p on p.store_id = ${ctx.storeId} and p.id = s.plan_id
     where s.store_id = ${ctx.storeId} and (s.member_id = ${memberId} or s.receiver_member_id = ${memberId})
       and p.type in ('vip', 'elite')
     group by p.type`
  )
  return {
    activeTiers: held.filter(({ isActive }) => isActive).map(({ tier }) => tier),
    heldMembership: held.length > 0
  }
}
