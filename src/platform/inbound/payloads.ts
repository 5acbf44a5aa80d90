import type { PlatformCustomer } from '../customers/customer.ts'
import type { PlatformOrder } from '../orders/order.ts'
import { Fields } from '../wire/fields.ts'
import { INTERVALS, type Interval } from '../wire/interval.ts'

export type ContractPayload = {
  id: string
  status: string
  revision: string
  customerId: string
  originOrderId: string | null
  currency: string
  interval: Interval
  intervalCount: number
  minCycles: number | null
  maxCycles: number | null
}

export type AttemptPayload = {
  /** Null where the message has none; then contract and key identify the attempt. */
  id: string | null
  idempotencyKey: string
  contractId: string
  orderId: string | null
  ready: boolean
  errorCode: string | null
  errorMessage: string | null
}

/** The body of subscription_contracts/*. Throws MalformedPayload, as all of these functions do. */
export function parseContractPayload(payload: unknown): ContractPayload {
  const contract = new Fields(payload, 'contract')
  const policy = contract.at('billing_policy')
  return {
    id: contract.exactId('admin_graphql_api_id', 'id'),
    status: contract.lower('status'),
    revision: contract.digits('revision_id'),
    customerId: contract.exactId('admin_graphql_api_customer_id', 'customer_id'),
    originOrderId: contract.maybeExactId('admin_graphql_api_origin_order_id', 'origin_order_id'),
    currency: contract.text('currency_code'),
    interval: policy.oneOf('interval', INTERVALS),
    intervalCount: policy.int('interval_count'),
    minCycles: policy.maybeInt('min_cycles'),
    maxCycles: policy.maybeInt('max_cycles')
  }
}

/** The body of subscription_billing_attempts/*. */
export function parseAttemptPayload(payload: unknown): AttemptPayload {
  const attempt = new Fields(payload, 'attempt')
  return {
    id: attempt.maybeExactId('admin_graphql_api_id', 'id'),
    idempotencyKey: attempt.text('idempotency_key'),
    contractId: attempt.exactId('admin_graphql_api_subscription_contract_id', 'subscription_contract_id'),
    orderId: attempt.maybeExactId('admin_graphql_api_order_id', 'order_id'),
    ready: attempt.flag('ready'),
    errorCode: attempt.maybeText('error_code')?.toLowerCase() ?? null,
    errorMessage: attempt.maybeText('error_message')
  }
}

/** The body of orders/*: the same order that the connector reads. */
export function parseOrderPayload(payload: unknown): PlatformOrder {
  const order = new Fields(payload, 'order')
  const currency = order.text('currency')
  const createdAt = order.instant('created_at')
  const address = order.maybeAt('shipping_address') ?? order.maybeAt('billing_address')
  return {
    id: order.exactId('admin_graphql_api_id', 'id'),
    name: order.text('name'),
    number: order.digits('order_number'),
    createdAt,
    processedAt: order.maybeInstant('processed_at') ?? createdAt,
    updatedAt: order.instant('updated_at'),
    cancelledAt: order.maybeInstant('cancelled_at'),
    currency,
    totalMinor: order.amount('total_price', currency),
    taxMinor: order.maybeAmount('total_tax', currency) ?? 0,
    discountMinor: order.maybeAmount('total_discounts', currency) ?? 0,
    refundedMinor: order.maybeList('refunds').reduce((sum, refund) => sum + refunded(refund, currency), 0),
    financialStatus: order.maybeText('financial_status')?.toLowerCase() ?? 'pending',
    customerId: order.maybeAt('customer')?.exactId('admin_graphql_api_id', 'id') ?? null,
    email: order.maybeText('email') || null,
    gateway: order.texts('payment_gateway_names')[0] ?? null,
    countryCode: address?.maybeText('country_code') ?? null,
    province: address?.maybeText('province') ?? null,
    tags: commaSeparated(order.maybeText('tags')),
    discountCodes: order.maybeList('discount_codes').map((code) => code.text('code')),
    sourceName: order.maybeText('source_name')
  }
}

/** The amount of a refund: the sum of its successful transactions, in the shop's currency where the message states it. */
function refunded(refund: Fields, currency: string): number {
  return refund
    .maybeList('transactions')
    .filter((paid) => paid.lower('kind') === 'refund' && paid.lower('status') === 'success')
    .reduce((sum, paid) => {
      const shopMoney = paid.maybeAt('amount_set')?.maybeAt('shop_money')
      return sum + (shopMoney ?? paid).amount('amount', currency)
    }, 0)
}

function commaSeparated(text: string | null): string[] {
  return (text ?? '')
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
}

/** The body of customers/create, /update, /enable and /disable, and the customer within an order. */
export function parseCustomerPayload(payload: unknown): PlatformCustomer {
  const customer = new Fields(payload, 'customer')
  const address = customer.maybeAt('default_address')
  return {
    id: customer.exactId('admin_graphql_api_id', 'id'),
    email: customer.maybeText('email') || null,
    firstName: customer.maybeText('first_name'),
    lastName: customer.maybeText('last_name'),
    countryCode: address?.maybeText('country_code') ?? null,
    provinceCode: address?.maybeText('province_code') ?? null,
    createdAt: customer.maybeInstant('created_at'),
    updatedAt: customer.maybeInstant('updated_at')
  }
}

/** The body of customer_payment_methods/*: the customer and the method. */
export function parsePaymentMethodPayload(payload: unknown): { customerId: string; methodId: string } {
  const method = new Fields(payload, 'payment_method')
  return {
    customerId: method.exactId('admin_graphql_api_customer_id', 'customer_id'),
    methodId: method.text('token')
  }
}

/** The body of customers/delete, which has only the id. */
export function parseDeletedCustomerPayload(payload: unknown): { customerId: string } {
  return { customerId: new Fields(payload, 'customer').exactId('admin_graphql_api_id', 'id') }
}

/** The body of customers/merge. Only a merge that is `completed` has happened. */
export function parseMergePayload(payload: unknown): { keptId: string; deletedId: string; status: string } {
  const merge = new Fields(payload, 'merge')
  return {
    keptId: merge.id('admin_graphql_api_customer_kept_id'),
    deletedId: merge.id('admin_graphql_api_customer_deleted_id'),
    status: merge.lower('status')
  }
}

/** The body of bulk_operations/finish. */
export function parseBulkOperationPayload(payload: unknown): { id: string } {
  return { id: new Fields(payload, 'operation').id('admin_graphql_api_id') }
}
