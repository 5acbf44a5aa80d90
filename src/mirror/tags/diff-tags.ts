import type { Database } from '#kit/postgres'
import type { Connector, TaggedKind } from '#platform'
import { tagsNotRead } from '../refusals.ts'
import { type ComparedOwner, isDifferent, readDifferences, type TagPage } from './read-differences.ts'
import { findNextTagWalk, type TagPlace } from './tag-walks.ts'
import type { TagOwner } from './wanted-tags.ts'

/** So many owners are compared for one page: five calls of the platform. */
const PAGE = 200

/**
 * A page of what differs: how many owners were compared, those that differ, wait or have a problem, and where the next one begins.
 * `nextComparisonAt`: when the schedule compares all of them (real time); null before the first tag of the store.
 */
export type TagsDiff = {
  compared: number
  owners: ComparedOwner[]
  next: TagPlace
  nextComparisonAt: Temporal.Instant | null
}

/** Compares one owner, who is returned in any case, or a page of all from `after`, with the platform. Changes nothing. */
export async function diffTags(
  { db, connectorOf }: { db: Database; connectorOf: (storeId: number) => Promise<Connector> },
  storeId: number,
  of: TagOwner | { after: { kind: TaggedKind; afterId: number } | null }
): Promise<TagsDiff> {
  const one = 'kind' in of ? of : null
  const from = 'after' in of ? of.after : null
  const page: TagPage = one
    ? { kind: one.kind, afterId: 0, limit: 1, ownerId: one.ownerId }
    : { kind: from?.kind ?? 'customer', afterId: from?.afterId ?? 0, limit: PAGE }
  const { tags } = await connectorOf(storeId)
  const read = await readDifferences(db, storeId, page, (kind, ids) => tags.findMany(kind, ids))
  if (!read.ok) throw tagsNotRead(read.failure.message)
  const { owners, next } = read.value
  const nextComparisonAt = await db.inStore(storeId, findNextTagWalk)
  if (one) return { compared: owners.length, owners, next: null, nextComparisonAt }
  const shown = owners.filter((owner) => isDifferent(owner) || owner.nextTryAt !== null || owner.problem !== null)
  return { compared: owners.length, owners: shown, next, nextComparisonAt }
}
