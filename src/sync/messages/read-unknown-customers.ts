import { findUnknownCustomers, upsertCustomers } from '#members'
import { unwrap } from '#platform'
import type { SyncDeps } from '../deps.ts'

/**
 * Reads customers that messages name and nobody here knows: their own message may come later, or they are older than the connection of
 * the store. Those that the platform does not have stay unknown.
 */
export async function readUnknownCustomers(
  { db, connectorOf }: SyncDeps,
  storeId: number,
  customerIds: string[]
): Promise<void> {
  const unknown = await db.inStore(storeId, (ctx) => findUnknownCustomers(ctx, customerIds))
  if (unknown.length === 0) return
  const found = unwrap(await (await connectorOf(storeId)).customers.findMany(unknown))
  if (found.size > 0) await db.inStore(storeId, (ctx) => upsertCustomers(ctx, [...found.values()]))
}
