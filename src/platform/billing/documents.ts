import { document, Money } from '../wire/document.ts'
import { AttemptParts } from './attempt.ts'

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

// What was charged, whatever the attempts are called: only their orders say. Newest first.
export const ChargesCreatedSince = document(`query ChargesCreatedSince($query: String!, $after: String) {
  subscriptionBillingAttempts(first: 50, after: $after, query: $query, sortKey: CREATED_AT, reverse: true) {
    nodes {
      id idempotencyKey createdAt originTime
      order {
        id cancelledAt currencyCode displayFinancialStatus
        totalPriceSet { shopMoney { ${Money} } }
        totalRefundedSet { shopMoney { ${Money} } }
      }
      subscriptionContract { id }
    }
    pageInfo { hasNextPage endCursor }
  }
}`)

// One field that may not be read, and may not be null, takes away the whole page. These are never withheld.
export const AttemptIdsCreatedSince = document(`query AttemptIdsCreatedSince($query: String!, $after: String) {
  subscriptionBillingAttempts(first: 50, after: $after, query: $query, sortKey: CREATED_AT) {
    nodes { id idempotencyKey }
    pageInfo { hasNextPage endCursor }
  }
}`)

// The platform's search over attempts has no filter for the idempotency key, so we read the contract's attempts, newest first.
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
