import { rebuildMetrics } from '#analytics'
import { recheckRuleDates } from '#loyalty'
import { unwrap } from '#platform'
import { evictPlatformAccess, updateShop } from '#stores'
import { enqueueTimezoneRebase } from '#subscriptions'
import type { SyncDeps } from '../deps.ts'

/**
 * Reads the shop's name and time zone from the platform and applies them. In a new time zone billing keeps its days and times of
 * day: subscriptions are rebased in batches, the metrics are rebuilt with the new days, and rules of loyalty begin and end with them. Returns whether anything changed.
 */
export async function syncShop({ db, connectorOf }: SyncDeps, storeId: number): Promise<boolean> {
  const shop = unwrap(await (await connectorOf(storeId)).shop.read())
  const hasChanged = await db.inStore(storeId, async (ctx) => {
    if (!(await updateShop(ctx, shop))) return false
    await enqueueTimezoneRebase(ctx)
    await rebuildMetrics(ctx)
    await recheckRuleDates(ctx)
    return true
  })
  if (hasChanged) evictPlatformAccess(db, storeId)
  return hasChanged
}
