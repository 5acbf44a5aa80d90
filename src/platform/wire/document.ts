// What the connector sends: whole documents, in the `documents.ts` of each resource and nowhere else. A `documents.ts` exports
// no fragments, so that each export is a whole document. A test validates every export against the platform's schema, and the
// client accepts nothing else.

declare const validated: unique symbol
export type AdminDocument = string & { readonly [validated]: true }

export const document = (text: string) => text as AdminDocument

/** The fields of a MoneyV2, which `Fields.money` reads. */
export const Money = 'amount currencyCode'
