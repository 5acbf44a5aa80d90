import { MAX_METAFIELDS_PER_CALL, type MetafieldOwner } from '#platform'
import type { ClaimedOwner } from './owner-queries.ts'
import type { MetafieldDifference } from './wanted-metafields.ts'

/** What is to be written for a claimed owner. `platformId`: the platform's number of it. */
export type OwnerWrite = { owner: ClaimedOwner; platformId: string; difference: MetafieldDifference }

/** Owners whose metafields are set by one call. */
export type WriteBatch = OwnerWrite[]

/**
 * Puts owners of a kind together, in their order, so that each call sets as many metafields as it may: an access scope may be missing
 * for one kind. An owner is never divided, and one of whom something is deleted is by itself: that is another call.
 */
export function batchesOf(writes: OwnerWrite[]): WriteBatch[] {
  return [...Map.groupBy(writes, ({ owner }) => owner.kind).values()].flatMap(batchesOfKind)
}

function batchesOfKind(writes: OwnerWrite[]): WriteBatch[] {
  const batches: { writes: OwnerWrite[]; size: number }[] = []
  for (const write of writes) {
    const size = write.difference.set.length
    const last = batches.at(-1)
    const isAlone = (one: OwnerWrite) => one.difference.remove.length > 0
    if (last && last.size + size <= MAX_METAFIELDS_PER_CALL && !isAlone(write) && !isAlone(last.writes[0]!)) {
      last.writes.push(write)
      last.size += size
    } else batches.push({ writes: [write], size })
  }
  return batches.map(({ writes }) => writes)
}

/** The metafields that a batch sets, in order. */
export const setsOf = (batch: WriteBatch) =>
  batch.flatMap(({ owner, platformId, difference }) =>
    difference.set.map(({ metafield, value, hash, seenDigest }) => ({
      owner,
      hash,
      entry: { ...placeOf(owner.kind, platformId, metafield.key), type: metafield.type, value, seenDigest }
    }))
  )

/** The metafields that a batch deletes. */
export const removesOf = (batch: WriteBatch) =>
  batch.flatMap(({ owner, platformId, difference }) =>
    difference.remove.map((key) => ({ owner, key, place: placeOf(owner.kind, platformId, key) }))
  )

const placeOf = (owner: MetafieldOwner, ownerId: string, key: string) => ({ owner, ownerId, key })
