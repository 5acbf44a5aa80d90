import { memberFilters } from './member-filters.ts'
import { defineList } from './totals/page-with-total.ts'
import { MemberView } from './views.ts'

/** Members, newest first, id breaking ties. */
export const listMembers = defineList(MemberView, memberFilters, {
  name: 'members',
  at: 'created_at',
  status: 'status',
  hasPlans: true,
  belongs: 'status is not null',
  details: `
    select r.id, r.platform_customer_id, r.email, r.first_name, r.last_name, r.status, r.plan_id, r.plan_name, r.tier,
           r.loyalty_tier, r.loyalty_points, r.store_credit_minor, s.currency, r.birth_date,
           r.member_since at time zone 'UTC' as member_since, r.next_billing_at at time zone 'UTC' as next_billing_at,
           r.created_at at time zone 'UTC' as created_at, r.updated_at at time zone 'UTC' as updated_at
      from member_resources r join stores s on s.store_id = $1
     where r.store_id = $1 and r.id = page.id`
})
