import { hash } from 'node:crypto'
import {
  comparableMetafield,
  encodeMetafield,
  MAX_METAFIELD_BYTES,
  type Metafield,
  type MetafieldOwner
} from '#platform'

/** Whose metafields they are: the shop (number 0), a row of members, or a discount of ours. */
export type OwnerOfMetafields = { kind: MetafieldOwner; ownerId: number }

/** A store has one shop. */
export const SHOP: OwnerOfMetafields = { kind: 'shop', ownerId: 0 }

/** What is wanted of one owner, by key. A key that is not there is to be deleted. */
export type Wanted = Map<string, WantedMetafield>
export type WantedMetafield = { metafield: Metafield<unknown>; value: string; hash: string }

/** What is known to be on the platform of one owner, by key. */
export type Known = Map<string, { hash: string; digest: string }>

/** Adds a value to what is wanted. */
export function want<T>(wanted: Wanted, metafield: Metafield<T>, value: T): void {
  wantText(wanted, metafield, encodeMetafield(metafield, value))
}

/** The same for a value that is encoded already. */
export function wantText(wanted: Wanted, metafield: Metafield<never> | Metafield<unknown>, value: string): void {
  const { key, type } = metafield
  wanted.set(key, { metafield: metafield as Metafield<unknown>, value, hash: hashOf(type, value) })
}

/** By which a value is compared with what was written or found. */
export const hashOf = (type: string, value: string): string =>
  hash('sha256', `${type}\n${comparableMetafield(type, value)}`, 'hex').slice(0, 32)

/** What is to be written and deleted so that an owner has what is wanted. `seenDigest`: of what is there as far as we know. */
export type MetafieldDifference = {
  set: (WantedMetafield & { seenDigest: string | null })[]
  remove: string[]
  /** What is wanted and cannot be written, in a sentence; null where all can. */
  problem: string | null
}

/** A value that is larger than the platform takes is never cut: what is there stays, and the owner has a problem. */
export function compareMetafields(wanted: Wanted, known: Known): MetafieldDifference {
  const different = [...wanted.values()].filter((one) => known.get(one.metafield.key)?.hash !== one.hash)
  const { fitting = [], tooLarge = [] } = Object.groupBy(different, ({ value }) =>
    Buffer.byteLength(value) <= MAX_METAFIELD_BYTES ? 'fitting' : 'tooLarge'
  )
  return {
    set: fitting.map((one) => ({ ...one, seenDigest: known.get(one.metafield.key)?.digest ?? null })),
    remove: [...known.keys()].filter((key) => !wanted.has(key)),
    problem: tooLarge.length === 0 ? null : tooLarge.map(problemOfSize).join('; ')
  }
}

const problemOfSize = ({ metafield, value }: WantedMetafield) =>
  `${metafield.key} needs ${Buffer.byteLength(value)} bytes and the platform takes ${MAX_METAFIELD_BYTES}, so that it is not written any more`

export const isDifferent = ({ set, remove }: MetafieldDifference): boolean => set.length > 0 || remove.length > 0
