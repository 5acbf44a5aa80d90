import type { Engine } from '#kit/engines'
import type { Database } from '#kit/postgres'
import type { Import } from './import.ts'
import { claimEndedImport, dueEndedImports, nextEndedImportAt, releaseClaim } from './queries.ts'
import { retainUntil } from './retain-until.ts'
import { pruneInput } from './row-queries.ts'

const PRUNED_AT_ONCE = 5_000

/** What was read is kept for its time, and then removed. */
export async function pruneImport(db: Database, storeId: number, claimed: Import): Promise<number> {
  return db.inStore(storeId, async (ctx) => {
    const until = retainUntil(claimed.finishedAt!)
    if (Temporal.Instant.compare(ctx.now, until) < 0) {
      await releaseClaim(ctx, claimed, { dueAt: until, error: claimed.lastError })
      return 1
    }
    const pruned = await pruneInput(ctx, claimed.id, PRUNED_AT_ONCE)
    await releaseClaim(ctx, claimed, { dueAt: pruned === PRUNED_AT_ONCE ? ctx.now : null, error: claimed.lastError })
    return Math.max(pruned, 1)
  })
}

/** Removes what was kept of ended imports also in a store that has lost its platform: what people said is not kept for it. */
export function createImportPruneEngine({ db, leaseOwner }: { db: Database; leaseOwner: number }): Engine {
  return {
    name: 'import_pruning',
    due: dueEndedImports,
    nextDueAt: (storeId) => nextEndedImportAt(db.direct, storeId),
    async runOnce(storeId) {
      const claimed = await db.inStore(storeId, (ctx) => claimEndedImport(ctx, leaseOwner))
      return claimed ? pruneImport(db, storeId, claimed) : 0
    }
  }
}
