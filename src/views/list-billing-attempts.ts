import { billingAttemptFilters } from './billing-attempt-filters.ts'
import { defineList } from './totals/page-with-total.ts'
import { BillingAttemptView } from './views.ts'

/** Billing attempts, newest first, by the date on which they were scheduled, id breaking ties. */
export const listBillingAttempts = defineList(BillingAttemptView, billingAttemptFilters, {
  name: 'billing_attempts',
  at: 'scheduled_at',
  status: 'status',
  hasPlans: false,
  details: `
    select a.id, a.subscription_id, a.status, a.amount_minor, a.currency,
           a.scheduled_at at time zone 'UTC' as scheduled_at, a.attempt_number, a.cycle_index, a.error_code,
           a.error_message, a.decline_code, a.retry_at at time zone 'UTC' as retry_at, a.attempts_remaining, a.recovered,
           a.charged_after_stop, a.order_id,
           o.platform_order_id, o.number as order_number, a.payment_method,
           a.action_url, a.action_required_at at time zone 'UTC' as action_required_at, a.action_reminders,
           a.created_at at time zone 'UTC' as created_at, a.completed_at at time zone 'UTC' as completed_at
      from billing_attempts a left join orders o on o.store_id = $1 and o.id = a.order_id
     where a.store_id = $1 and a.id = page.id`
})
