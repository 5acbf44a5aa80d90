import { document } from '../wire/document.ts'

const COMBINES = 'combinesWith { orderDiscounts productDiscounts shippingDiscounts }'
const CONTEXT = 'context { __typename ... on DiscountCustomerSegments { segments { id } } }'
const COMMON = `title status endsAt ${COMBINES} ${CONTEXT}`
const LEAST = `minimumRequirement {
    ... on DiscountMinimumSubtotal { greaterThanOrEqualToSubtotal { amount currencyCode } }
    ... on DiscountMinimumQuantity { greaterThanOrEqualToQuantity } }`

const NODE = `id automaticDiscount { __typename
  ... on DiscountAutomaticApp { ${COMMON} discountClasses appliesOnOneTimePurchase appliesOnSubscription
    appDiscountType { functionId } }
  ... on DiscountAutomaticBasic { ${COMMON} ${LEAST} customerGets { appliesOnOneTimePurchase appliesOnSubscription
    value { ... on DiscountPercentage { percentage }
      ... on DiscountAmount { amount { amount currencyCode } appliesOnEachItem } }
    items { ... on AllDiscountItems { allItems }
      ... on DiscountCollections { collections(first: 101) { nodes { id } } }
      ... on DiscountProducts { products(first: 250) { nodes { id } pageInfo { hasNextPage } }
        productVariants(first: 1) { nodes { id } } } } } }
  ... on DiscountAutomaticFreeShipping { ${COMMON} ${LEAST} appliesOnOneTimePurchase appliesOnSubscription
    maximumShippingPrice { amount }
    destinationSelection { ... on DiscountCountries { countries includeRestOfWorld } } } }`

export const AutomaticDiscountsByIds = document(
  `query AutomaticDiscountsByIds($ids: [ID!]!) {
  nodes(ids: $ids) { ... on DiscountAutomaticNode { ${NODE} } }
}`,
  { ids: 2 }
)

/** The titles of automatic discounts are searched for: an equal one of ours may have been made by a call whose answer was lost. */
export const AutomaticDiscountsByTitle = document(`query AutomaticDiscountsByTitle($query: String!) {
  automaticDiscountNodes(first: 3, query: $query, sortKey: CREATED_AT, reverse: true) { nodes { ${NODE} } }
}`)

const REFUSALS = 'userErrors { field message code }'

export const AutomaticAppCreate = document(`mutation AutomaticAppCreate($input: DiscountAutomaticAppInput!) {
  discountAutomaticAppCreate(automaticAppDiscount: $input) { automaticAppDiscount { discountId } ${REFUSALS} }
}`)

export const AutomaticAppUpdate = document(`mutation AutomaticAppUpdate($id: ID!, $input: DiscountAutomaticAppInput!) {
  discountAutomaticAppUpdate(id: $id, automaticAppDiscount: $input) { automaticAppDiscount { discountId } ${REFUSALS} }
}`)

export const AutomaticBasicCreate = document(`mutation AutomaticBasicCreate($input: DiscountAutomaticBasicInput!) {
  discountAutomaticBasicCreate(automaticBasicDiscount: $input) { automaticDiscountNode { id } ${REFUSALS} }
}`)

export const AutomaticBasicUpdate =
  document(`mutation AutomaticBasicUpdate($id: ID!, $input: DiscountAutomaticBasicInput!) {
  discountAutomaticBasicUpdate(id: $id, automaticBasicDiscount: $input) { automaticDiscountNode { id } ${REFUSALS} }
}`)

export const AutomaticFreeShippingCreate =
  document(`mutation AutomaticFreeShippingCreate($input: DiscountAutomaticFreeShippingInput!) {
  discountAutomaticFreeShippingCreate(freeShippingAutomaticDiscount: $input) { automaticDiscountNode { id } ${REFUSALS} }
}`)

export const AutomaticFreeShippingUpdate =
  document(`mutation AutomaticFreeShippingUpdate($id: ID!, $input: DiscountAutomaticFreeShippingInput!) {
  discountAutomaticFreeShippingUpdate(id: $id, freeShippingAutomaticDiscount: $input) {
    automaticDiscountNode { id } ${REFUSALS} }
}`)

export const AutomaticActivate = document(`mutation AutomaticActivate($id: ID!) {
  discountAutomaticActivate(id: $id) { automaticDiscountNode { id } ${REFUSALS} }
}`)

export const AutomaticDeactivate = document(`mutation AutomaticDeactivate($id: ID!) {
  discountAutomaticDeactivate(id: $id) { automaticDiscountNode { id } ${REFUSALS} }
}`)

export const AutomaticDelete = document(`mutation AutomaticDelete($id: ID!) {
  discountAutomaticDelete(id: $id) { deletedAutomaticDiscountId ${REFUSALS} }
}`)

export const FunctionsOfApp = document(`query FunctionsOfApp {
  shopifyFunctions(first: 50) { nodes { id handle apiType } }
}`)
