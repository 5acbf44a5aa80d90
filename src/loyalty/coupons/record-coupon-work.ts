import type { Ctx } from '#kit/postgres'
import { storableError } from '#kit/storable-json'
import { retrySeconds } from '#kit/walks'
import { reversePoints } from '#points'
import { notify } from '#stores'
import type { ClaimedCoupon, CouponEnd, LockedCoupon } from './claimed-coupons.ts'
import type { CouponOutcome } from './work-on-coupon.ts'

/** In real time, between looks whether a call that makes a coupon has ended. */
const REST_MS = 5_000

/**
 * Records what a visit to the platform came to; `coupon` is as it is now. What happened meanwhile counts: one that was used, or that is to
 * end, while it was made. Returns how the work ended.
 */
export async function recordCouponWork(
  ctx: Ctx,
  claimed: ClaimedCoupon,
  coupon: LockedCoupon,
  outcome: CouponOutcome
): Promise<CouponEnd> {
  const { id } = claimed
  switch (outcome.step) {
    case 'made':
      if (coupon.status === 'ended') return { id, discountId: outcome.id, dueAt: ctx.now }
      if (coupon.usageCount > 0) {
        return { id, discountId: outcome.id, status: 'ended', endedBy: 'used', dueAt: null }
      }
      return { id, discountId: outcome.id, status: 'active', dueAt: coupon.expiresAt }
    case 'refused': {
      // It ended meanwhile by another reason, and is closed by the next visit.
      if (coupon.status === 'ended') return { id, dueAt: ctx.now }
      const problem = storableError(outcome.message)
      await notify(ctx, {
        kind: 'loyalty_coupon_refused',
        subject: 'A coupon could not be made',
        message: `Coupon ${id} (${claimed.name}) could not be made on the platform: ${problem}`
      })
      // A call before may have made it all the same: the next visit looks, and then the points are given back.
      if (!claimed.wasSent) await giveBackPoints(ctx, id, coupon)
      return { id, status: 'ended', endedBy: 'refused', problem, dueAt: claimed.wasSent ? ctx.now : null }
    }
    case 'absent':
      if (coupon.status !== 'ended') return { id, dueAt: ctx.now }
      if (coupon.endedBy === 'refused' || coupon.endedBy === 'expired') await giveBackPoints(ctx, id, coupon)
      return { id, isDeleted: coupon.endedBy === 'revoked', dueAt: null }
    case 'deleted':
      if (coupon.endedBy === 'refused') await giveBackPoints(ctx, id, coupon)
      return { id, discountId: outcome.id, isDeleted: true, dueAt: null }
    case 'off':
    case 'kept':
      if (coupon.status === 'active') return { id, dueAt: coupon.expiresAt }
      // It ended while it was looked at.
      if (claimed.status !== 'ended' && coupon.status === 'ended') return { id, dueAt: ctx.now }
      return { id, discountId: outcome.id, dueAt: null }
    case 'rest':
      return { id, dueAt: ctx.now, restMs: REST_MS, attempts: claimed.attempts }
    case 'failed': {
      const error = storableError(outcome.failure.message)
      return {
        id,
        dueAt: ctx.now,
        restMs: retrySeconds(claimed.attempts) * 1000,
        attempts: claimed.attempts + 1,
        error
      }
    }
  }
}

/** Points that have bought a coupon that was never to be had; not those of one that an order has used after all. */
async function giveBackPoints(
  ctx: Ctx,
  id: number,
  { pointsEntryId: entryId, usageCount }: LockedCoupon
): Promise<void> {
  if (entryId === null || usageCount > 0) return
  await reversePoints(ctx, [{ entryId, reason: `coupon ${id} could not be made`, operationId: `coupon-refused:${id}` }])
}
