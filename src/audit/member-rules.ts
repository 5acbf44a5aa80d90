import { sql } from '#kit/postgres'
import { memberJobs } from '#members'
import type { Check } from './commit-rules.ts'

/** What holds of members beside their standing. */
export const MEMBER_CHECKS: Check[] = [
  {
    name: 'profiles_pushed',
    counted: (ctx) => sql`
      select count(*) as count from members where store_id = ${ctx.storeId} and profile_pending <> '{}'`,
    wrong: (ctx) => sql`
      select 'mem_' || m.id as subject,
             'has ' || array_to_string(m.profile_pending, ', ') || ' waiting for the platform, and no job to bring it there'
               as message
        from members m
       where m.store_id = ${ctx.storeId} and m.profile_pending <> '{}'
         and not exists (select from jobs j where j.store_id = m.store_id and j.kind = ${memberJobs.pushCustomerJob.name}
                          and j.dedupe_key = m.id::text)
       order by m.id limit 100`
  }
]
