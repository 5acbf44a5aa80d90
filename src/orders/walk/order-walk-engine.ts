import { type Engine, nextDueBy } from '#kit/engines'
import type { Database } from '#kit/postgres'
import { createWalker } from '#kit/walks'
import type { Connector } from '#platform'
import {
  claimWalk,
  dueOrderWalks,
  extendWalk,
  markNotWalked,
  markWalked,
  nextOrderWalkAt,
  releaseOrderWalks,
  type Walk
} from './order-walks.ts'
import { walkOrders } from './walk-orders.ts'

/**
 * Reads the orders that changed on the platform on a schedule, because messages get lost, and all of them since a date when somebody
 * asks for that.
 */
export function createOrderWalkEngine({
  db,
  leaseOwner,
  connectorOf
}: {
  db: Database
  leaseOwner: number
  connectorOf: (storeId: number) => Promise<Connector>
}): Engine {
  const walkOn = createWalker({
    db,
    claim: (ctx, leaseMs) => claimWalk(ctx, leaseOwner, leaseMs),
    extend: extendWalk,
    read: async (storeId, walk: Walk) => walkOrders({ db, storeId, connector: await connectorOf(storeId) }, walk),
    record: markWalked,
    putOff: markNotWalked
  })

  return {
    name: 'order_walks',
    stage: 'others',
    releaseLeases: releaseOrderWalks,
    needsPlatform: true,
    realTime: true,
    due: dueOrderWalks,

    ...nextDueBy(db, nextOrderWalkAt),

    async runOnce(storeId) {
      return (await walkOn(storeId)) ? 1 : 0
    }
  }
}
