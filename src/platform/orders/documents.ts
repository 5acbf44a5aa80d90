import { document, Money } from '../wire/document.ts'
import { OrderParts } from './order.ts'
import { detailParts, OrderLineParts, OrderTransactionParts } from './order-details.ts'

export const OrdersByIds = document(`query OrdersByIds($ids: [ID!]!) {
  nodes(ids: $ids) { ... on Order { ...OrderParts } }
}
${OrderParts}`)

/** So many entries of an order's lists are read with many orders at once; an order with more is read by itself. */
export const FIRST = { lines: 5, transactions: 5, refunds: 3 }

export const WholeOrdersByIds = document(
  `query WholeOrdersByIds($ids: [ID!]!) {
  nodes(ids: $ids) { ... on Order { ...OrderParts ${detailParts(FIRST)} } }
}
${OrderParts}
${OrderLineParts}
${OrderTransactionParts}`,
  { ids: 7 }
)

export const WholeOrder = document(`query WholeOrder($id: ID!) {
  order(id: $id) { ...OrderParts ${detailParts({ lines: 40, transactions: 40, refunds: 40 })} }
}
${OrderParts}
${OrderLineParts}
${OrderTransactionParts}`)

export const LinesOfOrder = document(`query LinesOfOrder($id: ID!, $after: String) {
  order(id: $id) {
    lineItems(first: 50, after: $after) { nodes { ...OrderLineParts } pageInfo { hasNextPage endCursor } }
  }
}
${OrderLineParts}`)

// Only what says whether an order has to be read: most are known. The tags change most often, by ourselves. Sorted by the field of the search: an order that changes meanwhile
// moves to the end of the list, where the walk still reaches it.
export const OrdersUpdatedSince = document(`query OrdersUpdatedSince($query: String!, $after: String) {
  orders(first: 250, after: $after, query: $query, sortKey: UPDATED_AT) {
    nodes { id updatedAt tags }
    pageInfo { hasNextPage endCursor }
  }
}`)

/** A code of ours is on one order, or on a few where the platform has let it be used more often. */
export const OrdersWithCode = document(`query OrdersWithCode($query: String!) {
  orders(first: 10, query: $query) { nodes { id } }
}`)

const dispute = `id type status initiatedAt finalizedOn amount { ${Money} } reasonDetails { reason networkReasonCode } order { id }`

export const DisputesSince = document(`query DisputesSince($query: String!, $after: String) {
  disputes(first: 50, after: $after, query: $query) {
    nodes { ${dispute} }
    pageInfo { hasNextPage endCursor }
  }
}`)

export const DisputesByIds = document(`query DisputesByIds($ids: [ID!]!) {
  nodes(ids: $ids) { ... on ShopifyPaymentsDispute { ${dispute} } }
}`)

const ADDRESS = 'address1 address2 city zip countryCodeV2'

// Whether somebody has brought themselves: where an order went, and where a customer and their latest orders are.
export const AddressesOfBoth = document(`query AddressesOfBoth($order: ID!, $customer: ID!) {
  order(id: $order) { shippingAddress { ${ADDRESS} } billingAddress { ${ADDRESS} } }
  customer(id: $customer) {
    addressesV2(first: 20) { nodes { ${ADDRESS} } }
    orders(first: 10, reverse: true) { nodes { shippingAddress { ${ADDRESS} } billingAddress { ${ADDRESS} } } }
  }
}`)
