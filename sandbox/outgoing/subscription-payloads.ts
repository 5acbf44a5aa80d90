import type { Shop } from '../shop.ts'
import type { Attempt } from '../state/attempts.ts'
import type { Contract } from '../state/contracts.ts'
import { formsOf, number } from './json.ts'

/** The body of every subscription_contracts topic. */
export function contractPayload(shop: Shop, contract: Contract) {
  const form = formsOf(shop)
  const { billingPolicy, deliveryPolicy } = contract
  return {
    admin_graphql_api_id: form.gid('SubscriptionContract', contract.id),
    id: number(contract.id),
    billing_policy: {
      interval: billingPolicy.interval.toLowerCase(),
      interval_count: billingPolicy.intervalCount,
      min_cycles: billingPolicy.minCycles,
      max_cycles: billingPolicy.maxCycles
    },
    currency_code: contract.currency,
    customer_id: number(contract.customerId),
    admin_graphql_api_customer_id: form.gid('Customer', contract.customerId),
    delivery_policy: {
      interval: deliveryPolicy.interval.toLowerCase(),
      interval_count: deliveryPolicy.intervalCount
    },
    status: contract.status.toLowerCase(),
    admin_graphql_api_origin_order_id: form.gidOrNull('Order', contract.originOrderId),
    origin_order_id: number(contract.originOrderId),
    revision_id: contract.revisionId
  }
}

/** The body of subscription_billing_attempts/success, failure and challenged. */
export function attemptPayload(shop: Shop, attempt: Attempt) {
  const form = formsOf(shop)
  return {
    id: number(attempt.id),
    admin_graphql_api_id: form.gid('SubscriptionBillingAttempt', attempt.id),
    idempotency_key: attempt.idempotencyKey,
    order_id: number(attempt.orderId),
    admin_graphql_api_order_id: form.gidOrNull('Order', attempt.orderId),
    subscription_contract_id: number(attempt.contractId),
    admin_graphql_api_subscription_contract_id: form.gid('SubscriptionContract', attempt.contractId),
    ready: attempt.status === 'succeeded' || attempt.status === 'failed',
    error_message: attempt.errorMessage,
    error_code: attempt.errorCode
  }
}
