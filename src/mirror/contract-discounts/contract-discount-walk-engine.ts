import { type Engine, nextDueBy } from '#kit/engines'
import type { Database } from '#kit/postgres'
import { createWalker } from '#kit/walks'
import {
  claimContractDiscountWalk,
  dueContractDiscountWalks,
  extendContractDiscountWalk,
  markContractDiscountPage,
  markContractDiscountPageFailed,
  nextContractDiscountWalkAt,
  releaseContractDiscountWalks
} from './contract-discount-walks.ts'
import { refreshPage } from './refresh-contract-discounts.ts'

/**
 * Derives for all customers of a store which discounts their product contracts are to have: when a plan or a setting gives renewals something
 * else, and once a day. A page is a transaction of its own, so that nobody waits long for its customers, and a crash costs one page.
 */
export function createContractDiscountWalkEngine({
  db,
  leaseOwner,
  leaseMs
}: {
  db: Database
  leaseOwner: number
  /** How long a lease lasts in real time when it is not extended; two minutes when left out. */
  leaseMs?: number
}): Engine {
  const walkOn = createWalker({
    db,
    leaseMs,
    claim: (ctx, ms) => claimContractDiscountWalk(ctx, leaseOwner, ms),
    extend: extendContractDiscountWalk,
    read: async (storeId, walk) => ({
      ok: true,
      value: { afterId: await db.inStore(storeId, (ctx) => refreshPage(ctx, walk)) }
    }),
    record: markContractDiscountPage,
    putOff: markContractDiscountPageFailed
  })

  return {
    name: 'contract-discount-walk',
    stage: 'others',
    releaseLeases: releaseContractDiscountWalks,
    restsAfterRestore: true,
    realTime: true,
    due: dueContractDiscountWalks,
    ...nextDueBy(db, nextContractDiscountWalkAt),
    async runOnce(storeId) {
      return (await walkOn(storeId)) ? 1 : 0
    }
  }
}
