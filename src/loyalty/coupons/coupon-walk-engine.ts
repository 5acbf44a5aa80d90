import { type Engine, nextDueBy } from '#kit/engines'
import type { Database } from '#kit/postgres'
import { createWalker } from '#kit/walks'
import { type Connector, type PlatformResult, succeeded } from '#platform'
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

const PAGE = 100

/** The discounts of a page that are gone, and after which coupon the walk goes on; null at its end. */
type Page = { gone: string[]; afterId: number | null }

/**
 * Once a day, by the store's clock, the active coupons are looked for on the platform, since somebody may delete a discount by hand and the
 * message of it get lost. One that is gone ends.
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
    const coupons = await db.inStore(storeId, (ctx) => listActiveCoupons(ctx, afterId, PAGE))
    const next = coupons.length === PAGE ? coupons.at(-1)!.id : null
    if (coupons.length === 0) return succeeded({ gone: [], afterId: next })
    const ids = coupons.map(({ discountId }) => discountId)
    const found = await (await connectorOf(storeId)).discounts.exist(ids)
    if (!found.ok) return found
    return succeeded({ gone: ids.filter((id) => !found.value.has(id)), afterId: next })
  }
  const walkOn = createWalker<CouponWalk, Page>({
    db,
    claim: (ctx, leaseMs) => claimCouponWalk(ctx, leaseOwner, leaseMs),
    extend: extendCouponWalk,
    read: comparePage,
    async record(ctx, walk, { gone, afterId }) {
      if ((await moveCouponWalk(ctx, walk, afterId)) && gone.length > 0) await markCouponsDeleted(ctx, gone)
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
