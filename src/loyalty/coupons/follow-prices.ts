import { type Ctx, sql } from '#kit/postgres'
import { type Connector, isAboutRequest, type PlatformResult, succeeded } from '#platform'
import type { ActiveCoupon } from './coupon-walk-queries.ts'

/** What a coupon of a free product takes off now, and what the platform calls that. */
export type FollowedPrice = { id: number; priceMinor: number; title: string }

/**
 * Brings what coupons of free products take off to the price of the cheapest variant now: after a lower price the old one would pay more than one piece.
 * Returns those that were changed. What the platform refuses of one coupon, such as one that has just been used, stays as it is.
 */
export async function followPrices(
  { products, discounts }: Connector,
  coupons: ActiveCoupon[],
  currency: string
): Promise<PlatformResult<FollowedPrice[]>> {
  const free = coupons.filter(({ freeProductId }) => freeProductId !== null)
  if (free.length === 0) return succeeded([])
  const found = await products.findLowestPrices([...new Set(free.map(({ freeProductId }) => freeProductId!))], currency)
  if (!found.ok) return found
  const followed: FollowedPrice[] = []
  for (const { id, discountId, freeProductId, priceMinor } of free) {
    const { lowestMinor: amountMinor = 0, title = '' } = found.value.get(freeProductId!) ?? {}
    if (amountMinor === 0 || amountMinor === priceMinor) continue
    const changed = await discounts.changeAmount(discountId, { amountMinor, productId: freeProductId!, currency })
    if (changed.ok) followed.push({ id, priceMinor: amountMinor, title })
    else if (!isAboutRequest(changed.failure)) return changed
  }
  return succeeded(followed)
}

export async function writeFollowedPrices(ctx: Ctx, followed: FollowedPrice[]): Promise<void> {
  if (followed.length === 0) return
  await ctx.tx.run(sql`
    update loyalty_coupons c set price_minor = f.price_minor, product_title = f.title
      from unnest(${followed.map(({ id }) => id)}::bigint[], ${followed.map(({ priceMinor }) => priceMinor)}::bigint[],
                  ${followed.map(({ title }) => title)}::text[]) as f(id, price_minor, title)
     where c.store_id = ${ctx.storeId} and c.id = f.id`)
}
