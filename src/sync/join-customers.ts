import { handOnCredit } from '#credits'
import type { Database } from '#kit/postgres'
import { type MergedCustomers, meetCustomers, mergeCustomers } from '#members'
import { handOnOrders } from '#orders'
import type { PlatformCustomer } from '#platform'
import { handOnPoints } from '#points'
import { handOnSubscriptions } from '#subscriptions'

/**
 * Joins what two customers were here under the one that the platform has kept: subscriptions with their history, orders, credit
 * and points. Repeating it changes nothing. `kept` is what the platform says of that one.
 */
export async function joinCustomers(
  db: Database,
  storeId: number,
  merge: MergedCustomers,
  kept: PlatformCustomer | null
): Promise<void> {
  await db.inStore(storeId, async (ctx) => {
    const both = await mergeCustomers(ctx, merge)
    if (both) {
      const cause = `merge:${both.from}:${both.to}`
      await handOnSubscriptions(ctx, both.from, both.to)
      await handOnOrders(ctx, both.from, both.to)
      await handOnCredit(ctx, both.from, both.to, cause)
      await handOnPoints(ctx, both.from, both.to, cause)
    }
    if (kept) await meetCustomers(ctx, [kept])
  })
}
