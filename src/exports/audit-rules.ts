import { defineAuditRule } from '#kit/define-audit-rule'
import { sql } from '#kit/postgres'

export const ledgerMarksExact = defineAuditRule({
  name: 'ledger_marks_exact',
  severity: 'finding',
  help: 'A mark of the ledger is not at its thousandth entry, or has another number of hidden entries before it: pages of `/data/credits-history` would begin at another one. Was an entry removed by hand? Delete the rows of `export_marks` of the store: they are made anew.',
  counted: (ctx) => sql`select count(*) as count from export_marks where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    with numbered as (
      select e.id, row_number() over (order by e.id) as rank,
             count(h.entry_id) over (order by e.id rows unbounded preceding) as hidden
        from (select id from credit_entries where store_id = ${ctx.storeId}) e
        left join (select entry_id from hidden_credit_entries where store_id = ${ctx.storeId} and is_counted) h on h.entry_id = e.id),
    marks as (select rank, entry_id, hidden from export_marks where store_id = ${ctx.storeId})
    select 'sct_' || m.entry_id as subject,
           case when n.rank is distinct from m.rank
                then 'is marked as entry ' || m.rank || ' of the store; counted it is entry ' || coalesce(n.rank::text, 'none')
                else 'has ' || m.hidden || ' hidden entries before it and at it; counted there are ' || n.hidden end as message
      from marks m left join numbered n on n.id = m.entry_id
     where n.rank is distinct from m.rank or m.hidden <> n.hidden order by m.rank limit 100`
})

export const creditHidden = defineAuditRule({
  name: 'credit_hidden',
  severity: 'finding',
  help: 'The history of store credit shows or hides an entry wrongly. Hidden are the redemptions of cancelled orders that were restored in whole, and what has restored them. Was an entry changed past its triggers? Add the entry to `hidden_credit_entries`, or remove it there, and delete the rows of `export_marks` of the store.',
  counted: (ctx) => sql`select count(*) as count from hidden_credit_entries where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    with entries as (
      select id, type, amount_minor, reverses_id, mark from credit_entries
       where store_id = ${ctx.storeId} and (type = 4 or reverses_id is not null)),
    restored as (
      select e.id from entries e join entries r on r.reverses_id = e.id where e.type = 4
       group by e.id, e.amount_minor having bool_or(r.mark = 'order_cancelled') and e.amount_minor + sum(r.amount_minor) >= 0),
    wanted as (
      select id from restored
      union all
      select r.id from entries r join restored e on e.id = r.reverses_id where r.type = 5),
    held as (select entry_id as id from hidden_credit_entries where store_id = ${ctx.storeId})
    select 'sct_' || coalesce(w.id, h.id) as subject,
           case when h.id is null then 'is to be hidden, and is shown' else 'is to be shown, and is hidden' end as message
      from wanted w full join held h on h.id = w.id
     where w.id is null or h.id is null order by coalesce(w.id, h.id) limit 100`
})
