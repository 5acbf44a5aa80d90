import { createLeasedFlights, type Engine, nextDueBy, type Patience } from '#kit/engines'
import type { Ctx, Database } from '#kit/postgres'
import { lockMembers } from '#members'
import type { Connector } from '#platform'
import { storeContext } from '#stores'
import {
  type ClaimedCoupon,
  claimCoupons,
  dueCoupons,
  endClaimedCoupon,
  extendCouponLeases,
  letGoOfCoupons,
  lockClaimedCoupons,
  nextCoupon,
  releaseCoupons
} from './claimed-coupons.ts'
import { scheduleCouponWalk } from './coupon-walk-queries.ts'
import { recordCouponWork } from './record-coupon-work.ts'
import { type CouponOutcome, workOnCoupon } from './work-on-coupon.ts'

const LEASE_MS = 120_000
/** Coupons of a store that are worked on at once. */
const MAX_AT_ONCE = 20

type Ended = { claimed: ClaimedCoupon; outcome: CouponOutcome }

type Deps = {
  db: Database
  leaseOwner: number
  connectorOf: (storeId: number) => Promise<Connector>
  /** No call of the platform takes longer. */
  maxCallMs: number
  patience?: Patience
}

/**
 * Makes the discounts of wanted coupons on the platform, and takes off it those that are over. A code is unique there, so one whose answer
 * was lost is found by itself. Coupons expire by the store's clock.
 */
export function createCouponEngine({ db, leaseOwner, connectorOf, maxCallMs, patience }: Deps): Engine {
  const lease = { leaseOwner, leaseMs: LEASE_MS }
  const flights = createLeasedFlights<ClaimedCoupon, Ended>({
    leaseMs: LEASE_MS,
    patience,
    extend: (storeId, coupons) => db.inStore(storeId, (ctx) => extendCouponLeases(ctx, coupons, lease)),
    record: async (storeId, pieces) => {
      const ended = pieces.flatMap(({ end }) => (end.status === 'fulfilled' ? [end.value] : []))
      await db.inStore(storeId, (ctx) => recordEnded(ctx, ended))
      // A piece that threw has nothing to record: its coupon is claimed again when its lease is over.
      return pieces.map(() => ({ status: 'fulfilled' as const, value: null }))
    }
  })

  const begin = (storeId: number, limit: number): Promise<number> =>
    flights.claim(storeId, async (except) => {
      const connector = await connectorOf(storeId)
      const from = performance.now()
      const { claimed, currency, now } = await db.inStore(storeId, async (ctx) => ({
        // A call that begins now ends within a quarter more; what the platform still does with it, somewhat later.
        claimed: await claimCoupons(ctx, { ...lease, limit, except, settleMs: maxCallMs * 1.5 }),
        currency: (await storeContext(ctx)).currency,
        now: ctx.now
      }))
      const calls = { connector, currency, now, endBy: from + maxCallMs * 1.25 }
      return claimed.map((coupon) => ({
        things: [coupon],
        work: async () => ({ claimed: coupon, outcome: await workOnCoupon(calls, coupon) })
      }))
    })

  return {
    name: 'loyalty-coupons',
    stage: 'others',
    releaseLeases: releaseCoupons,
    needsPlatform: true,
    restsAfterRestore: true,
    due: dueCoupons,
    ...nextDueBy(db, nextCoupon),
    async runOnce(storeId) {
      const limit = flights.free(storeId, MAX_AT_ONCE)
      const claimed = limit > 0 ? await begin(storeId, limit) : 0
      const ended = await flights.record(storeId)
      return claimed || flights.load(storeId).underWay || ended
    },
    endUnderWay: flights.endUnderWay,
    letGo: flights.letGo,
    keptLong: flights.keptLong
  }
}

/** Customers come before their coupons in the order of locks, and those before their points. */
async function recordEnded(ctx: Ctx, ended: Ended[]): Promise<void> {
  const coupons = ended.map(({ claimed }) => claimed)
  const memberIds = [...new Set(coupons.map(({ memberId }) => memberId))].sort((a, b) => a - b)
  await lockMembers(ctx, memberIds)
  const locked = await lockClaimedCoupons(ctx, coupons)
  for (const { claimed, outcome } of ended) {
    const coupon = locked.get(claimed.id)
    if (coupon) await endClaimedCoupon(ctx, await recordCouponWork(ctx, claimed, coupon, outcome))
  }
  if (ended.some(({ outcome }) => outcome.step === 'made')) await scheduleCouponWalk(ctx)
  await letGoOfCoupons(ctx, coupons)
}
