declare const validated: unique symbol
/** A whole GraphQL document that we send. The client accepts nothing else. */
export type AdminDocument = string & { readonly [validated]: true }

const documents: AdminDocument[] = []

/** So many objects in one document cost less than 1000 points, the maximum for one document; a test counts the points. */
export const MAX_IDS_PER_DOCUMENT = 47
const idsOf = new Map<string, number>()

/**
 * Makes a document, once, when its file is loaded. A test validates each one against the platform's schema and counts its cost.
 * `ids`: how many objects it reads at once, where those cost so much that `MAX_IDS_PER_DOCUMENT` would be too many.
 */
export function document(text: string, { ids }: { ids?: number } = {}): AdminDocument {
  documents.push(text as AdminDocument)
  if (ids !== undefined) idsOf.set(text, ids)
  return text as AdminDocument
}

/** How many objects a document reads at once. */
export const idsPerDocument = (text: AdminDocument): number => idsOf.get(text) ?? MAX_IDS_PER_DOCUMENT

/** Every document of the files that are loaded. */
export const allDocuments = (): readonly AdminDocument[] => documents

/** The fields of a MoneyV2, which `Fields.money` reads. */
export const Money = 'amount currencyCode'

/** The fields of a fragment, for a document that may have no named fragments. */
export const fieldsIn = (fragment: string): string =>
  fragment.slice(fragment.indexOf('{') + 1, fragment.lastIndexOf('}'))
