import { forgetDiscounts, markCouponsDeleted } from '#loyalty'
import { type InboundMessage, parseDeletedDiscountPayload } from '#platform'
import type { SyncDeps } from '../deps.ts'

/** Coupons, and codes of customers, of which somebody has deleted the discount. Other discounts are none of ours. */
export async function applyDiscountDeletions(
  { db }: SyncDeps,
  storeId: number,
  messages: InboundMessage[]
): Promise<void> {
  const ids = messages.map(({ payload }) => parseDeletedDiscountPayload(payload).id)
  await db.inStore(storeId, async (ctx) => {
    await markCouponsDeleted(ctx, ids)
    await forgetDiscounts(ctx, ids)
  })
}
