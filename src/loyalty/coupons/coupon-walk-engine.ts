import { type Engine, nextDueBy } from '#kit/engines'
import type { Database } from '#kit/postgres'
import { createWalker } from '#kit/walks'
import { type Connector, type PlatformResult, succeeded } from '#platform'
import { storeContext } from '#stores'
import {
  type CouponWalk,
  claimCouponWalk,
  dueCouponWalks,
  extendCouponWalk,
  listActiveCoupons,
  moveCouponWalk,
  nextCouponWalk,
  putCouponWalkOff,
  releaseCouponWalks
} from './coupon-walk-queries.ts'
import { markCouponsDeleted } from './end-coupons.ts'
import { type FollowedPrice, followPrices, writeFollowedPrices } from './follow-prices.ts'

const PAGE = 100

/** The discounts of a page that are gone, those that were changed, and after which coupon the walk goes on; null at its end. */
type Page = { gone: string[]; followed: FollowedPrice[]; afterId: number | null }

/**
 * Once a day, by the store's clock, the active coupons are looked for on the platform, since somebody may delete a discount by hand and the
 * message of it get lost. One that is gone ends. What the others take off for a piece of a free product follows its price.
 */
export function createCouponWalkEngine({
  db,
  leaseOwner,
  connectorOf
}: {
  db: Database
  leaseOwner: number
  connectorOf: (storeId: number) => Promise<Connector>
}): Engine {
  const comparePage = async (storeId: number, { afterId }: CouponWalk): Promise<PlatformResult<Page>> => {
    const { coupons, currency } = await db.inStore(storeId, async (ctx) => ({
      coupons: await listActiveCoupons(ctx, afterId, PAGE),
      currency: (await storeContext(ctx)).currency
    }))
    const next = coupons.length === PAGE ? coupons.at(-1)!.id : null
    if (coupons.length === 0) return succeeded({ gone: [], followed: [], afterId: next })
    const ids = coupons.map(({ discountId }) => discountId)
    const connector = await connectorOf(storeId)
    const found = await connector.discounts.exist(ids)
    if (!found.ok) return found
    const there = coupons.filter(({ discountId }) => found.value.has(discountId))
    const followed = await followPrices(connector, there, currency)
    if (!followed.ok) return followed
    const gone = ids.filter((id) => !found.value.has(id))
    return succeeded({ gone, followed: followed.value, afterId: next })
  }
  const walkOn = createWalker<CouponWalk, Page>({
    db,
    claim: (ctx, leaseMs) => claimCouponWalk(ctx, leaseOwner, leaseMs),
    extend: extendCouponWalk,
    read: comparePage,
    async record(ctx, walk, { gone, followed, afterId }) {
      if (!(await moveCouponWalk(ctx, walk, afterId))) return
      await writeFollowedPrices(ctx, followed)
      if (gone.length > 0) await markCouponsDeleted(ctx, gone)
    },
    putOff: putCouponWalkOff
  })
  return {
    name: 'loyalty-coupon-walk',
    stage: 'others',
    releaseLeases: releaseCouponWalks,
    needsPlatform: true,
    restsAfterRestore: true,
    due: dueCouponWalks,
    ...nextDueBy(db, nextCouponWalk),
    async runOnce(storeId) {
      return (await walkOn(storeId)) ? 1 : 0
    }
  }
}
