import type { Ctx } from '#kit/postgres'
import { refreshCustomerTags } from './refresh-customer-tags.ts'
import { markDue, retryTagsNow } from './tag-queries.ts'
import { findTagTotals, scheduleTagWalk, type TagTotals, walkTagsNow } from './tag-walks.ts'
import type { TagOwner } from './wanted-tags.ts'

/** What a sync came to. `compared` is null while the comparison of the store is not at its end; `lastError`: why it waits. */
type TagsSynced = Pick<TagTotals, 'added' | 'removed' | 'waiting' | 'problems' | 'lastError'> & {
  compared: number | null
}

/**
 * Has the tags of one owner compared with the platform now and corrected, or those of all owners of the store. `syncedSince` says
 * later what came of it.
 */
export async function syncTags(ctx: Ctx, owner: TagOwner | null): Promise<TagTotals> {
  if (!owner) {
    await walkTagsNow(ctx)
    await retryTagsNow(ctx)
  } else {
    if (owner.kind === 'customer') await refreshCustomerTags(ctx, [owner.ownerId])
    await scheduleTagWalk(ctx)
    await markDue(ctx, [owner])
  }
  return findTagTotals(ctx)
}

/** What was written since a sync, and what is left; also what others had written meanwhile. */
export async function syncedSince(ctx: Ctx, before: TagTotals, owner: TagOwner | null): Promise<TagsSynced> {
  const { added, removed, lastCompared, finishedAt, waiting, problems, lastError } = await findTagTotals(ctx)
  const isAtEnd = finishedAt !== null && !(before.finishedAt?.equals(finishedAt) ?? false)
  return {
    compared: owner ? 1 : isAtEnd ? lastCompared : null,
    added: added - before.added,
    removed: removed - before.removed,
    waiting,
    problems,
    lastError: owner || isAtEnd ? null : lastError
  }
}
