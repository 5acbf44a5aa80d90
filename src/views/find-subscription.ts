import { directSql, type Queries } from '#kit/postgres'
import { SubscriptionView } from './views.ts'

const subscriptionById = directSql<[storeId: number, subscriptionId: number]>(
  'subscription_by_id',
  `select s.*, m.platform_customer_id, m.email, m.first_name, m.last_name, s.name as plan_name,
          c.plan_id as pending_plan_id, c.price_minor as pending_price_minor,
          c.interval as pending_interval, c.interval_count as pending_interval_count,
          c.platform_payment_method_id as pending_payment_method_id, c.requested_at as change_requested_at,
          r.platform_customer_id as receiver_platform_id, r.email as receiver_email, r.first_name as receiver_first_name,
          r.last_name as receiver_last_name,
          (select to_jsonb(o) || jsonb_build_object('discount_gid', g.platform_id, 'used_cycles', g.used_cycles)
             from contract_offers o left join contract_grants g on g.store_id = $1 and g.id = o.grant_id
            where o.store_id = $1 and o.subscription_id = s.id and o.status = 'active') as offer
     from subscriptions s
     join members m on m.store_id = $1 and m.id = s.member_id
     left join members r on r.store_id = $1 and r.id = s.receiver_member_id
     left join subscription_changes c on c.store_id = $1 and c.subscription_id = s.id
    where s.store_id = $1 and s.id = $2`
)

/** A subscription by our id, in one round trip outside row-level security; null when the store does not have it. */
export function findSubscription(
  direct: Queries,
  storeId: number,
  subscriptionId: number
): Promise<SubscriptionView | null> {
  return direct.maybeOne(SubscriptionView, subscriptionById(storeId, subscriptionId))
}
