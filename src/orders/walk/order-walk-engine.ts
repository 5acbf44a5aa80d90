import { createLeaseKeeper, type Engine, nextDueBy } from '#kit/engines'
import type { Database } from '#kit/postgres'
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

/** How long a lease on a walk lasts in real time; it is extended while a page is read and recorded. */
const LEASE_MS = 120_000

/**
 * Reads the orders that changed on the platform on a schedule, because messages get lost, and all of them since a date when somebody
 * asks for that. One page at a time, so that memory is bounded, a crash costs one page, and other work runs in between.
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
  // Two nodes that take a slow page from each other would read it again and again.
  const leases = createLeaseKeeper<Walk>({
    leaseMs: LEASE_MS,
    async extend(storeId, [walk]) {
      return (await db.inStore(storeId, (ctx) => extendWalk(ctx, walk!, LEASE_MS))) ? [walk!] : []
    }
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
      const from = performance.now()
      const walk = await db.inStore(storeId, (ctx) => claimWalk(ctx, leaseOwner, LEASE_MS))
      if (!walk) return 0
      leases.keep(storeId, [walk], from)
      try {
        const page = await walkOrders({ db, storeId, connector: await connectorOf(storeId) }, walk)
        await db.inStore(storeId, (ctx) =>
          page.ok ? markWalked(ctx, walk, page.value) : markNotWalked(ctx, walk, page.failure.message)
        )
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
