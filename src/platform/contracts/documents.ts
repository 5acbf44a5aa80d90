import { document, Money } from '../wire/document.ts'
import { ContractParts, changedContract, LineParts } from './contract.ts'
import { grantParts } from './contract-grants.ts'
import { discountParts } from './discounts.ts'
import { allocationParts, memberDiscountParts } from './member-discounts.ts'

// Two lines, because a document may cost 1000 points and forty-seven contracts are read at once; a membership has one line.
// Contracts with more lines are read again by ContractById.
export const ContractsByIds = document(`query ContractsByIds($ids: [ID!]!) {
  nodes(ids: $ids) { ... on SubscriptionContract { ...ContractParts lines(first: 2) { ...LineParts } } }
}
${ContractParts}`)

export const ContractById = document(`query ContractById($id: ID!, $after: String) {
  subscriptionContract(id: $id) { ...ContractParts lines(first: 100, after: $after) { ...LineParts } }
}
${ContractParts}`)

// Pages of the same size and shape as ContractsByIds. Sorted by the field of the search: a contract that changes meanwhile moves
// to the end of the list, where the walk still reaches it.
export const ContractsUpdatedSince = document(`query ContractsUpdatedSince($query: String!, $after: String) {
  subscriptionContracts(first: 47, after: $after, query: $query, sortKey: UPDATED_AT) {
    nodes { ...ContractParts lines(first: 2) { ...LineParts } }
    pageInfo { hasNextPage endCursor }
  }
}
${ContractParts}`)

export const AllContracts = document(`query AllContracts($after: String) {
  subscriptionContracts(first: 47, after: $after, sortKey: ID) {
    nodes { ...ContractParts lines(first: 2) { ...LineParts } }
    pageInfo { hasNextPage endCursor }
  }
}
${ContractParts}`)

// No price of a contract includes the discounts on delivery. Sent only for contracts that pay for delivery.
export const DeliveryDiscounts = document(`query DeliveryDiscounts($ids: [ID!]!) {
  nodes(ids: $ids) { ... on SubscriptionContract { id currencyCode discounts(first: 5) { ${discountParts} } } }
}`)

// What each discount takes off a line. Sent only for contracts with a reduced line; those with more lines are read one by one.
export const LineAllocations = document(
  `query LineAllocations($ids: [ID!]!) {
  nodes(ids: $ids) { ... on SubscriptionContract { id currencyCode lines(first: 5) { nodes { ${allocationParts} } } } }
}`,
  { ids: 36 }
)

export const LineAllocationsOfOne = document(`query LineAllocationsOfOne($id: ID!, $after: String) {
  subscriptionContract(id: $id) {
    currencyCode lines(first: 100, after: $after) { nodes { ${allocationParts} } pageInfo { hasNextPage endCursor } }
  }
}`)

export const MemberDiscounts = document(`query MemberDiscounts($id: ID!, $after: String) {
  subscriptionContract(id: $id) { discounts(first: 10, after: $after) { ${memberDiscountParts} } }
}`)

export const ContractKeysOfCustomer = document(`query ContractKeysOfCustomer($id: ID!, $after: String) {
  customer(id: $id) {
    subscriptionContracts(first: 50, after: $after, reverse: true) {
      nodes { id customAttributes { key value } }
      pageInfo { hasNextPage endCursor }
    }
  }
}`)

export const ContractCreate = document(`mutation ContractCreate($input: SubscriptionContractAtomicCreateInput!) {
  subscriptionContractAtomicCreate(input: $input) { contract { id } userErrors { field message code } }
}`)

export const ContractPause = document(`mutation ContractPause($id: ID!) {
  subscriptionContractPause(subscriptionContractId: $id) { ${changedContract} }
}`)

export const ContractActivate = document(`mutation ContractActivate($id: ID!) {
  subscriptionContractActivate(subscriptionContractId: $id) { ${changedContract} }
}`)

export const ContractCancel = document(`mutation ContractCancel($id: ID!) {
  subscriptionContractCancel(subscriptionContractId: $id) { ${changedContract} }
}`)

export const ContractFail = document(`mutation ContractFail($id: ID!) {
  subscriptionContractFail(subscriptionContractId: $id) { ${changedContract} }
}`)

export const ContractExpire = document(`mutation ContractExpire($id: ID!) {
  subscriptionContractExpire(subscriptionContractId: $id) { ${changedContract} }
}`)

export const ContractSetNextBillingDate = document(`mutation ContractSetNextBillingDate($id: ID!, $date: DateTime!) {
  subscriptionContractSetNextBillingDate(contractId: $id, date: $date) { ${changedContract} }
}`)

export const ContractDraft = document(`mutation ContractDraft($id: ID!) {
  subscriptionContractUpdate(contractId: $id) { draft { id } userErrors { field message code } }
}`)

export const DraftLineUpdate =
  document(`mutation DraftLineUpdate($draftId: ID!, $lineId: ID!, $input: SubscriptionLineUpdateInput!) {
  subscriptionDraftLineUpdate(draftId: $draftId, lineId: $lineId, input: $input) {
    draft {
      id
      deliveryPrice { ${Money} }
      lines(first: 50) { ...LineParts nodes { ${allocationParts} } }
      discounts(first: 20) { ${discountParts} }
    }
    userErrors { field message code }
  }
}
${LineParts}`)

// The discounts are those of the contract as the draft was made of it: a commit after another change is refused.
export const MemberDiscountDraft = document(`mutation MemberDiscountDraft($id: ID!) {
  subscriptionContractUpdate(contractId: $id) {
    draft { id discounts(first: 10) { ${memberDiscountParts} } }
    userErrors { field message code }
  }
}`)

export const DraftDiscounts = document(`query DraftDiscounts($id: ID!, $after: String) {
  subscriptionDraft(id: $id) { discounts(first: 10, after: $after) { ${memberDiscountParts} } }
}`)

export const DraftDiscountAdd =
  document(`mutation DraftDiscountAdd($draftId: ID!, $input: SubscriptionManualDiscountInput!) {
  subscriptionDraftDiscountAdd(draftId: $draftId, input: $input) { draft { id } userErrors { field message code } }
}`)

export const DraftDiscountRemove = document(`mutation DraftDiscountRemove($draftId: ID!, $discountId: ID!) {
  subscriptionDraftDiscountRemove(draftId: $draftId, discountId: $discountId) {
    draft { id } userErrors { field message code }
  }
}`)

const grantsAfter = grantParts({ discounts: '$afterDiscount', lines: '$afterLine' })

export const ContractGrants = document(`query ContractGrants($id: ID!, $afterDiscount: String, $afterLine: String) {
  subscriptionContract(id: $id) { status ${grantsAfter} }
}`)

// What the contract has is read of the draft, as with the discounts of members.
export const GrantDraft = document(`mutation GrantDraft($id: ID!) {
  subscriptionContractUpdate(contractId: $id) {
    draft { id ${grantParts(null)} }
    userErrors { field message code }
  }
}`)

export const DraftGrants = document(`query DraftGrants($id: ID!, $afterDiscount: String, $afterLine: String) {
  subscriptionDraft(id: $id) { ${grantsAfter} }
}`)

export const GrantDiscountAdd =
  document(`mutation GrantDiscountAdd($draftId: ID!, $input: SubscriptionManualDiscountInput!) {
  subscriptionDraftDiscountAdd(draftId: $draftId, input: $input) {
    discountAdded { id } userErrors { field message code }
  }
}`)

export const GrantFreeShippingAdd =
  document(`mutation GrantFreeShippingAdd($draftId: ID!, $input: SubscriptionFreeShippingDiscountInput!) {
  subscriptionDraftFreeShippingDiscountAdd(draftId: $draftId, input: $input) {
    discountAdded { id } userErrors { field message code }
  }
}`)

export const DraftLineAdd = document(`mutation DraftLineAdd($draftId: ID!, $input: SubscriptionLineInput!) {
  subscriptionDraftLineAdd(draftId: $draftId, input: $input) { lineAdded { id } userErrors { field message code } }
}`)

export const DraftLineRemove = document(`mutation DraftLineRemove($draftId: ID!, $lineId: ID!) {
  subscriptionDraftLineRemove(draftId: $draftId, lineId: $lineId) { draft { id } userErrors { field message code } }
}`)

export const DraftUpdate = document(`mutation DraftUpdate($draftId: ID!, $input: SubscriptionDraftInput!) {
  subscriptionDraftUpdate(draftId: $draftId, input: $input) { draft { id } userErrors { field message code } }
}`)

export const DraftCommit = document(`mutation DraftCommit($draftId: ID!) {
  subscriptionDraftCommit(draftId: $draftId) { ${changedContract} }
}`)
