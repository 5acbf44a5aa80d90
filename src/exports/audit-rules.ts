import { defineAuditRule } from '#kit/define-audit-rule'
import { sql } from '#kit/postgres'

export const ledgerMarksExact = defineAuditRule({
  name: 'ledger_marks_exact',
  severity: 'finding',
  help: 'A mark of the ledger is not at its thousandth entry: pages of `/data/credits-history` would begin at another one. Was an entry removed by hand? Delete the rows of `export_marks` of the store: they are made anew.',
  counted: (ctx) => sql`select count(*) as count from export_marks where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    with numbered as (
      select id, row_number() over (order by id) as rank from credit_entries where store_id = ${ctx.storeId}),
    marks as (select rank, entry_id from export_marks where store_id = ${ctx.storeId})
    select 'sct_' || m.entry_id as subject,
           'is marked as entry ' || m.rank || ' of the store; counted it is entry ' || coalesce(n.rank::text, 'none') as message
      from marks m left join numbered n on n.id = m.entry_id
     where n.rank is distinct from m.rank order by m.rank limit 100`
})
