// Calls whose documents or variables follow from their answers, because the recorder kept neither.
type Restored = { document?: string; variables: Record<string, unknown> }

const DELETE_CODE =
  'mutation($id: ID!) { discountCodeDelete(id: $id) { deletedCodeDiscountId userErrors { message } } }'
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

/** By file and place of the answer. */
export const RESTORED: Record<string, Record<string, Restored>> = {
  'discounts/discount-update-edge-cases.json': {
    '/cleanup/0/payload': code('1663213109554'),
    '/cleanup/1/payload': code('1663213076786'),
    '/cleanup/2/payload': product('10251740643634'),
    '/cleanup/3/payload': product('10251740610866')
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
