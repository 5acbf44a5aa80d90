import { type Consent, consentIn, type PlatformCustomer, readAccountState } from '../customers/customer.ts'
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

/** The body of customer.tags_added and customer.tags_removed: the tags that were. */
export function parseCustomerTagsPayload(payload: unknown): {
  customerId: string
  tags: string[]
  occurredAt: Temporal.Instant | null
} {
  const change = new Fields(payload, 'customer')
  return {
    customerId: change.id('customerId'),
    tags: change.texts('tags'),
    occurredAt: change.maybeInstant('occurredAt')
  }
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
    updatedAt: customer.maybeInstant('updated_at'),
    accountState: readAccountState(customer),
    // Versions of the API before the present one have them in here too.
    emailConsent: payloadConsent(customer, 'email_marketing_consent'),
    smsConsent: payloadConsent(customer, 'sms_marketing_consent'),
    // Messages about tags are of a topic of their own.
    tags: null
  }
}

const payloadConsent = (payload: Fields, field: string): Consent | null =>
  consentIn(payload.maybeAt(field), 'state', 'consent_updated_at')

/** What somebody wants to be sent: e-mails, or texts to a telephone. */
export type ConsentChannel = 'email' | 'sms'
export type ConsentPayload = { customerId: string; channel: ConsentChannel; consent: Consent | null }

/** The body of customers_email_marketing_consent/update. */
export function parseEmailConsentPayload(payload: unknown): ConsentPayload {
  const change = new Fields(payload, 'consent')
  return {
    customerId: change.exactId('admin_graphql_api_customer_id', 'customer_id'),
    channel: 'email',
    consent: payloadConsent(change, 'email_marketing_consent')
  }
}

/** The body of customers_marketing_consent/update, which is about texts. */
export function parseSmsConsentPayload(payload: unknown): ConsentPayload {
  const change = new Fields(payload, 'consent')
  return {
    customerId: change.exactId('admin_graphql_api_id', 'id'),
    channel: 'sms',
    consent: payloadConsent(change, 'sms_marketing_consent')
  }
}

/** The body of products/* and collections/*: of one that was deleted it has little more. */
export function parseCatalogPayload(payload: unknown): { id: string } {
  return { id: new Fields(payload, 'catalog').exactId('admin_graphql_api_id', 'id') }
}

/** The body of discounts/delete: the number of the discount. */
export function parseDeletedDiscountPayload(payload: unknown): { id: string } {
  return { id: new Fields(payload, 'discount').id('admin_graphql_api_id') }
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
