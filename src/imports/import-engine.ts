import { type Engine, nextDueBy } from '#kit/engines'
import type { Database } from '#kit/postgres'
import type { Connector, PlatformFailure } from '#platform'
import { ClaimLost } from './claim-lost.ts'
import type { Import } from './import.ts'
import { fetchPlatformContracts, stopFetching } from './intake/fetch-platform-contracts.ts'
import { processRows } from './processing/process-rows.ts'
import { pruneImport } from './prune-import.ts'
import {
  claimImport,
  dueImports,
  lockClaim,
  lockImport,
  markEnded,
  nextImport,
  releaseClaim,
  releaseImports
} from './queries.ts'
import { retainUntil } from './retain-until.ts'

/** Delays before the next try after the platform could not be reached. */
const RETRY_AFTER_MINUTES = [1, 5, 15, 60] as const

/**
 * Processes imports batch by batch, each batch under a claim. All progress is in the tables, so after a crash another process
 * continues with the next row.
 */
export function createImportEngine(options: {
  db: Database
  leaseOwner: number
  connectorOf: (storeId: number) => Promise<Connector>
}): Engine {
  const { db, leaseOwner, connectorOf } = options

  const postpone = (storeId: number, claimed: Import, failure: PlatformFailure) =>
    db.inStore(storeId, (ctx) => {
      const minutes = RETRY_AFTER_MINUTES[Math.min(claimed.tries, RETRY_AFTER_MINUTES.length - 1)]!
      // Throttling lasts in real time, which a store's test clock does not follow: the import stays due now.
      const dueAt = failure.kind === 'throttled' ? ctx.now : ctx.now.add({ minutes })
      return releaseClaim(ctx, claimed, { dueAt, error: failure.kind === 'throttled' ? null : failure.message })
    })

  const processBatch = async (storeId: number, claimed: Import): Promise<number> => {
    const { rows, failure } = await processRows(db, storeId, claimed, await connectorOf(storeId))
    if (failure) {
      await postpone(storeId, claimed, failure)
      return rows
    }
    await db.inStore(storeId, async (ctx) => {
      if (!(await lockClaim(ctx, claimed))) return
      if (rows > 0) return releaseClaim(ctx, claimed, { dueAt: ctx.now, error: null })
      await markEnded(ctx, claimed.id, 'done', { dueAt: retainUntil(ctx.now), error: null })
    })
    return Math.max(rows, 1)
  }

  /** Completes the contracts that were being created on the platform when the import was cancelled, then prunes it. */
  const finishCancelled = async (storeId: number, claimed: Import): Promise<number> => {
    const connector = await connectorOf(storeId)
    const notStopped = await stopFetching(db, storeId, claimed, connector)
    if (notStopped) {
      await postpone(storeId, claimed, notStopped)
      return 0
    }
    const { rows, failure } = await processRows(db, storeId, claimed, connector)
    if (rows === 0 && !failure) return pruneImport(db, storeId, claimed)
    if (failure) await postpone(storeId, claimed, failure)
    else await db.inStore(storeId, (ctx) => releaseClaim(ctx, claimed, { dueAt: ctx.now, error: null }))
    return rows
  }

  const cancelWithoutFile = (storeId: number, claimed: Import): Promise<number> =>
    db.inStore(storeId, async (ctx) => {
      // The rest of its file may have arrived since the claim.
      if ((await lockImport(ctx, claimed.id))?.status !== 'receiving') {
        await releaseClaim(ctx, claimed, { dueAt: ctx.now, error: null })
        return 1
      }
      const end = { dueAt: retainUntil(ctx.now), error: 'The file was not received completely' }
      await markEnded(ctx, claimed.id, 'cancelled', end)
      return 1
    })

  const runStep = async (storeId: number, claimed: Import): Promise<number> => {
    if (claimed.status === 'running') return processBatch(storeId, claimed)
    if (claimed.status === 'receiving') return cancelWithoutFile(storeId, claimed)
    if (claimed.status === 'cancelled') return finishCancelled(storeId, claimed)
    if (claimed.status !== 'fetching') return pruneImport(db, storeId, claimed)
    const fetched = await fetchPlatformContracts(db, storeId, claimed, await connectorOf(storeId))
    if (fetched.failure) await postpone(storeId, claimed, fetched.failure)
    return fetched.done
  }

  return {
    name: 'imports',
    stage: 'others',
    releaseLeases: releaseImports,
    needsPlatform: true,
    restsAfterRestore: true,
    due: dueImports,
    ...nextDueBy(db, nextImport),
    async runOnce(storeId) {
      const claimed = await db.inStore(storeId, async (ctx) => (ctx.isRestored ? null : claimImport(ctx, leaseOwner)))
      if (!claimed) return 0
      try {
        return await runStep(storeId, claimed)
      } catch (err) {
        if (err instanceof ClaimLost) return 0
        throw err
      }
    }
  }
}
