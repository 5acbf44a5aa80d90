import { document } from '../wire/document.ts'

const CODE =
  'id codeDiscount { __typename ... on DiscountCodeBasic { asyncUsageCount } ... on DiscountCodeFreeShipping { asyncUsageCount } }'

export const CodeByCode = document(`query CodeByCode($code: String!) {
  codeDiscountNodeByCode(code: $code) { ${CODE} }
}`)

export const CodeById = document(`query CodeById($id: ID!) {
  codeDiscountNode(id: $id) { ${CODE} }
}`)

export const CodesByIds = document(`query CodesByIds($ids: [ID!]!) {
  nodes(ids: $ids) { ... on DiscountCodeNode { id } }
}`)

export const CodeCreate = document(`mutation CodeCreate($input: DiscountCodeBasicInput!) {
  discountCodeBasicCreate(basicCodeDiscount: $input) { codeDiscountNode { id } userErrors { field message code } }
}`)

export const ShippingCodeCreate = document(`mutation ShippingCodeCreate($input: DiscountCodeFreeShippingInput!) {
  discountCodeFreeShippingCreate(freeShippingCodeDiscount: $input) {
    codeDiscountNode { id }
    userErrors { field message code }
  }
}`)

export const CodeDeactivate = document(`mutation CodeDeactivate($id: ID!) {
  discountCodeDeactivate(id: $id) { codeDiscountNode { id } userErrors { field message code } }
}`)

export const CodeDelete = document(`mutation CodeDelete($id: ID!) {
  discountCodeDelete(id: $id) { deletedCodeDiscountId userErrors { field message code } }
}`)
