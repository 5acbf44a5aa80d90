import { defineAuditRule } from '#kit/define-audit-rule'
import { sql } from '#kit/postgres'

export const pointsBalancesSum = defineAuditRule({
  name: 'points_balances_sum',
  severity: 'finding',
  help: 'The balance, the pending points or the points ever earned of an account are not the sum of its entries.',
  counted: (ctx) => sql`select count(*) as count from points_accounts where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    with summed as (
      select member_id, sum(points) as points, sum(pending_points) as pending, sum(lifetime_points) as lifetime
        from points_entries where store_id = ${ctx.storeId} group by member_id),
    accounts as (
      select member_id, balance, pending_points, lifetime_points from points_accounts where store_id = ${ctx.storeId})
    select 'mem_' || coalesce(a.member_id, s.member_id) as subject,
           case when a.member_id is null then 'has no account'
                else 'has ' || a.balance || ' points, ' || a.pending_points || ' pending and ' || a.lifetime_points || ' ever earned'
           end || '; the entries sum to ' || coalesce(s.points, 0) || ', ' || coalesce(s.pending, 0) || ' and ' || coalesce(s.lifetime, 0)
             as message
      from accounts a full join summed s on s.member_id = a.member_id
     where (a.balance, a.pending_points, a.lifetime_points)
             is distinct from (coalesce(s.points, 0), coalesce(s.pending, 0), coalesce(s.lifetime, 0))
     order by 1 limit 100`
})

export const pointsLotsSum = defineAuditRule({
  name: 'points_lots_sum',
  severity: 'finding',
  help: 'What is left of the points of an account, or of its pending points, is not the sum of their parts.',
  counted: (ctx) => sql`select count(*) as count from points_accounts where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    with lots as (
      select member_id, sum(remaining_points) as points from points_lots where store_id = ${ctx.storeId} group by member_id),
    pending as (
      select member_id, sum(remaining_points) as points from points_pending where store_id = ${ctx.storeId} group by member_id),
    accounts as (
      select member_id, lotted_points, pending_points from points_accounts where store_id = ${ctx.storeId})
    select 'mem_' || coalesce(a.member_id, l.member_id, p.member_id) as subject,
           'has ' || coalesce(a.lotted_points, 0) || ' points and ' || coalesce(a.pending_points, 0) || ' pending; their parts sum to '
             || coalesce(l.points, 0) || ' and ' || coalesce(p.points, 0) as message
      from accounts a
      full join lots l on l.member_id = a.member_id
      full join pending p on p.member_id = coalesce(a.member_id, l.member_id)
     where coalesce(a.lotted_points, 0) <> coalesce(l.points, 0) or coalesce(a.pending_points, 0) <> coalesce(p.points, 0)
     order by 1 limit 100`
})

export const pointsReversalsFit = defineAuditRule({
  name: 'points_reversals_fit',
  severity: 'finding',
  help: 'More of an entry of points is undone than it issued or spent, or less than nothing.',
  counted: (ctx) =>
    sql`select count(*) as count from points_entries where store_id = ${ctx.storeId} and reverses_id is not null`,
  wrong: (ctx) => sql`
    with undone as (
      select reverses_id, sum(points + pending_points) as moved, sum(shortfall_points) as shortfall from points_entries
       where store_id = ${ctx.storeId} and reverses_id is not null group by reverses_id),
    entries as (
      select id, member_id, points + pending_points as points from points_entries where store_id = ${ctx.storeId})
    select 'mem_' || e.member_id as subject,
           'has points entry ' || e.id || ' of ' || e.points || ', undone by ' || u.moved || ' with a shortfall of ' || u.shortfall as message
      from undone u join entries e on e.id = u.reverses_id
     where u.shortfall < 0
        or (e.points > 0 and (u.moved > 0 or u.shortfall - u.moved > e.points))
        or (e.points <= 0 and (u.moved < 0 or u.moved > -e.points))
     order by 1 limit 100`
})

export const pointsEventsComplete = defineAuditRule({
  name: 'points_events_complete',
  severity: 'finding',
  help: 'An entry of points has no event `member.points_changed`, or more than one.',
  counted: (ctx) => sql`select count(*) as count from points_entries where store_id = ${ctx.storeId} and points <> 0`,
  wrong: (ctx) => sql`
    with recorded as (
      select (refs ->> 'pointsEntryId')::bigint as entry, count(*) as times from facts
       where store_id = ${ctx.storeId} and name = 'member.points_changed' group by 1),
    entries as (
      select id, member_id, points, created_at from points_entries where store_id = ${ctx.storeId} and points <> 0)
    select 'mem_' || coalesce(e.member_id::text, ' unknown') as subject,
           'has points entry ' || coalesce(e.id, r.entry) || ' of ' || coalesce(e.points, 0) || ', recorded '
             || coalesce(r.times, 0) || ' times' as message
      from entries e full join recorded r on r.entry = e.id
     where e.id is null
        or (coalesce(r.times, 0) <> 1
            and e.created_at > coalesce((select complete_since from fact_history where store_id = ${ctx.storeId}), '-infinity'))
     order by 1 limit 100`
})
