import type { Ctx } from '#kit/postgres'
import { type TaggedKind, tagKey } from '#platform'
import { listWantedBy, markWantedChanged, replaceWanted } from './tag-queries.ts'
import { scheduleTagWalk } from './tag-walks.ts'
import type { TagSource } from './wanted-tags.ts'

/** The tags that a source wants for an owner: a number of members or orders. An empty list takes all of them back. */
export type WantedTags = { ownerId: number; tags: string[] }

/**
 * Records what a source wants, all at once, in the transaction of what it follows from; the platform's tags follow in the background.
 * What other sources want stays. An owner of whom nothing changes costs no write. Callers who set the tags of one owner at the same
 * time hold a lock on what these follow from. Returns how many owners have changed.
 */
export async function setWantedTags<Kind extends TaggedKind>(
  ctx: Ctx,
  kind: Kind,
  source: TagSource<Kind>,
  wanted: WantedTags[]
): Promise<number> {
  const ids = wanted.map(({ ownerId }) => ownerId)
  const before = await listWantedBy(ctx, source, kind, ids)
  const changed = wanted.filter(({ ownerId, tags }) => !areSame(before.get(ownerId) ?? [], tags))
  if (changed.length === 0) return 0
  const changedIds = changed.map(({ ownerId }) => ownerId)
  await markWantedChanged(ctx, kind, changedIds)
  const lines = changed.flatMap(({ ownerId, tags }) => tags.map((tag) => ({ ownerId, tag })))
  await replaceWanted(ctx, source, kind, changedIds, lines)
  await scheduleTagWalk(ctx)
  return changed.length
}

function areSame(before: string[], tags: string[]): boolean {
  const [was, is] = [new Set(before.map(tagKey)), new Set(tags.map(tagKey))]
  return was.size === is.size && [...is].every((key) => was.has(key))
}
