/** The topics that the sandbox sends, by their name in the GraphQL enum. */
export const TOPICS = {
  APP_SCOPES_UPDATE: 'app/scopes_update',
  APP_UNINSTALLED: 'app/uninstalled',
  BULK_OPERATIONS_FINISH: 'bulk_operations/finish',
  COLLECTIONS_CREATE: 'collections/create',
  COLLECTIONS_DELETE: 'collections/delete',
  COLLECTIONS_UPDATE: 'collections/update',
  CUSTOMERS_CREATE: 'customers/create',
  CUSTOMERS_DELETE: 'customers/delete',
  CUSTOMERS_DISABLE: 'customers/disable',
  CUSTOMERS_EMAIL_MARKETING_CONSENT_UPDATE: 'customers_email_marketing_consent/update',
  CUSTOMERS_ENABLE: 'customers/enable',
  CUSTOMERS_MARKETING_CONSENT_UPDATE: 'customers_marketing_consent/update',
  CUSTOMERS_MERGE: 'customers/merge',
  CUSTOMERS_UPDATE: 'customers/update',
  CUSTOMER_PAYMENT_METHODS_CREATE: 'customer_payment_methods/create',
  CUSTOMER_PAYMENT_METHODS_REVOKE: 'customer_payment_methods/revoke',
  CUSTOMER_PAYMENT_METHODS_UPDATE: 'customer_payment_methods/update',
  CUSTOMER_TAGS_ADDED: 'customer.tags_added',
  CUSTOMER_TAGS_REMOVED: 'customer.tags_removed',
  DISCOUNTS_DELETE: 'discounts/delete',
  DISPUTES_CREATE: 'disputes/create',
  DISPUTES_UPDATE: 'disputes/update',
  ORDERS_CANCELLED: 'orders/cancelled',
  ORDERS_CREATE: 'orders/create',
  ORDERS_PAID: 'orders/paid',
  ORDERS_UPDATED: 'orders/updated',
  ORDER_TRANSACTIONS_CREATE: 'order_transactions/create',
  PRODUCTS_CREATE: 'products/create',
  PRODUCTS_DELETE: 'products/delete',
  PRODUCTS_UPDATE: 'products/update',
  REFUNDS_CREATE: 'refunds/create',
  SELLING_PLAN_GROUPS_CREATE: 'selling_plan_groups/create',
  SELLING_PLAN_GROUPS_UPDATE: 'selling_plan_groups/update',
  SHOP_UPDATE: 'shop/update',
  SUBSCRIPTION_BILLING_ATTEMPTS_CHALLENGED: 'subscription_billing_attempts/challenged',
  SUBSCRIPTION_BILLING_ATTEMPTS_FAILURE: 'subscription_billing_attempts/failure',
  SUBSCRIPTION_BILLING_ATTEMPTS_SUCCESS: 'subscription_billing_attempts/success',
  SUBSCRIPTION_CONTRACTS_ACTIVATE: 'subscription_contracts/activate',
  SUBSCRIPTION_CONTRACTS_CANCEL: 'subscription_contracts/cancel',
  SUBSCRIPTION_CONTRACTS_CREATE: 'subscription_contracts/create',
  SUBSCRIPTION_CONTRACTS_EXPIRE: 'subscription_contracts/expire',
  SUBSCRIPTION_CONTRACTS_FAIL: 'subscription_contracts/fail',
  SUBSCRIPTION_CONTRACTS_PAUSE: 'subscription_contracts/pause',
  SUBSCRIPTION_CONTRACTS_UPDATE: 'subscription_contracts/update'
} as const

export type Topic = (typeof TOPICS)[keyof typeof TOPICS]

/**
 * The topic's name in headers, from its enum name. An app may subscribe to a topic that the sandbox never sends; its last word
 * is then taken as the verb, as on the platform.
 */
export function topicOf(enumName: string): string {
  return TOPICS[enumName as keyof typeof TOPICS] ?? enumName.toLowerCase().replace(/_([^_]+)$/, '/$1')
}

export function topicEnum(topic: string): string {
  return topic.replace(/[./]/, '_').toUpperCase()
}
