// What the connector sends: whole documents, each on its own, in `documents.ts`, `contract-documents.ts` and `plan-documents.ts`.
// Fragments are not exported there, so that each export is a whole document; a test validates every export against the platform's
// schema, and the client takes nothing else.

declare const validated: unique symbol
export type AdminDocument = string & { readonly [validated]: true }

export const document = (text: string) => text as AdminDocument

export const Money = 'amount currencyCode'

export const instrument = `instrument {
    __typename
    ... on CustomerCreditCard { brand lastDigits }
    ... on CustomerShopPayAgreement { lastDigits }
    ... on BankAccount { lastDigits }
  }`
