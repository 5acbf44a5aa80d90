import { document, Money } from '../wire/document.ts'

const TRANSACTION = `__typename id note processedAt amount { ${Money} }`

/** With its latest transactions; more by `GiftCardTransactions`. */
const CARD = `id enabled expiresOn lastCharacters note createdAt balance { ${Money} }
  transactions(first: 5, reverse: true) { nodes { ${TRANSACTION} } pageInfo { hasNextPage endCursor } }`

export const GiftCardsByIds = document(
  `query GiftCardsByIds($ids: [ID!]!) {
  nodes(ids: $ids) { ... on GiftCard { ${CARD} } }
}`,
  { ids: 20 }
)

export const GiftCardsFound = document(`query GiftCardsFound($query: String!) {
  giftCards(first: 20, query: $query) { nodes { ${CARD} } }
}`)

export const GiftCardTransactions = document(`query GiftCardTransactions($id: ID!, $after: String) {
  giftCard(id: $id) { id transactions(first: 50, after: $after, reverse: true) { nodes { ${TRANSACTION} }
    pageInfo { hasNextPage endCursor } } }
}`)

export const GiftCardCreate = document(`mutation GiftCardCreate($input: GiftCardCreateInput!) {
  giftCardCreate(input: $input) { giftCard { id lastCharacters } userErrors { field message code } }
}`)

const moved = `id giftCard { id balance { ${Money} } }`

export const GiftCardCredit = document(`mutation GiftCardCredit($id: ID!, $input: GiftCardCreditInput!) {
  giftCardCredit(id: $id, creditInput: $input) { giftCardCreditTransaction { ${moved} } userErrors { field message code } }
}`)

export const GiftCardDebit = document(`mutation GiftCardDebit($id: ID!, $input: GiftCardDebitInput!) {
  giftCardDebit(id: $id, debitInput: $input) { giftCardDebitTransaction { ${moved} } userErrors { field message code } }
}`)

export const GiftCardDeactivate = document(`mutation GiftCardDeactivate($id: ID!) {
  giftCardDeactivate(id: $id) { giftCard { id } userErrors { field message code } }
}`)

export const GiftCardNotify = document(`mutation GiftCardNotify($id: ID!) {
  giftCardSendNotificationToCustomer(id: $id) { giftCard { id } userErrors { field message code } }
}`)
