import type { Database } from '#kit/postgres'
import type { Import } from './import.ts'
import { releaseClaim } from './queries.ts'
import { retainUntil } from './retain-until.ts'
import { pruneInput } from './row-queries.ts'

const PRUNE_BATCH = 5_000

/** Removes the fields of an ended import's rows once their retention time is over; returns the amount of work done. */
export async function pruneImport(db: Database, storeId: number, claimed: Import): Promise<number> {
  return db.inStore(storeId, async (ctx) => {
    const until = retainUntil(claimed.finishedAt!)
    if (Temporal.Instant.compare(ctx.now, until) < 0) {
      await releaseClaim(ctx, claimed, { dueAt: until, error: claimed.lastError })
      return 1
    }
    const pruned = await pruneInput(ctx, claimed.id, PRUNE_BATCH)
    await releaseClaim(ctx, claimed, { dueAt: pruned === PRUNE_BATCH ? ctx.now : null, error: claimed.lastError })
    return Math.max(pruned, 1)
  })
}
