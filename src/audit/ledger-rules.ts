import { sql } from '#kit/postgres'
import type { Check } from './commit-rules.ts'

/** What holds of the ledgers of credit and points at every commit, from their raw entries. */
export const LEDGER_CHECKS: Check[] = [
  {
    name: 'credit_balances_sum',
    counted: (ctx) => sql`select count(*) as count from credit_accounts where store_id = ${ctx.storeId}`,
    wrong: (ctx) => sql`
      with summed as (
        select member_id, sum(amount_minor) as sum, count(*) as entries from credit_entries
         where store_id = ${ctx.storeId} group by member_id),
      lots as (
        select member_id, sum(remaining_minor) as sum from credit_lots where store_id = ${ctx.storeId} group by member_id),
      accounts as (select member_id, balance_minor, entries from credit_accounts where store_id = ${ctx.storeId})
      select 'cust_' || coalesce(a.member_id, s.member_id, l.member_id) as subject,
             'has a credit balance of ' || coalesce(a.balance_minor::text, 'none') || ' in ' || coalesce(a.entries, 0)
               || ' entries; its entries sum to ' || coalesce(s.sum, 0) || ' in ' || coalesce(s.entries, 0)
               || ', its lots to ' || coalesce(l.sum, 0) || ' (minor units)' as message
        from accounts a full join summed s on s.member_id = a.member_id
        full join lots l on l.member_id = coalesce(a.member_id, s.member_id)
       where a.balance_minor is distinct from coalesce(s.sum, 0) or a.entries is distinct from coalesce(s.entries, 0)
          or coalesce(l.sum, 0) <> greatest(a.balance_minor, 0)
       order by 1 limit 100`
  },
  {
    name: 'credit_entries_chained',
    counted: (ctx) => sql`select count(*) as count from credit_entries where store_id = ${ctx.storeId}`,
    wrong: (ctx) => sql`
      select 'sct_' || id as subject,
             'is entry ' || position || ' of cust_' || member_id || ' with ' || balance_after_minor
               || ' after it; counted again it is entry ' || nth || ' with ' || running as message
        from (select id, member_id, position, balance_after_minor,
                     row_number() over w as nth, sum(amount_minor) over w as running
                from credit_entries where store_id = ${ctx.storeId} window w as (partition by member_id order by id)) e
       where position <> nth or balance_after_minor <> running
       order by id limit 100`
  },
  {
    name: 'credit_events_complete',
    counted: (ctx) => sql`
      select count(*) as count from events
       where store_id = ${ctx.storeId} and type in ('store_credit.added', 'store_credit.deducted')`,
    wrong: (ctx) => sql`
      with recorded as (
        select data::jsonb ->> 'transaction_id' as entry, count(*) filter (where type = 'store_credit.added') as added,
               count(*) filter (where type = 'store_credit.deducted') as deducted
          from events where store_id = ${ctx.storeId} and type in ('store_credit.added', 'store_credit.deducted')
         group by 1),
      entries as (select 'sct_' || id as id, amount_minor from credit_entries where store_id = ${ctx.storeId})
      select coalesce(e.id, t.entry) as subject,
             'moves ' || coalesce(e.amount_minor::text, 'nothing') || ' (minor units), told as added '
               || coalesce(t.added, 0) || ' and as deducted ' || coalesce(t.deducted, 0) || ' times' as message
        from entries e full join recorded t on t.entry = e.id
       where coalesce(t.added, 0) <> case when e.amount_minor > 0 then 1 else 0 end
          or coalesce(t.deducted, 0) <> case when e.amount_minor < 0 then 1 else 0 end
       order by 1 limit 100`
  },
  {
    name: 'cycle_credits_issued',
    counted: (ctx) => sql`
      select count(*) as count from billing_attempts where store_id = ${ctx.storeId} and credit_minor is not null`,
    wrong: (ctx) => sql`
      with due as (
        select 'charge:ba_' || id as operation, credit_minor from billing_attempts
         where store_id = ${ctx.storeId} and status = 'success' and credit_minor is not null),
      issued as (
        select operation_id as operation, amount_minor from credit_entries
         where store_id = ${ctx.storeId} and starts_with(operation_id, 'charge:ba_'))
      select replace(coalesce(d.operation, i.operation), 'charge:', '') as subject,
             'is to issue ' || coalesce(d.credit_minor::text, 'no') || ' store credit and issued '
               || coalesce(i.amount_minor::text, 'none') || ' (minor units)' as message
        from due d full join issued i using (operation)
       where d.credit_minor is distinct from i.amount_minor
       order by 1 limit 100`
  },
  {
    name: 'points_balances_sum',
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
  },
  {
    name: 'points_events_complete',
    counted: (ctx) => sql`select count(*) as count from points_entries where store_id = ${ctx.storeId}`,
    wrong: (ctx) => sql`
      with recorded as (
        select (refs ->> 'pointsEntryId')::bigint as entry, count(*) as times from events
         where store_id = ${ctx.storeId} and type = 'member.points_changed' group by 1),
      entries as (select id, member_id, points from points_entries where store_id = ${ctx.storeId})
      select 'mem_' || coalesce(e.member_id::text, ' unknown') as subject,
             'has points entry ' || coalesce(e.id, t.entry) || ' of ' || coalesce(e.points, 0) || ', told '
               || coalesce(t.times, 0) || ' times' as message
        from entries e full join recorded t on t.entry = e.id
       where coalesce(t.times, 0) <> 1 or e.id is null
       order by 1 limit 100`
  }
]
