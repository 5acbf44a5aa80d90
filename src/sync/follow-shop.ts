import { rebuildFigures } from '#analytics'
import type { Database } from '#kit/postgres'
import { answered, type Connector } from '#platform'
import { followShop, forgetPlatformAccess } from '#stores'
import { moveTimezone } from '#subscriptions'

type Deps = { db: Database; connectorOf: (storeId: number) => Promise<Connector> }

/**
 * Asks the platform for the shop's name and time zone and takes them over. In another zone billing keeps its days and times of
 * day, which subscriptions follow in batches, and the days of the figures are the new ones. Answers whether anything changed.
 */
export async function followShopOf({ db, connectorOf }: Deps, storeId: number): Promise<boolean> {
  const shop = answered(await (await connectorOf(storeId)).shop.read())
  const isMoved = await db.inStore(storeId, async (ctx) => {
    const moved = await followShop(ctx, shop)
    if (!moved) return false
    await moveTimezone(ctx)
    await rebuildFigures(ctx)
    return true
  })
  if (isMoved) forgetPlatformAccess(db, storeId)
  return isMoved
}
