import { eraseStoreRows, sql } from '#kit/postgres'
import type { Platform } from '../http.ts'

const SCHEMA = 'sandbox'

/**
 * Removes the shop of a store, if it has one, and everything in it, batch by batch. The shop is first, so that nobody uses it
 * meanwhile; safe to repeat. `mayGoOn` is asked before each batch.
 */
export async function deleteShop(
  { db, shops }: Platform,
  { storeId, mayGoOn }: { storeId: number; mayGoOn?: () => boolean }
): Promise<void> {
  await db.direct.run(sql`delete from sandbox.shops where store_id = ${storeId}`)
  shops.forget(storeId)
  await eraseStoreRows(db, { schema: SCHEMA, storeId, mayGoOn })
}
