import { defineAuditRule } from '#kit/define-audit-rule'
import { sql } from '#kit/postgres'

export const pointsBalancesSum = defineAuditRule({
  name: 'points_balances_sum',
  severity: 'finding',
  help: 'A balance of points is not the sum of its entries.',
  counted: (ctx) => sql`select count(*) as count from points_accounts where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    with summed as (
      select member_id, sum(points) as sum from points_entries where store_id = ${ctx.storeId} group by member_id),
    accounts as (select member_id, balance from points_accounts where store_id = ${ctx.storeId})
    select 'mem_' || coalesce(a.member_id, s.member_id) as subject,
           'has ' || coalesce(a.balance::text, 'no account of') || ' points; the entries sum to ' || coalesce(s.sum, 0)
             as message
      from accounts a full join summed s on s.member_id = a.member_id
     where a.balance is distinct from coalesce(s.sum, 0)
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
