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
