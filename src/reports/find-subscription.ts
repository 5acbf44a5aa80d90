import { directSql, type Queries } from '#kit/postgres'
import { SubscriptionView } from './views.ts'

const subscriptionById = directSql<[storeId: number, subscriptionId: number]>(
  'subscription_by_id',
  `select s.*, m.platform_customer_id, m.email, m.first_name, m.last_name, s.name as plan_name
     from subscriptions s
     join members m on m.store_id = $1 and m.id = s.member_id
    where s.store_id = $1 and s.id = $2`
)

/** A subscription by our id, in one round trip outside row-level security; null when the store has none such. */
export function findSubscription(
  direct: Queries,
  storeId: number,
  subscriptionId: number
): Promise<SubscriptionView | null> {
  return direct.maybeOne(SubscriptionView, subscriptionById(storeId, subscriptionId))
}
