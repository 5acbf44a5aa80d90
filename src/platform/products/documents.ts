import { document } from '../wire/document.ts'

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
      nodes { id billingPolicy { ... on SellingPlanRecurringBillingPolicy { interval intervalCount } }
        pricingPolicies { __typename } }
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

/** Sales channels are the publications of apps; those of markets and companies are others. */
export const PlanProductChannels = document(`query PlanProductChannels($id: ID!) {
  publications(first: 50, catalogType: APP) { nodes { id } }
  product(id: $id) { resourcePublicationsV2(first: 50) { nodes { publication { id } } } }
}`)

export const PlanProductPublish = document(`mutation PlanProductPublish($id: ID!, $input: [PublicationInput!]!) {
  publishablePublish(id: $id, input: $input) { userErrors { field message } }
}`)

export const VariantsByIds = document(`query VariantsByIds($ids: [ID!]!) {
  nodes(ids: $ids) { ... on ProductVariant { id product { id } } }
}`)

export const ProductsByIds = document(`query ProductsByIds($ids: [ID!]!) {
  nodes(ids: $ids) { ... on Product { id } }
}`)

export const ProductTags = document(`query ProductTags($ids: [ID!]!) {
  nodes(ids: $ids) { ... on Product { id tags } }
}`)

// Of a product in more collections nobody knows here whether it is in a given one.
export const ProductTagsAndCollections = document(
  `query ProductTagsAndCollections($ids: [ID!]!) {
  nodes(ids: $ids) { ... on Product { id tags collections(first: 100) { nodes { id } pageInfo { hasNextPage } } } }
}`,
  { ids: 9 }
)

export const ProductFirstVariants = document(`query ProductFirstVariants($ids: [ID!]!) {
  nodes(ids: $ids) { ... on Product { id variants(first: 1) { nodes { id } } } }
}`)

export const LowestPrices = document(
  `query LowestPrices($ids: [ID!]!) {
  nodes(ids: $ids) { ... on Product { id title priceRangeV2 { minVariantPrice { amount currencyCode } } } }
}`,
  { ids: 9 }
)
