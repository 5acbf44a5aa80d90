import { bool, type Ctx, int, nullable, row, type Statement, sql } from '#kit/postgres'
import { currentReviewPeriod } from '../tiers/review-period.ts'
import { listTiers } from '../tiers/tier-queries.ts'

/** A customer with the tier that plain sums say, null for none. `isWrong`: their tier is lower, or higher without a review that is still to come. */
export type RecomputedTier = { memberId: number; tierId: number | null; isWrong: boolean }

/** The tiers of all customers, computed anew. It changes nothing, and shares nothing with what places customers. */
export async function recomputeTiers(ctx: Ctx): Promise<RecomputedTier[]> {
  return ctx.tx.many(
    row({ memberId: int, tierId: nullable(int), isWrong: bool }),
    await recomputedTiers(ctx, { isAll: true, limit: Number.MAX_SAFE_INTEGER })
  )
}

/** The statement: a row for each customer, or only for those whose tier is wrong, with a sentence about it. */
export async function recomputedTiers(
  ctx: Ctx,
  { isAll, limit }: { isAll: boolean; limit: number }
): Promise<Statement> {
  const period = await currentReviewPeriod(ctx)
  const active = (await listTiers(ctx)).filter(({ isActive }) => isActive)
  const rules = active.map(({ entryRules }) => entryRules)
  const [starts, ends] =
    period.kind === 'rolling_year'
      ? [[period.since], [null]]
      : [
          [period.lastYear, period.thisYear],
          [period.thisYear, null]
        ]
  // A rolling year begins after its first instant, a calendar year with it.
  const isAfter = period.kind === 'rolling_year'
  return sql`
    with years as (
      select * from unnest(${starts}::timestamptz[], ${ends}::timestamptz[]) with ordinality as y(starts_at, ends_at, year)),
    tiers as (
      select * from unnest(${active.map(({ id }) => id)}::bigint[], ${active.map(({ place }) => place)}::int[],
                           ${rules.map((one) => one.points_earned)}::bigint[], ${rules.map((one) => one.min_spend)}::bigint[],
                           ${rules.map((one) => one.min_orders)}::bigint[]) as t(id, place, points, spent, orders)),
    people as (
      select id from members
       where store_id = ${ctx.storeId} and merged_into is null and platform_deleted_at is null and erased_at is null),
    causes as (
      select coalesce(m.merged_into, m.id) as member_id, min(e.created_at) filter (where e.lifetime_points > 0) as at,
             sum(e.lifetime_points) as points
        from points_entries e join members m on m.store_id = ${ctx.storeId} and m.id = e.member_id
       where e.store_id = ${ctx.storeId} and e.type in ('earned', 'reversed') and e.operation_id not like 'tier:%'
       group by 1, coalesce(e.reverses_id, e.pending_id, e.id)),
    earned as (
      select c.member_id, y.year, sum(c.points) as points
        from causes c
        join years y on (c.at > y.starts_at or (c.at = y.starts_at and not ${isAfter}::boolean)) and (y.ends_at is null or c.at < y.ends_at)
       where c.points > 0 group by 1, 2),
    spent as (
      select o.member_id, y.year, sum(o.kept_minor) as spent, count(*) as orders
        from loyalty_spending o
        join years y on (o.spent_at > y.starts_at or (o.spent_at = y.starts_at and not ${isAfter}::boolean))
                    and (y.ends_at is null or o.spent_at < y.ends_at)
       where o.store_id = ${ctx.storeId} and o.kept_minor > 0 group by 1, 2),
    held as (
      select p.id as member_id, t.place
        from people p cross join years y
        left join earned e on e.member_id = p.id and e.year = y.year
        left join spent s on s.member_id = p.id and s.year = y.year
        join tiers t on coalesce(e.points, 0) >= coalesce(t.points, 0) and coalesce(s.spent, 0) >= coalesce(t.spent, 0)
                    and coalesce(s.orders, 0) >= coalesce(t.orders, 0)
       union all
      select coalesce(m.merged_into, m.id), t.place
        from loyalty_granted_tiers g
        join members m on m.store_id = ${ctx.storeId} and m.id = g.member_id
        join tiers t on t.id = g.tier_id
       where g.store_id = ${ctx.storeId} and g.holds_until > ${ctx.now}),
    best as (select member_id, max(place) as place from held group by member_id),
    present as (
      select c.member_id, c.tier_id, c.review_at, l.name, l.place, l.is_active
        from loyalty_customer_tiers c join loyalty_tiers l on l.store_id = ${ctx.storeId} and l.id = c.tier_id
       where c.store_id = ${ctx.storeId}),
    compared as (
      select p.id as member_id, t.id as tier_id, c.name, c.tier_id as present_id, c.review_at,
             t.id is distinct from c.tier_id
               and not (c.is_active and c.place > coalesce(b.place, -1) and c.review_at > ${ctx.now}) is true as is_wrong
        from people p
        left join best b on b.member_id = p.id
        left join tiers t on t.place = b.place
        left join present c on c.member_id = p.id)
    select c.member_id, c.tier_id, c.is_wrong, 'mem_' || c.member_id as subject,
           'is in ' || coalesce('tier ' || c.present_id || ' (' || c.name || ')', 'no tier') || ', to be reviewed '
             || coalesce('at ' || c.review_at, 'never') || '; the rules say ' || coalesce('tier ' || c.tier_id, 'none') as message
      from compared c
     where ${isAll}::boolean or c.is_wrong
     order by c.member_id limit ${limit}`
}
