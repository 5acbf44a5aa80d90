import { moveStoreRows, sql } from '#kit/postgres'
import type { Platform } from '../http.ts'

/** Gives the shop of this domain, with all that it has, the number of the store that the app has made for it. */
export async function adoptShop(
  { db, shops }: Pick<Platform, 'db' | 'shops'>,
  { storeId, domain }: { storeId: number; domain: string }
): Promise<void> {
  const shop = await shops.findByDomain(domain.toLowerCase())
  if (!shop || shop.storeId > 0) return
  await db.inInstallation(async (q) => {
    await moveStoreRows(q, { schema: 'sandbox', storeId: shop.storeId, to: storeId })
    await q.run(sql`update sandbox.shops set store_id = ${storeId} where store_id = ${shop.storeId}`)
  })
  shops.forget(shop.storeId)
}
