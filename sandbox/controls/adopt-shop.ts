import { eraseStoreRows, sql } from '#kit/postgres'
import type { Platform } from '../http.ts'

/** Gives the shop of this domain the number of the store that the app has made for it. What was issued to the app goes with it. */
export async function adoptShop(
  { db, shops }: Pick<Platform, 'db' | 'shops'>,
  { storeId, domain }: { storeId: number; domain: string }
): Promise<void> {
  const shop = await shops.findByDomain(domain.toLowerCase())
  if (!shop || shop.storeId > 0) return
  await db.inInstallation(async (q) => {
    await q.run(sql`update sandbox.oauth_tokens set store_id = ${storeId} where store_id = ${shop.storeId}`)
    await q.run(sql`delete from sandbox.shops where store_id = ${shop.storeId}`)
  })
  shops.forget(shop.storeId)
  await eraseStoreRows(db, { schema: 'sandbox', storeId: shop.storeId })
}
