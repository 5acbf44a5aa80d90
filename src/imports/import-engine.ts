import type { Engine } from '#kit/engines'
import type { Database } from '#kit/postgres'
import type { Connector, PlatformFailure } from '#platform'
import { ClaimLost } from './claim-lost.ts'
import { fetchPlatformContracts, stopFetching } from './fetch-platform-contracts.ts'
import type { Import } from './import.ts'
import { processRows } from './process-rows.ts'
import { pruneImport } from './prune-import.ts'
import { claimImport, dueImports, lockClaim, lockImport, markEnded, nextImportAt, releaseClaim } from './queries.ts'
import { retainUntil } from './retain-until.ts'

/** When an import is looked at again after the platform could not be asked. */
const RETRY_AFTER_MINUTES = [1, 5, 15, 60] as const

/**
 * Works off imports, batch by batch, each batch under a claim. All that is known stands in the tables, so that after a
 * crash another process goes on with the next row.
 */
export function createImportEngine(options: {
  db: Database
  leaseOwner: number
  connectorOf: (storeId: number) => Promise<Connector>
}): Engine {
  const { db, leaseOwner, connectorOf } = options

  const quarantine = (storeId: number, claimed: Import, failure: PlatformFailure) =>
    db.inStore(storeId, (ctx) => {
      const minutes = RETRY_AFTER_MINUTES[Math.min(claimed.tries, RETRY_AFTER_MINUTES.length - 1)]!
      // What is throttled waits in real time, of which the store's clock may know nothing: it is due at once.
      const dueAt = failure.kind === 'throttled' ? ctx.now : ctx.now.add({ minutes })
      return releaseClaim(ctx, claimed, { dueAt, error: failure.kind === 'throttled' ? null : failure.message })
    })

  const work = async (storeId: number, claimed: Import): Promise<number> => {
    const { rows, failure } = await processRows(db, storeId, claimed, await connectorOf(storeId))
    if (failure) {
      await quarantine(storeId, claimed, failure)
      return rows
    }
    await db.inStore(storeId, async (ctx) => {
      if (!(await lockClaim(ctx, claimed))) return
      if (rows > 0) return releaseClaim(ctx, claimed, { dueAt: ctx.now, error: null })
      await markEnded(ctx, claimed.id, 'done', { dueAt: retainUntil(ctx.now), error: null })
    })
    return Math.max(rows, 1)
  }

  /** Of one that was cancelled, what was just being made on the platform is brought to its end first. */
  const close = async (storeId: number, claimed: Import): Promise<number> => {
    const connector = await connectorOf(storeId)
    const unheard = await stopFetching(db, storeId, claimed, connector)
    if (unheard) {
      await quarantine(storeId, claimed, unheard)
      return 0
    }
    const { rows, failure } = await processRows(db, storeId, claimed, connector)
    if (rows === 0 && !failure) return pruneImport(db, storeId, claimed)
    if (failure) await quarantine(storeId, claimed, failure)
    else await db.inStore(storeId, (ctx) => releaseClaim(ctx, claimed, { dueAt: ctx.now, error: null }))
    return rows
  }

  const giveUp = (storeId: number, claimed: Import): Promise<number> =>
    db.inStore(storeId, async (ctx) => {
      // The end of its file may have come since.
      if ((await lockImport(ctx, claimed.id))?.status !== 'receiving') {
        await releaseClaim(ctx, claimed, { dueAt: ctx.now, error: null })
        return 1
      }
      const reported = { dueAt: retainUntil(ctx.now), error: 'The file did not come to its end' }
      await markEnded(ctx, claimed.id, 'cancelled', reported)
      return 1
    })

  const carryOn = async (storeId: number, claimed: Import): Promise<number> => {
    if (claimed.status === 'running') return work(storeId, claimed)
    if (claimed.status === 'receiving') return giveUp(storeId, claimed)
    if (claimed.status === 'cancelled') return close(storeId, claimed)
    if (claimed.status !== 'fetching') return pruneImport(db, storeId, claimed)
    const fetched = await fetchPlatformContracts(db, storeId, claimed, await connectorOf(storeId))
    if (fetched.failure) await quarantine(storeId, claimed, fetched.failure)
    return fetched.done
  }

  return {
    name: 'imports',
    needsPlatform: true,
    due: dueImports,
    nextDueAt: (storeId) => nextImportAt(db.direct, storeId),
    async runOnce(storeId) {
      const claimed = await db.inStore(storeId, (ctx) => claimImport(ctx, leaseOwner))
      if (!claimed) return 0
      try {
        return await carryOn(storeId, claimed)
      } catch (err) {
        if (err instanceof ClaimLost) return 0
        throw err
      }
    }
  }
}
