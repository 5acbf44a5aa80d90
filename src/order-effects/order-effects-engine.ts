import { type Engine, nextDueBy } from '#kit/engines'
import type { Ctx, Database } from '#kit/postgres'
import { nextOrdersForTiers } from '#loyalty'
import { refreshOrders } from './refresh-orders.ts'
import { dueOrders, listDueOrders, nextDueOrder } from './write-effects.ts'

const BATCH = 500

/** Looks again at orders whose time to wait for a contract is over, about which something became known, or which are from before there were tiers. */
export function createOrderEffectsEngine({ db }: { db: Database }): Engine {
  return {
    name: 'order_effects',
    stage: 'others',
    due: dueOrders,
    ...nextDueBy(db, nextDueOrder),
    runOnce: (storeId) => db.inStore(storeId, refreshDueOrders)
  }
}

async function refreshDueOrders(ctx: Ctx): Promise<number> {
  const due = await listDueOrders(ctx, BATCH)
  await refreshOrders(ctx, due, { isAsked: true })
  if (due.length > 0) return due.length
  const forTiers = await nextOrdersForTiers(ctx, BATCH)
  if (!forTiers) return 0
  await refreshOrders(ctx, forTiers)
  return Math.max(1, forTiers.length)
}
