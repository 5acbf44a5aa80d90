import { type Engine, nextDueBy } from '#kit/engines'
import type { Measure } from '#kit/metrics'
import type { Database } from '#kit/postgres'
import { createWalker } from '#kit/walks'
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
 * Reads the platform on a schedule, because messages get lost: our webhooks there, recent changes, and once a day everything.
 */
export function createReconcileEngine(options: ReconcileOptions): Engine {
  const { db, leaseOwner, connectorOf, measure, leaseMs } = options
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

  const walkOn = createWalker({
    db,
    leaseMs,
    claim: (ctx, ms) => claimWalk(ctx, leaseOwner, ms),
    extend: extendWalk,
    read: pageOf,
    async record(ctx, walk, page) {
      await markWalked(ctx, walk, page)
      if (page.after !== null) return
      if (walk.kind === 'all_contracts') await markCaughtUp(ctx)
      await releaseWhenRead(ctx)
    },
    putOff: markNotWalked
  })

  return {
    name: 'reconcile',
    stage: 'others',
    releaseLeases: releaseReconciliations,
    needsPlatform: true,
    realTime: true,
    due: dueReconciliations,

    ...nextDueBy(db, nextReconciliationAt),

    async runOnce(storeId) {
      const walked = await walkOn(storeId)
      if (!walked) return 0
      const { kind } = walked.walk
      const { seen, changed } = walked.page ?? { seen: 0, changed: 0 }
      if (seen > 0) measure?.(reconciledItems, seen, { kind })
      if (changed > 0) measure?.(reconciledChanges, changed, { kind })
      return 1
    }
  }
}
