declare const validated: unique symbol
/** A whole GraphQL document that we send. The client accepts nothing else. */
export type AdminDocument = string & { readonly [validated]: true }

const documents: AdminDocument[] = []

/** Makes a document, once, when its file is loaded. A test validates each one against the platform's schema and counts its cost. */
export function document(text: string): AdminDocument {
  documents.push(text as AdminDocument)
  return text as AdminDocument
}

/** Every document of the files that are loaded. */
export const allDocuments = (): readonly AdminDocument[] => documents

/** The fields of a MoneyV2, which `Fields.money` reads. */
export const Money = 'amount currencyCode'
