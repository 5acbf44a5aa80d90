import { transferCredit } from '#credits'
import type { Database } from '#kit/postgres'
import { type MergedCustomers, markCustomersMerged, upsertCustomers } from '#members'
import { reassignOrders } from '#orders'
import type { PlatformCustomer } from '#platform'
import { transferPoints } from '#points'
import { reassignSubscriptions } from '#subscriptions'

/**
 * Joins what two customers were here under the one that the platform has kept: subscriptions with their history, orders, credit
 * and points. Repeating it changes nothing. `kept` is what the platform says of that one.
 */
export async function mergeCustomers(
  db: Database,
  storeId: number,
  merge: MergedCustomers,
  kept: PlatformCustomer | null
): Promise<void> {
  await db.inStore(storeId, async (ctx) => {
    const both = await markCustomersMerged(ctx, merge)
    if (both) {
      const cause = `merge:${both.from}:${both.to}`
      await reassignSubscriptions(ctx, both.from, both.to)
      await reassignOrders(ctx, both.from, both.to)
      await transferCredit(ctx, both.from, both.to, cause)
      await transferPoints(ctx, both.from, both.to, cause)
    }
    if (kept) await upsertCustomers(ctx, [kept])
  })
}
