import { type Ctx, instant, int, nullable, type RowOf, row, sql, text } from '#kit/postgres'

const Placed = row({ memberId: int, email: nullable(text), tierId: nullable(int), reviewAt: nullable(instant) })
/** A customer with their tier; null for none. */
export type PlacedCustomer = RowOf<typeof Placed>

/** Those of these customers whom the platform still has, with their tiers. */
export function listPlaced(ctx: Ctx, memberIds: number[]): Promise<PlacedCustomer[]> {
  return ctx.tx.many(
    Placed,
    sql`
    select m.id as member_id, m.email, t.tier_id, t.review_at
      from members m
      left join loyalty_customer_tiers t on t.store_id = ${ctx.storeId} and t.member_id = m.id
     where m.store_id = ${ctx.storeId} and m.id = any(${memberIds}::bigint[]) and m.merged_into is null
       and m.platform_deleted_at is null and m.erased_at is null
     order by m.id`
  )
}

/** A tier that a customer is in from now on, or goes on being in with another review. */
export type TierToWrite = { memberId: number; tierId: number | null; reviewAt: Temporal.Instant | null }

export async function writeCustomerTiers(ctx: Ctx, tiers: TierToWrite[]): Promise<void> {
  if (tiers.length === 0) return
  await ctx.tx.run(sql`
    insert into loyalty_customer_tiers as c (store_id, member_id, tier_id, entered_at, review_at)
    select ${ctx.storeId}, t.member_id, t.tier_id, ${ctx.now}, t.review_at
      from unnest(${tiers.map((t) => t.memberId)}::bigint[], ${tiers.map((t) => t.tierId)}::bigint[],
                  ${tiers.map((t) => t.reviewAt)}::timestamptz[]) as t(member_id, tier_id, review_at)
     order by t.member_id
    on conflict (store_id, member_id) do update
      set entered_at = case when c.tier_id is distinct from excluded.tier_id then excluded.entered_at else c.entered_at end,
          tier_id = excluded.tier_id, review_at = excluded.review_at`)
}

/** Customers whom the platform has no more are in no tier. */
export async function endCustomerTiers(ctx: Ctx, memberIds: number[]): Promise<void> {
  if (memberIds.length === 0) return
  await ctx.tx.run(sql`
    update loyalty_customer_tiers set tier_id = null, review_at = null, entered_at = ${ctx.now}
     where store_id = ${ctx.storeId} and member_id = any(${memberIds}::bigint[]) and tier_id is not null`)
}

/** Whose tier is to be reviewed by now, those first who wait longest. */
export async function listDueReviews(ctx: Ctx, limit: number): Promise<number[]> {
  const rows = await ctx.tx.many(
    row({ memberId: int }),
    sql`
    select member_id from loyalty_customer_tiers
     where store_id = ${ctx.storeId} and review_at <= ${ctx.now} order by review_at, member_id limit ${limit}`
  )
  return rows.map(({ memberId }) => memberId)
}

/** How many customers each tier has; those without any are not in it. */
export async function countByTier(ctx: Ctx): Promise<Map<number, number>> {
  const rows = await ctx.tx.many(
    row({ tierId: int, count: int }),
    sql`
    select tier_id, count(*) as count from loyalty_customer_tiers
     where store_id = ${ctx.storeId} and tier_id is not null group by tier_id`
  )
  return new Map(rows.map(({ tierId, count }) => [tierId, count]))
}

/** Notes whose rewards of which tiers are given now, and returns those that were not before. */
export async function claimTierRewards<T extends { memberId: number; tierId: number }>(
  ctx: Ctx,
  entries: T[]
): Promise<T[]> {
  const claimed = await ctx.tx.many(
    row({ memberId: int, tierId: int }),
    sql`
    insert into loyalty_tier_rewards (store_id, member_id, tier_id, given_at)
    select ${ctx.storeId}, e.member_id, e.tier_id, ${ctx.now}
      from unnest(${entries.map((e) => e.memberId)}::bigint[], ${entries.map((e) => e.tierId)}::bigint[]) as e(member_id, tier_id)
     order by e.member_id, e.tier_id
    on conflict do nothing
    returning member_id, tier_id`
  )
  const isNew = new Set(claimed.map(({ memberId, tierId }) => `${memberId} ${tierId}`))
  return entries.filter(({ memberId, tierId }) => isNew.has(`${memberId} ${tierId}`))
}
