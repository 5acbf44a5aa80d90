import type { Fields } from '../wire/fields.ts'
import { attributeOf } from './attributes.ts'

/** What a contract is to have for a number of renewals. */
export type NewContractGrant = {
  /** Nothing else on the platform has it: by it the grant is recognised. */
  key: string
  /** Customers see it on their orders. */
  label: string
  /** Of all lines or of the delivery, for so many orders; null: without an end. Or one piece that costs nothing, until it is removed. */
  gives:
    | { kind: 'discount'; percent: number; orders: number | null }
    | { kind: 'discount'; amountMinor: number; currency: string; isOfEachItem: boolean; orders: number | null }
    | { kind: 'free_shipping'; orders: number | null }
    | { kind: 'free_product'; variantId: string }
}

/** A grant as a contract has it. `uses`: how many orders a discount has reduced; null of a free product. Free shipping is a discount there. */
export type FoundContractGrant = { key: string; gid: string; kind: 'discount' | 'free_product'; uses: number | null }

/** `status`: of the contract, in lower case. */
export type FoundContractGrants = { status: string; grants: FoundContractGrant[] }

const BEGINS = 'SVC: '
const MARK = /^SVC: .* \(ref\. ([2-9A-HJ-NP-Z]{12})\)$/s
const MAX_TITLE = 255
/** Orders do not show attributes that begin so. */
export const GRANT_ATTRIBUTE = '_perennial_grant'

/** The title of a discount of a grant: by its end it is recognised, also after an answer was lost or a backup was loaded. */
export function grantTitle(label: string, key: string): string {
  const end = ` (ref. ${key})`
  return `${BEGINS}${label.slice(0, MAX_TITLE - BEGINS.length - end.length)}${end}`
}

/** The key of the grant of which a discount is; null for all others. */
export const grantKeyOf = (title: string | null): string | null => (title && MARK.exec(title)?.[1]) ?? null

const page = 'pageInfo { hasNextPage endCursor }'

/** What says which grants a contract or a draft has; `after`: the names of variables with the ends of the pages before. */
export const grantParts = (after: { discounts: string; lines: string } | null): string => `
    discounts(first: 20${after ? `, after: ${after.discounts}` : ''}) {
      nodes { ... on SubscriptionManualDiscount { id title usageCount } } ${page}
    }
    lines(first: 50${after ? `, after: ${after.lines}` : ''}) { nodes { id customAttributes { key value } } ${page} }`

/** Reads `grantParts`; leaves out what is of no grant. */
export const readGrants = (owner: Fields): FoundContractGrant[] => [
  ...owner
    .at('discounts')
    .list('nodes')
    .flatMap((node): FoundContractGrant[] => {
      const key = grantKeyOf(node.maybeText('title'))
      return key === null ? [] : [{ key, gid: node.text('id'), kind: 'discount', uses: node.int('usageCount') }]
    }),
  ...owner
    .at('lines')
    .list('nodes')
    .flatMap((line): FoundContractGrant[] => {
      const key = attributeOf(line, GRANT_ATTRIBUTE)
      return key === null ? [] : [{ key, gid: line.text('id'), kind: 'free_product', uses: null }]
    })
]
