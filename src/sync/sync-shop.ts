import { rebuildMetrics } from '#analytics'
import type { Database } from '#kit/postgres'
import { type Connector, unwrap } from '#platform'
import { evictPlatformAccess, updateShop } from '#stores'
import { enqueueTimezoneRebase } from '#subscriptions'

type Deps = { db: Database; connectorOf: (storeId: number) => Promise<Connector> }

/**
 * Asks the platform for the shop's name and time zone and takes them over. In another zone billing keeps its days and times of
 * day, which subscriptions follow in batches, and the days of the figures are the new ones. Answers whether anything changed.
 */
export async function syncShop({ db, connectorOf }: Deps, storeId: number): Promise<boolean> {
  const shop = unwrap(await (await connectorOf(storeId)).shop.read())
  const isMoved = await db.inStore(storeId, async (ctx) => {
    const moved = await updateShop(ctx, shop)
    if (!moved) return false
    await enqueueTimezoneRebase(ctx)
    await rebuildMetrics(ctx)
    return true
  })
  if (isMoved) evictPlatformAccess(db, storeId)
  return isMoved
}
