import { Kind, type OperationDefinitionNode } from 'graphql'
import type { Shop } from '../shop.ts'
import type { WireError } from './errors.ts'

/** The scopes that an app is granted by default: those that a membership app requests. */
export const ACCESS_SCOPES = [
  'read_customers',
  'write_customers',
  'read_orders',
  'write_orders',
  'read_products',
  'write_products',
  'read_discounts',
  'write_discounts',
  'read_own_subscription_contracts',
  'write_own_subscription_contracts',
  'read_customer_payment_methods',
  'read_store_credit_accounts',
  'write_store_credit_account_transactions',
  'read_shopify_payments_disputes'
] as const

const NEEDED: [RegExp, string][] = [
  [/^(customers|customerByIdentifier|customer)$/, 'read_customers'],
  [/^customer(Create|Update)$/, 'write_customers'],
  [/^(orders|order|refund)$/, 'read_orders'],
  [/^refundCreate$/, 'write_orders'],
  [/^(products|product|productVariant)$/, 'read_products'],
  [/^(product(Create|VariantsBulkUpdate)|sellingPlanGroup[A-Z]\w*)$/, 'write_products'],
  [/^discount(Code|Automatic)/, 'write_discounts'],
  [/^subscription(Contracts?|BillingAttempts?|BillingCycles)$/, 'read_own_subscription_contracts'],
  [/^subscription/, 'write_own_subscription_contracts'],
  [/^storeCreditAccount(Credit|Debit)$/, 'write_store_credit_account_transactions'],
  [/^storeCreditAccount$/, 'read_store_credit_accounts'],
  [/^disputes?$/, 'read_shopify_payments_disputes']
]

/** The error of the first root field that the app may not use; null if it may use them all. */
export function lacksScope(shop: Shop, operation: OperationDefinitionNode): WireError | null {
  if (shop.accessScopes === null) return null
  for (const selection of operation.selectionSet.selections) {
    if (selection.kind !== Kind.FIELD) continue
    const name = selection.name.value
    const scope = NEEDED.find(([pattern]) => pattern.test(name))?.[1]
    if (!scope || shop.accessScopes.includes(scope)) continue
    return {
      message: `Access denied for ${name} field. Required access: \`${scope}\` access scope.`,
      path: [selection.alias?.value ?? name],
      extensions: {
        code: 'ACCESS_DENIED',
        documentation: 'https://shopify.dev/api/usage/access-scopes',
        requiredAccess: `\`${scope}\` access scope.`
      }
    }
  }
  return null
}
