import { directSql, type Queries } from '#kit/postgres'
import { BillingAttemptView } from './views.ts'

const billingAttemptById = directSql<[storeId: number, attemptId: number]>(
  'billing_attempt_by_id',
  `select a.*, o.platform_order_id, o.number as order_number
     from billing_attempts a
     left join orders o on o.store_id = $1 and o.id = a.order_id
    where a.store_id = $1 and a.id = $2`
)

/** A billing attempt by our id, with its order; null when the store does not have it. */
export function findBillingAttempt(
  queries: Queries,
  storeId: number,
  attemptId: number
): Promise<BillingAttemptView | null> {
  return queries.maybeOne(BillingAttemptView, billingAttemptById(storeId, attemptId))
}
