import { defineAuditRule } from '#kit/define-audit-rule'
import { sql } from '#kit/postgres'

export const creditBalancesSum = defineAuditRule({
  name: 'credit_balances_sum',
  severity: 'finding',
  help: 'A balance of store credit is not the sum of its entries, or not that of its unspent lots. Was a table changed by hand?',
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
})

export const creditEntriesChained = defineAuditRule({
  name: 'credit_entries_chained',
  severity: 'finding',
  help: 'The entries of a credit account, added up one by one, give other balances than they carry.',
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
})

export const creditEventsComplete = defineAuditRule({
  name: 'credit_events_complete',
  severity: 'finding',
  help: 'An entry of store credit has no event `store_credit.added` or `store_credit.deducted`, or more than one.',
  counted: (ctx) => sql`
    select count(*) as count from facts
     where store_id = ${ctx.storeId} and name in ('store_credit.added', 'store_credit.deducted')`,
  wrong: (ctx) => sql`
    with recorded as (
      select data::jsonb ->> 'transaction_id' as entry, count(*) filter (where name = 'store_credit.added') as added,
             count(*) filter (where name = 'store_credit.deducted') as deducted
        from facts where store_id = ${ctx.storeId} and name in ('store_credit.added', 'store_credit.deducted')
       group by 1),
    entries as (select 'sct_' || id as id, amount_minor, created_at from credit_entries where store_id = ${ctx.storeId})
    select coalesce(e.id, r.entry) as subject,
           'moves ' || coalesce(e.amount_minor::text, 'nothing') || ' (minor units), recorded as added '
             || coalesce(r.added, 0) || ' and as deducted ' || coalesce(r.deducted, 0) || ' times' as message
      from entries e full join recorded r on r.entry = e.id
     where (coalesce(r.added, 0) <> case when e.amount_minor > 0 then 1 else 0 end
            or coalesce(r.deducted, 0) <> case when e.amount_minor < 0 then 1 else 0 end)
       and (e.id is null
            or e.created_at > coalesce((select complete_since from fact_history where store_id = ${ctx.storeId}), '-infinity'))
     order by 1 limit 100`
})
