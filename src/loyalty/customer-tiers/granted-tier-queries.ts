import { type Ctx, instant, int, row, sql } from '#kit/postgres'

/** A tier that was given to a customer. `until`: to their first review. */
type GrantedTier = { memberId: number; tierId: number; until: Temporal.Instant }

/** The tiers that were given to these customers, and to those who were merged into them, and that hold now. */
export function listGrantedTiers(ctx: Ctx, memberIds: number[]): Promise<GrantedTier[]> {
  return ctx.tx.many(
    row({ memberId: int, tierId: int, until: instant }),
    sql`
    select coalesce(m.merged_into, m.id) as member_id, g.tier_id, max(g.holds_until) as until
      from members m
      join loyalty_granted_tiers g on g.store_id = ${ctx.storeId} and g.member_id = m.id
     where m.store_id = ${ctx.storeId} and (m.id = any(${memberIds}::bigint[]) or m.merged_into = any(${memberIds}::bigint[]))
       and g.holds_until > ${ctx.now}
     group by 1, 2`
  )
}

/** The tiers that were ever given to these customers, and to those who were merged into them. */
export function listEverGranted(ctx: Ctx, memberIds: number[]): Promise<{ memberId: number; tierId: number }[]> {
  return ctx.tx.many(
    row({ memberId: int, tierId: int }),
    sql`
    select coalesce(m.merged_into, m.id) as member_id, g.tier_id
      from members m
      join loyalty_granted_tiers g on g.store_id = ${ctx.storeId} and g.member_id = m.id
     where m.store_id = ${ctx.storeId} and (m.id = any(${memberIds}::bigint[]) or m.merged_into = any(${memberIds}::bigint[]))
     order by g.granted_at, g.member_id`
  )
}
