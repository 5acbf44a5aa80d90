import { defineAuditRule } from '#kit/define-audit-rule'
import { sql } from '#kit/postgres'
import { pushCustomerJob } from './push-customers.ts'

export const profilesPushed = defineAuditRule({
  name: 'profiles_pushed',
  severity: 'finding',
  help:
    "A change of a member's address or name waits for the platform, and no job exists that would send it. Send the `PATCH` " +
    'again with another value, then with the right one.',
  counted: (ctx) => sql`
    select count(*) as count from members where store_id = ${ctx.storeId} and profile_pending <> '{}'`,
  wrong: (ctx) => sql`
    select 'mem_' || m.id as subject,
           'has ' || array_to_string(m.profile_pending, ', ') || ' waiting for the platform, and no job to bring it there'
             as message
      from members m
     where m.store_id = ${ctx.storeId} and m.profile_pending <> '{}'
       and not exists (select from jobs j where j.store_id = ${ctx.storeId} and j.kind = ${pushCustomerJob.name}
                        and j.dedupe_key = m.id::text)
     order by m.id limit 100`
})

export const customerMergesFlat = defineAuditRule({
  name: 'customer_merges_flat',
  severity: 'finding',
  help:
    'A customer was merged into another who was merged into a third, and does not lead to who remains: what their orders have issued or spent is then ' +
    'taken back from, and restored to, nobody. An older version that ran beside this one leaves that, or a table that was changed by hand. The message ' +
    'says to whom `merged_into` is to lead.',
  counted: (ctx) => sql`
    select count(*) as count from members where store_id = ${ctx.storeId} and merged_into is not null`,
  wrong: (ctx) => sql`
    select 'cust_' || m.id as subject,
           'leads to cust_' || k.id || ', who was merged into cust_' || k.merged_into as message
      from members m
      join members k on k.store_id = ${ctx.storeId} and k.id = m.merged_into and k.merged_into is not null
     where m.store_id = ${ctx.storeId}
     order by m.id limit 100`
})

export const membersCounted = defineAuditRule({
  name: 'members_counted',
  severity: 'finding',
  help: 'The counts of members per section of ids, by which pages of `/data/members` are found, are not those of the table. Was a table changed past its triggers?',
  counted: (ctx) => sql`select count(*) as count from member_sections where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    with counted as (
      select id / 4096 as section, count(*) as rows from members
       where store_id = ${ctx.storeId} and status is not null and merged_into is null group by 1),
    held as (
      select section, sum(rows) as rows from (
        select section, rows from member_sections where store_id = ${ctx.storeId}
        union all
        select section, delta from member_section_changes where store_id = ${ctx.storeId}) s group by section)
    select 'section ' || coalesce(c.section, h.section) as subject,
           'has ' || coalesce(c.rows, 0) || ' members; the maintained counts say ' || coalesce(h.rows, 0) as message
      from counted c full join held h on h.section = c.section
     where coalesce(c.rows, 0) <> coalesce(h.rows, 0) order by 1 limit 100`
})
