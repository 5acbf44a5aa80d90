import { defineAuditRule } from '#kit/define-audit-rule'
import { sql } from '#kit/postgres'

export const privacyRequestsOverdue = defineAuditRule({
  name: 'privacy_requests_overdue',
  severity: 'finding',
  help: 'A request about personal data is not done, and its 30 days are over or end within five. `perennial privacy show` says what it waits for; the file of a data request has to be fetched (`perennial privacy export`).',
  counted: (ctx) => sql`select count(*) as count from privacy_requests where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    select topic || ' ' || id as subject,
           'received ' || to_char(received_at, 'YYYY-MM-DD') || ', due ' || to_char(due_at, 'YYYY-MM-DD') || ', is '
           || case status when 'ready' then 'not fetched' else 'not done' || coalesce(': ' || reason, '') end as message
      from privacy_requests
     where store_id = ${ctx.storeId} and done_at is null and due_at < ${ctx.now.add({ hours: 5 * 24 })}
     order by due_at, id limit 100`
})

export const erasedStayErased = defineAuditRule({
  name: 'erased_stay_erased',
  severity: 'finding',
  help: 'The row of an erased customer names somebody again. Erase them once more (`perennial privacy run`), and report how it came about.',
  counted: (ctx) =>
    sql`select count(*) as count from members where store_id = ${ctx.storeId} and erased_at is not null`,
  wrong: (ctx) => sql`
    select 'customer cust_' || id as subject, 'was erased, and has personal data again' as message from members
     where store_id = ${ctx.storeId} and erased_at is not null
       and (num_nonnulls(email, first_name, last_name, birth_date, province_code, email_consent, sms_consent, account_state) > 0
            or platform_customer_id <> '0' || id)
     order by id limit 100`
})
