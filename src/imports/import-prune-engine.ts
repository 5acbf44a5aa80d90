import { type Engine, nextDueBy } from '#kit/engines'
import type { Database } from '#kit/postgres'
import { pruneImport } from './prune-import.ts'
import { claimEndedImport, dueEndedImports, nextEndedImport, releaseImports } from './queries.ts'

/** Prunes ended imports also in a store whose platform is disconnected, where the import engine does not run. */
export function createImportPruneEngine({ db, leaseOwner }: { db: Database; leaseOwner: number }): Engine {
  return {
    name: 'import_pruning',
    stage: 'others',
    releaseLeases: releaseImports,
    due: dueEndedImports,
    ...nextDueBy(db, nextEndedImport),
    async runOnce(storeId) {
      const claimed = await db.inStore(storeId, (ctx) => claimEndedImport(ctx, leaseOwner))
      return claimed ? pruneImport(db, storeId, claimed) : 0
    }
  }
}
