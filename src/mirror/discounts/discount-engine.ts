import { type Engine, nextDueBy } from '#kit/engines'
import type { Database } from '#kit/postgres'
import { createWalker } from '#kit/walks'
import { type Connector, type PlatformResult, succeeded } from '#platform'
import { refreshContractDiscounts } from '../contract-discounts/refresh-contract-discounts.ts'
import { applyDiscounts } from './apply-discounts.ts'
import {
  claimDiscounts,
  type DiscountComparison,
  dueDiscounts,
  extendDiscounts,
  markDiscountsCompared,
  markDiscountsFailed,
  type NotEnforcedLine,
  nextDiscountsAt,
  releaseDiscounts
} from './discount-queries.ts'
import { planDiscounts } from './plan-discounts.ts'

/**
 * Keeps the automatic discounts that give members their prices: compares them with what the plans and the settings want, every hour
 * and after each change of these, and makes, corrects and ends them. A discount is few calls, so a store is done at once.
 */
export function createDiscountEngine({
  db,
  leaseOwner,
  connectorOf,
  leaseMs
}: {
  db: Database
  leaseOwner: number
  connectorOf: (storeId: number) => Promise<Connector>
  /** How long a lease lasts in real time when it is not extended; two minutes when left out. */
  leaseMs?: number
}): Engine {
  const compare = async (
    storeId: number,
    comparison: DiscountComparison
  ): Promise<PlatformResult<NotEnforcedLine[]>> => {
    const plan = await db.inStore(storeId, async (ctx) => {
      await refreshContractDiscounts(ctx)
      return planDiscounts(ctx)
    })
    if (plan.wanted.length > 0 || plan.nodes.some(({ platformId }) => platformId !== null)) {
      const applied = await applyDiscounts({ db, storeId, connector: await connectorOf(storeId), comparison }, plan)
      if (!applied.ok) return applied
    }
    return succeeded(plan.notEnforced)
  }

  const walkOn = createWalker({
    db,
    leaseMs,
    claim: (ctx, ms) => claimDiscounts(ctx, leaseOwner, ms),
    extend: extendDiscounts,
    read: compare,
    record: markDiscountsCompared,
    putOff: markDiscountsFailed
  })

  return {
    name: 'discounts',
    stage: 'others',
    releaseLeases: releaseDiscounts,
    needsPlatform: true,
    restsAfterRestore: true,
    realTime: true,
    due: dueDiscounts,
    ...nextDueBy(db, nextDiscountsAt),
    async runOnce(storeId) {
      return (await walkOn(storeId)) ? 1 : 0
    }
  }
}
