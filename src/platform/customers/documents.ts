import { document } from '../wire/document.ts'
import { customerParts } from './customer.ts'

export const CustomersByIds = document(`query CustomersByIds($ids: [ID!]!) {
  nodes(ids: $ids) { ... on Customer { ${customerParts} } }
}`)

export const CustomersByEmail = document(`query CustomersByEmail($query: String!) {
  customers(first: 5, query: $query) { nodes { id defaultEmailAddress { emailAddress } } }
}`)

export const CustomerByPhone = document(`query CustomerByPhone($phone: String!) {
  customerByIdentifier(identifier: { phoneNumber: $phone }) { id }
}`)

export const CustomerUpdate = document(`mutation CustomerUpdate($input: CustomerInput!) {
  customerUpdate(input: $input) { customer { ${customerParts} } userErrors { field message } }
}`)

export const CustomerCards = document(`query CustomerCards($ids: [ID!]!) {
  nodes(ids: $ids) { ... on Customer { id paymentMethods(first: 10) { nodes { id revokedAt } } } }
}`)
