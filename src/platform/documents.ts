// Every document that the connector sends, each on its own. Fragments are not exported, so that each export is a whole
// document; a test validates every export against the platform's schema, and the client takes nothing else.

declare const validated: unique symbol
export type AdminDocument = string & { readonly [validated]: true }

const document = (text: string) => text as AdminDocument

const Money = 'amount currencyCode'

const instrument = `instrument {
    __typename
    ... on CustomerCreditCard { brand lastDigits }
    ... on CustomerShopPayAgreement { lastDigits }
    ... on BankAccount { lastDigits }
  }`

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

const LineParts = `fragment LineParts on SubscriptionLineConnection {
  nodes {
    id title quantity productId variantId sellingPlanId sellingPlanName
    currentPrice { ${Money} }
    lineDiscountedPrice { ${Money} }
    pricingPolicy { cycleDiscounts { afterCycle computedPrice { ${Money} } } }
  }
  pageInfo { hasNextPage endCursor }
}`

const discounts = `nodes {
      ... on SubscriptionManualDiscount {
        targetType recurringCycleLimit usageCount
        value {
          ... on SubscriptionDiscountPercentageValue { percentage }
          ... on SubscriptionDiscountFixedAmountValue { amount { ${Money} } }
        }
      }
    }`

const ContractParts = `fragment ContractParts on SubscriptionContract {
  id status createdAt updatedAt nextBillingDate currencyCode revisionId
  billingPolicy { interval intervalCount minCycles maxCycles }
  customer { id firstName lastName updatedAt defaultEmailAddress { emailAddress } }
  originOrder { id name }
  deliveryPrice { ${Money} }
  customerPaymentMethod { ${instrument} }
  customAttributes { key value }
}
${LineParts}`

const contractMoved = 'contract { id status nextBillingDate revisionId } userErrors { field message code }'

export const ShopInfo = document('query ShopInfo { shop { name myshopifyDomain ianaTimezone currencyCode } }')

// Two lines, since a document may cost 1000 points and forty-seven contracts are asked for at once; a membership has one
// line. Contracts with more are read again by ContractById.
export const ContractsByIds = document(`query ContractsByIds($ids: [ID!]!) {
  nodes(ids: $ids) { ... on SubscriptionContract { ...ContractParts lines(first: 2) { ...LineParts } } }
}
${ContractParts}`)

export const ContractById = document(`query ContractById($id: ID!, $after: String) {
  subscriptionContract(id: $id) { ...ContractParts lines(first: 100, after: $after) { ...LineParts } }
}
${ContractParts}`)

// Pages of the same size and shape as ContractsByIds. Sorted by what they are asked for: one that changes meanwhile moves to
// the end of the list, where the walk still comes past.
export const ContractsUpdatedSince = document(`query ContractsUpdatedSince($query: String!, $after: String) {
  subscriptionContracts(first: 47, after: $after, query: $query, sortKey: UPDATED_AT) {
    nodes { ...ContractParts lines(first: 2) { ...LineParts } }
    pageInfo { hasNextPage endCursor }
  }
}
${ContractParts}`)

// What is taken off delivery stands in no price of a contract. Asked only for contracts that pay for delivery.
export const DeliveryDiscounts = document(`query DeliveryDiscounts($ids: [ID!]!) {
  nodes(ids: $ids) { ... on SubscriptionContract { id currencyCode discounts(first: 5) { ${discounts} } } }
}`)

export const AllContracts = document(`query AllContracts($after: String) {
  subscriptionContracts(first: 47, after: $after, sortKey: ID) {
    nodes { ...ContractParts lines(first: 2) { ...LineParts } }
    pageInfo { hasNextPage endCursor }
  }
}
${ContractParts}`)

export const ContractPause = document(`mutation ContractPause($id: ID!) {
  subscriptionContractPause(subscriptionContractId: $id) { ${contractMoved} }
}`)

export const ContractActivate = document(`mutation ContractActivate($id: ID!) {
  subscriptionContractActivate(subscriptionContractId: $id) { ${contractMoved} }
}`)

export const ContractCancel = document(`mutation ContractCancel($id: ID!) {
  subscriptionContractCancel(subscriptionContractId: $id) { ${contractMoved} }
}`)

export const ContractFail = document(`mutation ContractFail($id: ID!) {
  subscriptionContractFail(subscriptionContractId: $id) { ${contractMoved} }
}`)

export const ContractExpire = document(`mutation ContractExpire($id: ID!) {
  subscriptionContractExpire(subscriptionContractId: $id) { ${contractMoved} }
}`)

export const ContractSetNextBillingDate = document(`mutation ContractSetNextBillingDate($id: ID!, $date: DateTime!) {
  subscriptionContractSetNextBillingDate(contractId: $id, date: $date) { ${contractMoved} }
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
      lines(first: 50) { ...LineParts }
      discounts(first: 20) { ${discounts} }
    }
    userErrors { field message code }
  }
}
${LineParts}`)

export const DraftUpdate = document(`mutation DraftUpdate($draftId: ID!, $input: SubscriptionDraftInput!) {
  subscriptionDraftUpdate(draftId: $draftId, input: $input) { draft { id } userErrors { field message code } }
}`)

export const DraftCommit = document(`mutation DraftCommit($draftId: ID!) {
  subscriptionDraftCommit(draftId: $draftId) { ${contractMoved} }
}`)

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

export const PlanProductByHandle = document(`query PlanProductByHandle($handle: String!) {
  productByIdentifier(identifier: { handle: $handle }) {
    id
    variants(first: 1) { nodes { id price } }
    sellingPlanGroups(first: 10) { nodes { id merchantCode sellingPlans(first: 1) { nodes { id } } } }
  }
}`)

export const PlanProductCreate = document(`mutation PlanProductCreate($product: ProductCreateInput!) {
  productCreate(product: $product) {
    product { id variants(first: 1) { nodes { id price } } }
    userErrors { field message }
  }
}`)

export const PlanPriceUpdate =
  document(`mutation PlanPriceUpdate($productId: ID!, $variants: [ProductVariantsBulkInput!]!) {
  productVariantsBulkUpdate(productId: $productId, variants: $variants) {
    productVariants { id price }
    userErrors { field message code }
  }
}`)

export const ProductSellingGroups = document(`query ProductSellingGroups($id: ID!) {
  product(id: $id) {
    sellingPlanGroups(first: 50) { nodes { id merchantCode sellingPlans(first: 1) { nodes { id } } } }
  }
}`)

const sellingPlans = `sellingPlans(first: 30) {
      nodes { id billingPolicy { ... on SellingPlanRecurringBillingPolicy { interval intervalCount } } }
    }`

export const PlanSellingGroup = document(`query PlanSellingGroup($id: ID!) {
  sellingPlanGroup(id: $id) {
    products(first: 250) { nodes { id } }
    ${sellingPlans}
  }
}`)

export const PlanSellingGroupUpdate =
  document(`mutation PlanSellingGroupUpdate($id: ID!, $input: SellingPlanGroupInput!) {
  sellingPlanGroupUpdate(id: $id, input: $input) {
    sellingPlanGroup { ${sellingPlans} }
    userErrors { field message code }
  }
}`)

export const PlanProductsAdd = document(`mutation PlanProductsAdd($id: ID!, $productIds: [ID!]!) {
  sellingPlanGroupAddProducts(id: $id, productIds: $productIds) { userErrors { field message code } }
}`)

export const PlanProductsRemove = document(`mutation PlanProductsRemove($id: ID!, $productIds: [ID!]!) {
  sellingPlanGroupRemoveProducts(id: $id, productIds: $productIds) { userErrors { field message code } }
}`)

export const PlanSellingGroupCreate =
  document(`mutation PlanSellingGroupCreate($input: SellingPlanGroupInput!, $resources: SellingPlanGroupResourceInput!) {
  sellingPlanGroupCreate(input: $input, resources: $resources) {
    sellingPlanGroup { id sellingPlans(first: 1) { nodes { id } } }
    userErrors { field message code }
  }
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

export const ContractCreate = document(`mutation ContractCreate($input: SubscriptionContractAtomicCreateInput!) {
  subscriptionContractAtomicCreate(input: $input) { contract { id } userErrors { field message code } }
}`)

export const ContractKeysOfCustomer = document(`query ContractKeysOfCustomer($id: ID!, $after: String) {
  customer(id: $id) {
    subscriptionContracts(first: 50, after: $after, reverse: true) {
      nodes { id customAttributes { key value } }
      pageInfo { hasNextPage endCursor }
    }
  }
}`)

export const VariantsByIds = document(`query VariantsByIds($ids: [ID!]!) {
  nodes(ids: $ids) { ... on ProductVariant { id product { id } } }
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
