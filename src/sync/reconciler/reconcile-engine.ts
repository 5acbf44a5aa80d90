import { createLeaseKeeper, type Engine, nextDueBy } from '#kit/engines'
import type { Measure } from '#kit/metrics'
import type { Database } from '#kit/postgres'
import type { Connector, PlatformResult } from '#platform'
import { markCaughtUp } from '#stores'
import { reconciledChanges, reconciledItems } from '../metrics.ts'
import { releaseWhenRead } from '../restored-store.ts'
import {
  claimWalk,
  dueReconciliations,
  extendWalk,
  markNotWalked,
  markWalked,
  nextReconciliationAt,
  releaseReconciliations,
  WALK_LEASE_MS,
  type Walk,
  type WalkedPage
} from './reconciliation.ts'
import { walkAttempts, walkFailedAttempts } from './walk-attempts.ts'
import { walkContracts } from './walk-contracts.ts'

export type ReconcileOptions = {
  db: Database
  leaseOwner: number
  connectorOf: (storeId: number) => Promise<Connector>
  /** Corrects our webhooks on the platform and our copy of the shop; returns how many things were wrong. */
  checkConnection: (storeId: number) => Promise<PlatformResult<{ changed: number }>>
  measure?: Measure
  /** How long the lease on a walk lasts when it is not extended; two minutes when left out. */
  leaseMs?: number
}

/**
 * Reads the platform on a schedule, because messages get lost: our webhooks there, recent changes, and once a day everything. Reads
 * one page at a time, so that memory is bounded, a crash costs one page, and other work runs in between.
 */
export function createReconcileEngine(options: ReconcileOptions): Engine {
  const { db, leaseOwner, connectorOf, measure, leaseMs = WALK_LEASE_MS } = options
  // Two nodes that take a slow page from each other would read it again and again.
  const leases = createLeaseKeeper<Walk>({
    leaseMs,
    async extend(storeId, [walk]) {
      return (await db.inStore(storeId, (ctx) => extendWalk(ctx, walk!, leaseMs))) ? [walk!] : []
    }
  })

  const pageOf = async (storeId: number, walk: Walk): Promise<PlatformResult<WalkedPage>> => {
    if (walk.kind === 'webhooks') {
      const checked = await options.checkConnection(storeId)
      return checked.ok ? { ok: true, value: { seen: 1, changed: checked.value.changed, after: null } } : checked
    }
    const at = { db, storeId, connector: await connectorOf(storeId) }
    if (walk.kind === 'attempts') return walkAttempts(at, walk)
    if (walk.kind === 'failed_attempts') return walkFailedAttempts(at, walk)
    return walkContracts(at, walk)
  }

  return {
    name: 'reconcile',
    stage: 'others',
    releaseLeases: releaseReconciliations,
    needsPlatform: true,
    realTime: true,
    due: dueReconciliations,

    ...nextDueBy(db, nextReconciliationAt),

    async runOnce(storeId) {
      const from = performance.now()
      const walk = await db.inStore(storeId, (ctx) => claimWalk(ctx, leaseOwner, leaseMs))
      if (!walk) return 0
      leases.keep(storeId, [walk], from)
      try {
        const page = await pageOf(storeId, walk)
        if (page.ok) {
          await db.inStore(storeId, async (ctx) => {
            await markWalked(ctx, walk, page.value)
            if (page.value.after !== null) return
            if (walk.kind === 'all_contracts') await markCaughtUp(ctx)
            await releaseWhenRead(ctx)
          })
          const { kind } = walk
          const { seen, changed } = page.value
          if (seen > 0) measure?.(reconciledItems, seen, { kind })
          if (changed > 0) measure?.(reconciledChanges, changed, { kind })
        } else await db.inStore(storeId, (ctx) => markNotWalked(ctx, walk, page.failure.message))
      } catch (err) {
        await db.inStore(storeId, (ctx) => markNotWalked(ctx, walk, (err as Error).message))
        throw err
      } finally {
        leases.letGo(storeId, [walk])
      }
      return 1
    }
  }
}
