import { type Ctx, instant, int, row, sentTogether, sql } from '#kit/postgres'
import { countsSince, currentReviewPeriod, type ReviewPeriod, YEAR_HOURS } from '../tiers/review-period.ts'
import { hasEntryRules, type LoyaltyTier } from '../tiers/tier.ts'
import { listGrantedTiers } from './granted-tier-queries.ts'

/** A tier that holds for a customer: by its entry rules, or since it was granted. `until`: when they may hold no more, if nothing else happens. */
export type HeldTier = { memberId: number; tierId: number; until: Temporal.Instant }

/**
 * The tiers that hold now for each of these customers, a tier that was granted until its day. Of points those count that were earned, on the day when
 * they could be spent first, without what was taken back of them, and without the rewards of tiers. Of customers who were merged into them, too.
 */
export async function listHeldTiers(ctx: Ctx, memberIds: number[], tiers: LoyaltyTier[]): Promise<HeldTier[]> {
  if (memberIds.length === 0) return []
  const asked = tiers.filter((tier) => tier.isActive && hasEntryRules(tier))
  const period = await currentReviewPeriod(ctx)
  const [granted, reached] = await sentTogether(
    listGrantedTiers(ctx, memberIds),
    asked.length === 0 ? Promise.resolve([]) : listReached(ctx, memberIds, asked, period)
  )
  const longest = new Map<string, HeldTier>()
  for (const one of [...reached, ...granted]) {
    const key = `${one.memberId} ${one.tierId}`
    const other = longest.get(key)
    if (!other || Temporal.Instant.compare(other.until, one.until) < 0) longest.set(key, one)
  }
  return [...longest.values()]
}

const listReached = (ctx: Ctx, memberIds: number[], tiers: LoyaltyTier[], period: ReviewPeriod): Promise<HeldTier[]> =>
  period.kind === 'rolling_year'
    ? listHeldInRollingYear(ctx, memberIds, tiers, period)
    : listHeldInCalendarYears(ctx, memberIds, tiers, period)

const Held = row({ memberId: int, tierId: int, until: instant })

/**
 * Each rule holds by what came last: the sums of all that is as new or newer reach it first at one instant, and it holds until that is a year old.
 */
function listHeldInRollingYear(
  ctx: Ctx,
  memberIds: number[],
  tiers: LoyaltyTier[],
  { since }: Extract<ReviewPeriod, { kind: 'rolling_year' }>
): Promise<HeldTier[]> {
  return ctx.tx.many(
    Held,
    sql`
    with people as (
      select id, coalesce(merged_into, id) as member_id from members
       where store_id = ${ctx.storeId} and (id = any(${memberIds}::bigint[]) or merged_into = any(${memberIds}::bigint[]))),
    earned as (
      select p.member_id, min(e.created_at) filter (where e.lifetime_points > 0) as at, sum(e.lifetime_points) as points
        from people p
        join points_entries e on e.store_id = ${ctx.storeId} and e.member_id = p.id
       where e.type in ('earned', 'reversed') and e.lifetime_points <> 0 and e.operation_id not like 'tier:%'
       group by p.member_id, coalesce(e.reverses_id, e.pending_id, e.id)
      having sum(e.lifetime_points) > 0),
    counted as (
      select member_id, at, points, 0 as spent, 0 as orders from earned where at > ${since}
       union all
      select member_id, spent_at, 0, kept_minor, 1 from loyalty_spending
       where store_id = ${ctx.storeId} and member_id = any(${memberIds}::bigint[]) and spent_at > ${since} and kept_minor > 0),
    summed as (
      select member_id, at, sum(points) over newest as points, sum(spent) over newest as spent, sum(orders) over newest as orders
        from counted window newest as (partition by member_id order by at desc)),
    asked as (
      select * from unnest(${tiers.map(({ id }) => id)}::bigint[], ${tiers.map(({ entryRules }) => entryRules.points_earned)}::bigint[],
                           ${tiers.map(({ entryRules }) => entryRules.min_spend)}::bigint[],
                           ${tiers.map(({ entryRules }) => entryRules.min_orders)}::bigint[]) as t(tier_id, points, spent, orders))
    select s.member_id, t.tier_id,
           least(max(s.at) filter (where s.points >= t.points), max(s.at) filter (where s.spent >= t.spent),
                 max(s.at) filter (where s.orders >= t.orders)) + ${YEAR_HOURS} * interval '1 hour' as until
      from summed s cross join asked t
     group by s.member_id, t.tier_id, t.points, t.spent, t.orders
    having (t.points is null or max(s.points) >= t.points) and (t.spent is null or max(s.spent) >= t.spent)
       and (t.orders is null or max(s.orders) >= t.orders)`
  )
}

/** What this year or the last one has reached holds to the end of this year. */
function listHeldInCalendarYears(
  ctx: Ctx,
  memberIds: number[],
  tiers: LoyaltyTier[],
  { lastYear, thisYear, nextYear }: Extract<ReviewPeriod, { kind: 'calendar_year' }>
): Promise<HeldTier[]> {
  return ctx.tx.many(
    Held,
    sql`
    with people as (
      select id, coalesce(merged_into, id) as member_id from members
       where store_id = ${ctx.storeId} and (id = any(${memberIds}::bigint[]) or merged_into = any(${memberIds}::bigint[]))),
    earned as (
      select p.member_id, min(e.created_at) filter (where e.lifetime_points > 0) as at, sum(e.lifetime_points) as points
        from people p
        join points_entries e on e.store_id = ${ctx.storeId} and e.member_id = p.id
       where e.type in ('earned', 'reversed') and e.lifetime_points <> 0 and e.operation_id not like 'tier:%'
       group by p.member_id, coalesce(e.reverses_id, e.pending_id, e.id)
      having sum(e.lifetime_points) > 0),
    counted as (
      select member_id, at, points, 0 as spent, 0 as orders from earned where at >= ${lastYear}
       union all
      select member_id, spent_at, 0, kept_minor, 1 from loyalty_spending
       where store_id = ${ctx.storeId} and member_id = any(${memberIds}::bigint[]) and spent_at >= ${lastYear} and kept_minor > 0),
    summed as (
      select member_id, at >= ${thisYear} as is_now, sum(points) as points, sum(spent) as spent, sum(orders) as orders
        from counted group by 1, 2),
    asked as (
      select * from unnest(${tiers.map(({ id }) => id)}::bigint[], ${tiers.map(({ entryRules }) => entryRules.points_earned)}::bigint[],
                           ${tiers.map(({ entryRules }) => entryRules.min_spend)}::bigint[],
                           ${tiers.map(({ entryRules }) => entryRules.min_orders)}::bigint[]) as t(tier_id, points, spent, orders))
    select distinct s.member_id, t.tier_id, ${nextYear}::timestamptz as until
      from summed s
      join asked t on (t.points is null or s.points >= t.points) and (t.spent is null or s.spent >= t.spent)
                  and (t.orders is null or s.orders >= t.orders)`
  )
}

/** The points that a customer has earned of what counts for the next tier. */
export async function findCountedPoints(ctx: Ctx, memberId: number): Promise<number> {
  const { since, isAfter } = countsSince(await currentReviewPeriod(ctx))
  const { points } = await ctx.tx.one(
    row({ points: int }),
    sql`
    with people as (
      select id from members where store_id = ${ctx.storeId} and (id = ${memberId} or merged_into = ${memberId})),
    earned as (
      select min(e.created_at) filter (where e.lifetime_points > 0) as at, sum(e.lifetime_points) as points
        from people p
        join points_entries e on e.store_id = ${ctx.storeId} and e.member_id = p.id
       where e.type in ('earned', 'reversed') and e.lifetime_points <> 0 and e.operation_id not like 'tier:%'
       group by coalesce(e.reverses_id, e.pending_id, e.id)
      having sum(e.lifetime_points) > 0)
    select coalesce(sum(points), 0)::bigint as points from earned
     where at > ${since} or (at = ${since} and not ${isAfter}::boolean)`
  )
  return points
}
