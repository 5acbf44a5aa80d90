import { operatorSubscriptionFilters } from './subscription-filters.ts'
import { defineList } from './totals/page-with-total.ts'
import { SubscriptionView } from './views.ts'

/** Subscriptions, newest first, id breaking ties. */
export const listSubscriptions = defineList(SubscriptionView, operatorSubscriptionFilters, {
  name: 'subscriptions',
  at: 'created_at',
  status: 'public_status',
  hasPlans: true,
  details: `
    select s.id, s.platform_contract_id, s.member_id, m.platform_customer_id, m.email, m.first_name, m.last_name,
           s.plan_id, s.name as plan_name, s.status, s.price_minor, s.member_discount_minor, s.granted_discount_minor, s.currency,
           s.interval, s.interval_count, s.cycle_index, s.max_cycles, s.trial_ends_at at time zone 'UTC' as trial_ends_at,
           s.next_billing_at at time zone 'UTC' as next_billing_at, s.paused_at at time zone 'UTC' as paused_at,
           s.resumes_at at time zone 'UTC' as resumes_at, s.cancelled_at at time zone 'UTC' as cancelled_at,
           s.cancel_reason, s.grace_ends_at at time zone 'UTC' as grace_ends_at,
           c.plan_id as pending_plan_id, c.price_minor as pending_price_minor,
           c.interval as pending_interval, c.interval_count as pending_interval_count,
           c.platform_payment_method_id as pending_payment_method_id, c.requested_at at time zone 'UTC' as change_requested_at,
           s.receiver_member_id, r.platform_customer_id as receiver_platform_id, r.email as receiver_email,
           r.first_name as receiver_first_name, r.last_name as receiver_last_name,
           s.gifted_at at time zone 'UTC' as gifted_at,
           (select to_jsonb(o) || jsonb_build_object('discount_gid', g.platform_id, 'used_cycles', g.used_cycles)
             from contract_offers o left join contract_grants g on g.store_id = $1 and g.id = o.grant_id
            where o.store_id = $1 and o.subscription_id = s.id and o.status = 'active') as offer,
           s.created_at at time zone 'UTC' as created_at, s.updated_at at time zone 'UTC' as updated_at
      from subscriptions s join members m on m.store_id = $1 and m.id = s.member_id
      left join members r on r.store_id = $1 and r.id = s.receiver_member_id
      left join subscription_changes c on c.store_id = $1 and c.subscription_id = s.id
     where s.store_id = $1 and s.id = page.id`
})
