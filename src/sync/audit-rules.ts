import { defineAuditRule } from '#kit/define-audit-rule'
import { sql } from '#kit/postgres'

/** Failures in a row before a person should look: the retries are minutes and then hours apart. */
const MAX_FAILURES = 5

export const platformReconciled = defineAuditRule({
  name: 'platform_looked_at',
  severity: 'finding',
  help:
    'A [reconciliation with the platform](#reconciliation) failed five times in a row, or has not finished for two ' +
    'days. The finding has the last error.',
  counted: (ctx) => sql`select count(*) as count from reconciliations where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    select r.kind as subject,
           case when r.failures >= ${MAX_FAILURES}
                then 'failed ' || r.failures || ' times in a row: ' || coalesce(r.last_error, '')
                else 'was due at ' || r.next_at || ' and did not come to an end' end as message
      from reconciliations r join stores s on s.store_id = ${ctx.storeId}
     where r.store_id = ${ctx.storeId} and s.status = 'active'
       and (r.failures >= ${MAX_FAILURES} or r.next_at < statement_timestamp() - interval '2 days')
     order by r.kind limit 100`
})

export const restoredStoreOnHold = defineAuditRule({
  name: 'restored_store_on_hold',
  severity: 'warning',
  help:
    'The store was restored from a backup and is [on hold](#after-a-restore): nothing is charged, pushed or sent until its platform ' +
    'was read. The message says how far that is, and what went wrong. If the platform can no longer be reached, ' +
    '`perennial store release` ends it.',
  counted: (ctx) => sql`
    select count(*) as count from stores where store_id = ${ctx.storeId} and restored_at is not null`,
  wrong: (ctx) => sql`
    select s.domain as subject,
           'on hold since ' || s.restored_at || '; still to be read: ' || coalesce(string_agg(
             r.kind || case when r.last_error is null then '' else ' (failed: ' || r.last_error || ')' end, ', ' order by r.kind)
               filter (where r.finished_at is null), 'nothing') as message
      from stores s
      left join reconciliations r on r.store_id = ${ctx.storeId} and r.kind in ('attempts', 'all_contracts', 'failed_attempts')
     where s.store_id = ${ctx.storeId} and s.restored_at is not null
     group by s.domain, s.restored_at`
})

export const storeReadIn = defineAuditRule({
  name: 'store_read_in',
  severity: 'warning',
  help:
    'A part of what the store had before it was connected [cannot be read in](connect-a-store.md#7-read-in-what-the-shop-had), failed five ' +
    'times in a row, or had objects that could not be read. `perennial platform read-in` begins again.',
  counted: (ctx) => sql`select count(*) as count from read_ins where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    select r.part as subject,
           case when r.phase = 'failed' or r.failures >= ${MAX_FAILURES} then coalesce(r.last_error, 'failed')
                else r.skipped || ' could not be read; the last: ' || coalesce(r.skipped_reason, '') end as message
      from read_ins r join stores s on s.store_id = ${ctx.storeId}
     where r.store_id = ${ctx.storeId} and s.status = 'active'
       and (r.phase = 'failed' or r.failures >= ${MAX_FAILURES} or r.skipped > 0)
     order by r.part limit 100`
})
