import { defineAuditRule } from '#kit/define-audit-rule'
import { sql } from '#kit/postgres'

export const listsCounted = defineAuditRule({
  name: 'lists_counted',
  severity: 'finding',
  help: 'The totals of a list do not match its rows: was a table changed past its triggers? See below.',
  counted: (ctx) => sql`select count(*) as count from list_blocks where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    with counted as (
      select r.list, f.plan_id, f.status, count(*) as rows
        from list_rows r
       cross join lateral (values (0::bigint, ''), (0, r.status), (r.plan_id, ''), (r.plan_id, r.status)) f(plan_id, status)
       where r.store_id = ${ctx.storeId} and f.plan_id is not null group by 1, 2, 3),
    marks as (
      select changes as list, max(rolled_up_to) as rolled_up_to from rollup_marks where store_id = ${ctx.storeId} group by 1),
    waiting as (
      select c.list, f.plan_id, f.status, sum(c.delta) as rows
        from list_changes c left join marks m on m.list = c.list
       cross join lateral (values (0::bigint, ''), (0, c.status), (c.plan_id, ''), (c.plan_id, c.status)) f(plan_id, status)
       where c.store_id = ${ctx.storeId} and c.change_id > coalesce(m.rolled_up_to, 0) and f.plan_id is not null
       group by 1, 2, 3),
    held as (
      select list, plan_id, status, sum(rows) filter (where level = 0) as in_blocks, sum(rows) filter (where level = 1) as in_chapters
        from list_blocks where store_id = ${ctx.storeId} group by 1, 2, 3)
    select list as subject,
           'of ' || case when status = '' then 'every status' else status end
             || case when plan_id = 0 then '' else ' in plan_' || plan_id end || ' has ' || coalesce(c.rows, 0)
             || ' rows; the maintained counts say ' || coalesce(h.in_blocks, 0) + coalesce(w.rows, 0)
             || ' by blocks and ' || coalesce(h.in_chapters, 0) + coalesce(w.rows, 0) || ' by chapters' as message
      from counted c full join held h using (list, plan_id, status) full join waiting w using (list, plan_id, status)
     where coalesce(c.rows, 0) <> coalesce(h.in_blocks, 0) + coalesce(w.rows, 0)
        or coalesce(h.in_blocks, 0) <> coalesce(h.in_chapters, 0)
     order by 1, 2 limit 100`
})
