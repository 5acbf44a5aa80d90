import { transferGrants } from '#contracts'
import { transferCredit } from '#credits'
import type { Database } from '#kit/postgres'
import { transferLoyalty, transferReferrals } from '#loyalty'
import { type MergedCustomers, markCustomersMerged, upsertCustomers } from '#members'
import { transferContractDiscounts, transferMetafields, transferTags } from '#mirror'
import { barSecondTrials, refreshFirstOrders } from '#order-effects'
import { reassignOrders } from '#orders'
import type { PlatformCustomer } from '#platform'
import { transferPoints } from '#points'
import { reassignCodes, reassignGiftCards, refreshAccounts } from '#spending'
import { reassignSubscriptions } from '#subscriptions'
import { reassignPasses } from '#wallet'

/**
 * Merges two customers into the one that the platform has kept: subscriptions with their history, orders, credit and points.
 * Safe to repeat. `kept` is the present state of that customer on the platform; null when it is unknown.
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
      await transferGrants(ctx, both.from, both.to)
      await reassignOrders(ctx, both.from, both.to)
      await reassignCodes(ctx, both.from, both.to)
      await transferCredit(ctx, both.from, both.to, cause)
      await transferPoints(ctx, both.from, both.to, cause)
      await transferLoyalty(ctx, both.from, both.to)
      await transferReferrals(ctx, both.from, both.to)
      await transferTags(ctx, both.from, both.to)
      await transferMetafields(ctx, both.from, both.to)
      await transferContractDiscounts(ctx, both.from, both.to)
      await refreshFirstOrders(ctx, [both.from, both.to])
      await barSecondTrials(ctx, { memberIds: [both.to] })
      await reassignGiftCards(ctx, both.from, both.to)
      await refreshAccounts(ctx, [both.from, both.to])
      await reassignPasses(ctx, both.from, both.to)
    }
    if (kept) await upsertCustomers(ctx, [kept])
  })
}
