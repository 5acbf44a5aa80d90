import { defaultFieldResolver, GraphQLError, type GraphQLSchema, getNamedType, isObjectType } from 'graphql'
import type { Shop } from '../shop.ts'

/** Every scope that the sandbox knows. */
export const ACCESS_SCOPES = [
  'read_customers',
  'write_customers',
  'read_customer_merge',
  'write_customer_merge',
  'read_orders',
  'write_orders',
  'read_products',
  'write_products',
  'read_publications',
  'write_publications',
  'read_discounts',
  'write_discounts',
  'read_own_subscription_contracts',
  'write_own_subscription_contracts',
  'read_customer_payment_methods',
  'read_store_credit_accounts',
  'write_store_credit_account_transactions',
  'read_gift_cards',
  'write_gift_cards',
  'read_gift_card_transactions',
  'write_gift_card_transactions',
  'read_shopify_payments_disputes'
] as const

/** What reading an object needs, wherever it is found: at the root, below another object, or by its id. */
const SCOPE_OF_TYPE: Record<string, string> = {
  Customer: 'read_customers',
  CustomerPaymentMethod: 'read_customer_payment_methods',
  Order: 'read_orders',
  OrderTransaction: 'read_orders',
  Refund: 'read_orders',
  Product: 'read_products',
  ProductVariant: 'read_products',
  Collection: 'read_products',
  Publication: 'read_publications',
  SellingPlan: 'read_products',
  SellingPlanGroup: 'read_products',
  DiscountNode: 'read_discounts',
  DiscountCodeNode: 'read_discounts',
  DiscountAutomaticNode: 'read_discounts',
  DiscountRedeemCodeBulkCreation: 'read_discounts',
  Segment: 'read_customers',
  CustomerSegmentMember: 'read_customers',
  CustomerSegmentMembersQuery: 'read_customers',
  SubscriptionContract: 'read_own_subscription_contracts',
  SubscriptionBillingAttempt: 'read_own_subscription_contracts',
  SubscriptionBillingCycle: 'read_own_subscription_contracts',
  SubscriptionDraft: 'read_own_subscription_contracts',
  StoreCreditAccount: 'read_store_credit_accounts',
  GiftCard: 'read_gift_cards',
  GiftCardConfiguration: 'read_gift_cards',
  GiftCardTransaction: 'read_gift_card_transactions',
  GiftCardCreditTransaction: 'read_gift_card_transactions',
  GiftCardDebitTransaction: 'read_gift_card_transactions',
  ShopifyPaymentsDispute: 'read_shopify_payments_disputes',
  OrderDisputeSummary: 'read_shopify_payments_disputes'
}

const SCOPE_OF_MUTATION: [RegExp, string][] = [
  [/^customerMerge$/, 'write_customer_merge'],
  [/^(customer(?!PaymentMethodSendUpdateEmail|Segment)[A-Z]\w*|dataSaleOptOut)$/, 'write_customers'],
  [/^(publishable|product)(Publish|Unpublish)$/, 'write_publications'],
  [/^refundCreate$/, 'write_orders'],
  [/^(product|collection|sellingPlanGroup)[A-Z]\w*$/, 'write_products'],
  [/^discount/, 'write_discounts'],
  [/^segment/, 'write_customers'],
  [/^customerSegmentMembersQueryCreate$/, 'read_customers'],
  [/^subscription/, 'write_own_subscription_contracts'],
  [/^storeCreditAccount(Credit|Debit)$/, 'write_store_credit_account_transactions'],
  [/^giftCard(Credit|Debit)$/, 'write_gift_card_transactions'],
  [/^giftCard/, 'write_gift_cards']
]

/** What a change of tags needs, by the type of their owner. */
export const SCOPE_OF_TAGGED = {
  Customer: 'write_customers',
  Order: 'write_orders',
  Product: 'write_products'
} as const

/** What a change of metafields needs, by the stored type of their owner: as much as a change of the owner. Those of the shop need nothing. */
const SCOPE_OF_METAFIELDS: Record<string, string> = {
  ...SCOPE_OF_TAGGED,
  Collection: 'write_products',
  ProductVariant: 'write_products',
  SellingPlan: 'write_products',
  DiscountNode: 'write_discounts'
}

/** Refuses to change metafields of owners of these stored types where the app lacks a scope for one. */
export function checkMayChangeMetafields(shop: Shop, field: string, types: string[]): void {
  for (const type of types) {
    const scope = SCOPE_OF_METAFIELDS[type]
    if (scope !== undefined && !isGranted(shop, scope)) throw accessDenied(field, scope)
  }
}

const SCOPE_OF_TOPIC: [RegExp, string][] = [
  [/^CUSTOMERS_MERGE$/, 'read_customer_merge'],
  [/^CUSTOMER_PAYMENT_METHODS_/, 'read_customer_payment_methods'],
  [/^CUSTOMERS?_/, 'read_customers'],
  [/^(ORDERS|ORDER_TRANSACTIONS|REFUNDS)_/, 'read_orders'],
  [/^DISPUTES_/, 'read_shopify_payments_disputes'],
  [/^(PRODUCTS|COLLECTIONS|SELLING_PLAN_GROUPS)_/, 'read_products'],
  [/^SUBSCRIPTION_/, 'read_own_subscription_contracts']
]

const scopeIn = (table: [RegExp, string][], name: string) => table.find(([pattern]) => pattern.test(name))?.[1] ?? null

/** The scope that a subscription to a topic needs, by the topic's name in the GraphQL enum; null for none. */
export const scopeOfTopic = (topic: string): string | null => scopeIn(SCOPE_OF_TOPIC, topic)

/** The scope that a field needs; null for none. A connection needs that of its objects. */
export function scopeOfField(parentType: string, field: string, returnedType: string): string | null {
  if (parentType === 'Mutation') return scopeIn(SCOPE_OF_MUTATION, field)
  return scopeOfType(returnedType.replace(/(Connection|Edge)$/, ''))
}

/** The scope that reading an object of a type needs; null for none. */
export const scopeOfType = (type: string): string | null => SCOPE_OF_TYPE[type] ?? null

/** Whether the app of a shop has a scope. Writing includes reading. */
export function isGranted({ accessScopes }: Pick<Shop, 'accessScopes'>, scope: string): boolean {
  return accessScopes.includes(scope) || accessScopes.includes(scope.replace(/^read_/, 'write_'))
}

const DOCUMENTATION = 'https://shopify.dev/api/usage/access-scopes'

/** The error of a field whose scope the app lacks. The field is null, or else the nearest object around it that may be. */
export function accessDenied(field: string, scope: string): GraphQLError {
  return new GraphQLError(`Access denied for ${field} field. Required access: \`${scope}\` access scope.`, {
    extensions: { code: 'ACCESS_DENIED', documentation: DOCUMENTATION, requiredAccess: `\`${scope}\` access scope.` }
  })
}

/** The error of a field with personal data that the platform has not approved for the app. */
function notApproved(field: string): GraphQLError {
  return new GraphQLError(`This app is not approved to use the ${field} field.`, {
    extensions: { code: 'ACCESS_DENIED', documentation: DOCUMENTATION }
  })
}

/**
 * Has every field check its scope before it resolves, at any depth, and the shop's list of fields that are withheld from the app
 * (`Order.email`).
 */
export function checkAccess(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    const canBeWithheld = type.name in SCOPE_OF_TYPE || type.name === 'MailingAddress'
    for (const field of Object.values(type.getFields())) {
      const scope = scopeOfField(type.name, field.name, getNamedType(field.type).name)
      if (scope === null && !canBeWithheld) continue
      const resolve = field.resolve ?? defaultFieldResolver
      const path = `${type.name}.${field.name}`
      field.resolve = (source, args, api: { shop: Shop }, info) => {
        if (scope !== null && !isGranted(api.shop, scope)) throw accessDenied(field.name, scope)
        if (api.shop.withheldFields.includes(path)) throw notApproved(field.name)
        return resolve(source, args, api, info)
      }
    }
  }
}
