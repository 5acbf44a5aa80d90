import { document, instrument, Money } from './document.ts'

const OrderParts = `fragment OrderParts on Order {
  id name number createdAt processedAt updatedAt cancelledAt currencyCode displayFinancialStatus
  email sourceName tags discountCodes paymentGatewayNames
  customer { id }
  shippingAddress { countryCodeV2 province }
  billingAddress { countryCodeV2 province }
  totalPriceSet { shopMoney { ${Money} } }
  totalTaxSet { shopMoney { ${Money} } }
  totalDiscountsSet { shopMoney { ${Money} } }
  totalRefundedSet { shopMoney { ${Money} } }
}`

// The flat fields (errorCode, order, nextActionUrl) are deprecated in favour of `state`; errorMessage has no successor.
const AttemptParts = `fragment AttemptParts on SubscriptionBillingAttempt {
  id idempotencyKey createdAt completedAt errorMessage
  state {
    __typename
    ... on SubscriptionBillingAttemptSuccessState { order { ...OrderParts } }
    ... on SubscriptionBillingAttemptActionRequiredState {
      action { ... on SubscriptionBillingAttemptPaymentChallenge { nextActionUrl } }
    }
    ... on SubscriptionBillingAttemptFailedState {
      error {
        __typename
        ... on SubscriptionBillingAttemptPaymentError { paymentCode: code }
        ... on SubscriptionBillingAttemptInventoryError { inventoryCode: code }
        ... on SubscriptionBillingAttemptGeneralError { generalCode: code }
        ... on SubscriptionBillingAttemptUnexpectedError { message }
      }
    }
  }
  subscriptionContract { id customerPaymentMethod(showRevoked: true) { ${instrument} } }
}
${OrderParts}`

export const ShopInfo = document('query ShopInfo { shop { name myshopifyDomain ianaTimezone currencyCode } }')

export const BillingAttemptCreate =
  document(`mutation BillingAttemptCreate($contractId: ID!, $input: SubscriptionBillingAttemptInput!) {
  subscriptionBillingAttemptCreate(subscriptionContractId: $contractId, subscriptionBillingAttemptInput: $input) {
    subscriptionBillingAttempt { ...AttemptParts }
    userErrors { field message code }
  }
}
${AttemptParts}`)

export const BillingAttemptsByIds = document(`query BillingAttemptsByIds($ids: [ID!]!) {
  nodes(ids: $ids) { ... on SubscriptionBillingAttempt { ...AttemptParts } }
}
${AttemptParts}`)

export const AttemptsCreatedSince = document(`query AttemptsCreatedSince($query: String!, $after: String) {
  subscriptionBillingAttempts(first: 50, after: $after, query: $query, sortKey: CREATED_AT) {
    nodes { ...AttemptParts }
    pageInfo { hasNextPage endCursor }
  }
}
${AttemptParts}`)

// The platform's search over attempts knows no idempotency key, so the attempts of the contract are looked through,
// newest first.
export const BillingAttemptKeys = document(`query BillingAttemptKeys($contractId: ID!, $after: String) {
  subscriptionContract(id: $contractId) {
    billingAttempts(first: 100, after: $after, reverse: true) {
      nodes { id idempotencyKey }
      pageInfo { hasNextPage endCursor }
    }
  }
}`)

export const BillingCycleAttempts = document(`query BillingCycleAttempts($contractId: ID!, $date: DateTime!) {
  subscriptionBillingCycles(
    contractId: $contractId, first: 2, billingCyclesDateRangeSelector: { startDate: $date, endDate: $date }
  ) {
    nodes { billingAttempts(first: 50, reverse: true) { nodes { id } } }
  }
}`)

export const OrdersByIds = document(`query OrdersByIds($ids: [ID!]!) {
  nodes(ids: $ids) { ... on Order { ...OrderParts } }
}
${OrderParts}`)

const customerParts = `id firstName lastName createdAt updatedAt
    defaultEmailAddress { emailAddress }
    defaultAddress { countryCodeV2 provinceCode }`

export const CustomersByIds = document(`query CustomersByIds($ids: [ID!]!) {
  nodes(ids: $ids) { ... on Customer { ${customerParts} } }
}`)

export const CustomerUpdate = document(`mutation CustomerUpdate($input: CustomerInput!) {
  customerUpdate(input: $input) { customer { ${customerParts} } userErrors { field message } }
}`)

export const WebhookSubscriptions =
  document(`query WebhookSubscriptions($topics: [WebhookSubscriptionTopic!]!, $after: String) {
  webhookSubscriptions(first: 100, after: $after, topics: $topics) {
    nodes { id topic uri }
    pageInfo { hasNextPage endCursor }
  }
}`)

export const WebhookSubscriptionCreate =
  document(`mutation WebhookSubscriptionCreate($topic: WebhookSubscriptionTopic!, $input: WebhookSubscriptionInput!) {
  webhookSubscriptionCreate(topic: $topic, webhookSubscription: $input) {
    webhookSubscription { id }
    userErrors { field message }
  }
}`)

export const WebhookSubscriptionUpdate =
  document(`mutation WebhookSubscriptionUpdate($id: ID!, $input: WebhookSubscriptionInput!) {
  webhookSubscriptionUpdate(id: $id, webhookSubscription: $input) {
    webhookSubscription { id }
    userErrors { field message }
  }
}`)

export const CustomerCards = document(`query CustomerCards($ids: [ID!]!) {
  nodes(ids: $ids) { ... on Customer { id paymentMethods(first: 10) { nodes { id revokedAt } } } }
}`)

export const CustomersByEmail = document(`query CustomersByEmail($query: String!) {
  customers(first: 5, query: $query) { nodes { id defaultEmailAddress { emailAddress } } }
}`)

export const BulkQueryRun = document(`mutation BulkQueryRun($query: String!) {
  bulkOperationRunQuery(query: $query, groupObjects: false) {
    bulkOperation { id }
    userErrors { field message code }
  }
}`)

export const BulkOperationById = document(`query BulkOperationById($id: ID!) {
  bulkOperation(id: $id) { id status query errorCode objectCount url }
}`)

export const BulkOperationNewest = document(`query BulkOperationNewest {
  currentBulkOperation { id status query errorCode objectCount url }
}`)

export const BulkOperationCancel = document(`mutation BulkOperationCancel($id: ID!) {
  bulkOperationCancel(id: $id) { bulkOperation { id } userErrors { field message } }
}`)
