import { document, Money } from '../wire/document.ts'

/** So many of an account's latest transactions are read with it; more by `CreditTransactions`. */
const TRANSACTION = `__typename amount { ${Money} } createdAt event
  origin { ... on OrderTransaction { id order { id } } }
  ... on StoreCreditAccountCreditTransaction { id }
  ... on StoreCreditAccountDebitTransaction { id }
  ... on StoreCreditAccountDebitRevertTransaction { id }
  ... on StoreCreditAccountExpirationTransaction { creditTransaction { id } }`

export const CreditAccounts = document(
  `query CreditAccounts($ids: [ID!]!, $currency: String!) {
  nodes(ids: $ids) { ... on Customer { id storeCreditAccounts(first: 1, query: $currency) { nodes { id balance { ${Money} }
    transactions(first: 5, reverse: true) { nodes { ${TRANSACTION} } pageInfo { hasNextPage endCursor } } } } } }
}`,
  { ids: 20 }
)

export const CreditTransactions = document(`query CreditTransactions($id: ID!, $after: String) {
  storeCreditAccount(id: $id) { id transactions(first: 50, after: $after, reverse: true) { nodes { ${TRANSACTION} }
    pageInfo { hasNextPage endCursor } } }
}`)

export const CreditAccountCredit =
  document(`mutation CreditAccountCredit($id: ID!, $input: StoreCreditAccountCreditInput!) {
  storeCreditAccountCredit(id: $id, creditInput: $input) {
    storeCreditAccountTransaction { id account { id } balanceAfterTransaction { ${Money} } }
    userErrors { field message code } }
}`)

export const CreditAccountDebit =
  document(`mutation CreditAccountDebit($id: ID!, $input: StoreCreditAccountDebitInput!) {
  storeCreditAccountDebit(id: $id, debitInput: $input) {
    storeCreditAccountTransaction { id account { id } balanceAfterTransaction { ${Money} } }
    userErrors { field message code } }
}`)
