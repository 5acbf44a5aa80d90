// Calls whose documents or variables follow from their answers, because the recorder kept neither.
type Restored = { document?: string; variables: Record<string, unknown> }

const DELETE_CODE =
  'mutation($id: ID!) { discountCodeDelete(id: $id) { deletedCodeDiscountId userErrors { field message code extraInfo } } }'
const DELETE_PRODUCT =
  'mutation($input: ProductDeleteInput!) { productDelete(input: $input) { deletedProductId userErrors { message } } }'
const code = (number: string) => ({
  document: DELETE_CODE,
  variables: { id: `gid://shopify/DiscountCodeNode/${number}` }
})
const product = (number: string) => ({
  document: DELETE_PRODUCT,
  variables: { input: { id: `gid://shopify/Product/${number}` } }
})

const BASIC = `__typename title status summary startsAt endsAt createdAt updatedAt asyncUsageCount discountClasses
  combinesWith { productDiscounts orderDiscounts shippingDiscounts } context { __typename ... on DiscountBuyerSelectionAll { all } }
  customerGets { value { __typename ... on DiscountPercentage { percentage }
      ... on DiscountAmount { amount { amount currencyCode } appliesOnEachItem } }
    items { __typename ... on AllDiscountItems { allItems } } appliesOnOneTimePurchase appliesOnSubscription }
  minimumRequirement { __typename ... on DiscountMinimumSubtotal { greaterThanOrEqualToSubtotal { amount currencyCode } }
    ... on DiscountMinimumQuantity { greaterThanOrEqualToQuantity } }`

/** By file and place of the answer. */
export const RESTORED: Record<string, Record<string, Restored>> = {
  'discounts/discount-update-edge-cases.json': {
    '/readAfterBulkAdd/payload': {
      document: 'query($code: String!) { codeDiscountNodeByCode(code: $code) { id } }',
      variables: { code: 'HAR605BULK1785199672079_1' }
    },
    '/cleanup/0/payload': code('1663213109554'),
    '/cleanup/1/payload': code('1663213076786'),
    '/cleanup/2/payload': product('10251740643634'),
    '/cleanup/3/payload': product('10251740610866')
  },
  'discounts/discount-app-bulk-live-parity.json': {
    '/cleanup/1/payload': code('1663219204402'),
    '/cleanup/3/payload': {
      document: `mutation($id: ID!) { discountAutomaticDelete(id: $id) { deletedAutomaticDiscountId
        userErrors { field message code extraInfo } } }`,
      variables: { id: 'gid://shopify/DiscountAutomaticNode/1663219269938' }
    }
  },
  'discounts/discount-automatic-basic-detail-read.json': {
    '/create': {
      document: `mutation($input: DiscountAutomaticBasicInput!) { discountAutomaticBasicCreate(automaticBasicDiscount: $input) {
        automaticDiscountNode { id automaticDiscount { ... on DiscountAutomaticBasic { ${BASIC} } } } userErrors { message } } }`,
      variables: {
        input: {
          title: 'HAR-192 detail automatic 1777130925428',
          startsAt: '2026-04-25T00:00:00Z',
          combinesWith: { productDiscounts: false, orderDiscounts: true, shippingDiscounts: false },
          context: { all: 'ALL' },
          minimumRequirement: { quantity: { greaterThanOrEqualToQuantity: '2' } },
          customerGets: { value: { percentage: 0.15 }, items: { all: true } }
        }
      }
    }
  },
  'discounts/discount-nodes-catalog.json': {
    '': {
      document: `{ discountNodes(first: 10) { edges { cursor node { id } }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
      variables: {}
    }
  },
  'discounts/discount-nodes-count.json': {
    '': { document: '{ discountNodesCount { count precision } }', variables: {} }
  },
  'discounts/discount-upstream-fixed-amount-activate.json': {
    '/setup/hydrateBeforeActivate/response/payload': {
      document: `query($id: ID!) {
        codeNode: codeDiscountNode(id: $id) { id metafields(first: 5) { nodes { id } } codeDiscount {
          ... on DiscountCodeBasic { ${BASIC} usageLimit appliesOncePerCustomer recurringCycleLimit
            codes(first: 2) { nodes { id code asyncUsageCount } } } } }
        automaticNode: automaticDiscountNode(id: $id) { id } }`,
      variables: { id: 'gid://shopify/DiscountCodeNode/1658450346290' }
    }
  },
  'discounts/discount-class-inference.json': {
    '/requests/setupCollectionProducts/response': {
      variables: { id: 'gid://shopify/Collection/514840265010', productIds: ['gid://shopify/Product/10251738579250'] }
    }
  },
  'discounts/discount-customer-selection-internal-conflicts.json': {
    '/setup/customerCreate/response/payload': {
      variables: {
        input: {
          firstName: 'Discount',
          lastName: 'Customer Selection',
          email: 'har933-customer-selection-1778098135897@example.com',
          tags: ['har933-customer-selection-1778098135897']
        }
      }
    },
    '/setup/segmentCreate/response/payload': {
      variables: {
        name: 'HAR-933 customer selection 1778098135897',
        query: "customer_tags CONTAINS 'har933-customer-selection-1778098135897'"
      }
    }
  }
}
