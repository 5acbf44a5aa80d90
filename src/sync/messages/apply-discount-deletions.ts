import { markCouponsDeleted } from '#loyalty'
import { type InboundMessage, parseDeletedDiscountPayload } from '#platform'
import type { SyncDeps } from '../deps.ts'

/** Coupons of which somebody has deleted the discount. Discounts that are not of a coupon are none of ours. */
export async function applyDiscountDeletions(
  { db }: SyncDeps,
  storeId: number,
  messages: InboundMessage[]
): Promise<void> {
  const ids = messages.map(({ payload }) => parseDeletedDiscountPayload(payload).id)
  await db.inStore(storeId, (ctx) => markCouponsDeleted(ctx, ids))
}
