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

export const CodeUpdate = document(`mutation CodeUpdate($id: ID!, $input: DiscountCodeBasicInput!) {
  discountCodeBasicUpdate(id: $id, basicCodeDiscount: $input) { codeDiscountNode { id } userErrors { field message code } }
}`)

export const ShippingCodeUpdate =
  document(`mutation ShippingCodeUpdate($id: ID!, $input: DiscountCodeFreeShippingInput!) {
  discountCodeFreeShippingUpdate(id: $id, freeShippingCodeDiscount: $input) {
    codeDiscountNode { id }
    userErrors { field message code }
  }
}`)

export const CodeActivate = document(`mutation CodeActivate($id: ID!) {
  discountCodeActivate(id: $id) { codeDiscountNode { id } userErrors { field message code } }
}`)

export const RedeemCodesAdd = document(`mutation RedeemCodesAdd($id: ID!, $codes: [DiscountRedeemCodeInput!]!) {
  discountRedeemCodeBulkAdd(discountId: $id, codes: $codes) { bulkCreation { id } userErrors { field message code } }
}`)

export const RedeemCodesAdded = document(`query RedeemCodesAdded($id: ID!) {
  discountRedeemCodeBulkCreation(id: $id) {
    done
    codes(first: 100) { nodes { code discountRedeemCode { id } errors { message } } }
  }
}`)
