import type { Ctx } from '#kit/postgres'
import { metafieldsNotKept } from '../refusals.ts'
import { findMetafieldTotals, keepsMetafields, type MetafieldTotals, walkMetafieldsNow } from './metafield-store.ts'
import { markMetafieldsDue, retryMetafieldsNow } from './owner-queries.ts'
import { refreshCustomerMetafields } from './refresh-metafields.ts'

/** What a sync came to. `compared` is null while the comparison of the store is not at its end. */
type MetafieldsSynced = Pick<MetafieldTotals, 'written' | 'deleted' | 'changedByOthers' | 'waiting' | 'problems'> & {
  compared: number | null
  lastError: string | null
}

/** Has the metafields of one customer read, compared and corrected now, or those of the shop and all customers. */
export async function syncMetafields(ctx: Ctx, memberId: number | null): Promise<MetafieldTotals> {
  if (!(await keepsMetafields(ctx))) throw metafieldsNotKept()
  if (memberId === null) {
    await walkMetafieldsNow(ctx)
    await retryMetafieldsNow(ctx)
  } else {
    await refreshCustomerMetafields(ctx, [memberId])
    await markMetafieldsDue(ctx, [{ kind: 'customer', ownerId: memberId }], { isReadFirst: true })
  }
  return (await findMetafieldTotals(ctx))!
}

/** What was written since a sync, and what is left; also what others had written meanwhile. */
export async function metafieldsSyncedSince(
  ctx: Ctx,
  before: MetafieldTotals,
  memberId: number | null
): Promise<MetafieldsSynced> {
  const { written, deleted, changedByOthers, lastCompared, endedRequests, waiting, problems, lastError } =
    (await findMetafieldTotals(ctx))!
  const isAtEnd = endedRequests >= before.requests
  return {
    compared: memberId !== null ? 1 : isAtEnd ? lastCompared : null,
    written: written - before.written,
    deleted: deleted - before.deleted,
    changedByOthers: changedByOthers - before.changedByOthers,
    waiting,
    problems,
    lastError: memberId === null && !isAtEnd ? lastError : null
  }
}
