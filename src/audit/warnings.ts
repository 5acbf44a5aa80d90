import { type Ctx, row, sql, text } from '#kit/postgres'
import type { Finding } from './commit-rules.ts'

const Found = row({ check: text, subject: text, message: text })

/**
 * What broke no rule and still wants a person: charges that the customer did not owe, as long as they are not refunded, and
 * charges that wait for somebody.
 */
export function auditWarnings(ctx: Ctx): Promise<Finding[]> {
  return ctx.tx.many(
    Found,
    sql`
    (select 'charged_after_stop' as "check", 'ba_' || a.id as subject,
            'was paid after sub_' || a.subscription_id || ' had ended, and is not refunded' as message
       from billing_attempts a left join orders o on o.store_id = a.store_id and o.id = a.order_id
      where a.store_id = ${ctx.storeId} and a.charged_after_stop and a.status = 'success'
        and coalesce(o.refunded_minor, 0) < a.amount_minor
      order by a.id limit 100)
    union all
    (select 'charged_twice', 'ba_' || a.id,
            'was paid although it was told as failed, and so was another charge of cycle ' || a.cycle_index || ' of sub_'
              || a.subscription_id || '; it is not refunded'
       from billing_attempts a
       join billing_attempts b on b.store_id = a.store_id and b.subscription_id = a.subscription_id
        and b.cycle_index = a.cycle_index and b.status = 'success'
       left join orders o on o.store_id = a.store_id and o.id = a.order_id
      where a.store_id = ${ctx.storeId} and a.late_success_at is not null and a.status = 'failed'
        and coalesce(o.refunded_minor, 0) < a.amount_minor
      order by a.id limit 100)
    union all
    (select 'charges_held', 'sub_' || s.id,
            'has a charge of cycle ' || s.next_cycle || ' that waits for a person: ' || l.error_code
       from subscriptions s
      cross join lateral (
        select a.error_code from billing_attempts a
         where a.store_id = s.store_id and a.subscription_id = s.id and a.cycle_index = s.next_cycle
         order by a.attempt_number desc limit 1) l
      where s.store_id = ${ctx.storeId} and s.status = 'active' and s.billing_due_at is null and s.declines = 0
        and l.error_code in ('already_paid', 'contract_not_billable', 'not_accepted')
      order by s.id limit 100)
    union all
    (select 'contracts_quarantined', 'contract ' || contract_id,
            'could not be read or taken over since ' || since || ': ' || reason
       from quarantined_contracts where store_id = ${ctx.storeId} order by since, contract_id limit 100)`
  )
}
