import type { Ctx } from '#kit/postgres'
import { storableError } from '#kit/storable-json'
import { retrySeconds } from '#kit/walks'
import { reversePoints } from '#points'
import { notify } from '#stores'
import type { ClaimedCoupon, CouponEnd, LockedCoupon } from './claimed-coupons.ts'
import type { CouponOutcome } from './work-on-coupon.ts'

/** In real time, between looks whether a call that makes a coupon has ended. */
const REST_MS = 5_000
/** By the store's clock, before it is tried again what the app may not do. What the platform grants meanwhile is noticed by itself. */
const DENIED_HOURS = 24
const MAX_REFUSED_A_DAY = 20

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
      return { ...made(ctx, coupon), id, discountId: outcome.id, piece: outcome.piece ?? null }
    case 'refused': {
      // It ended meanwhile by another reason, and is closed by the next visit.
      if (coupon.status === 'ended') return { id, dueAt: ctx.now }
      const problem = storableError(outcome.message)
      await reportRefused(ctx, claimed, problem)
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
      if (outcome.failure.code === 'access_denied') return { id, dueAt: await deny(ctx, coupon), error }
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

/** What happened while it was made counts. */
function made({ now }: Ctx, { status, usageCount, expiresAt }: LockedCoupon): Omit<CouponEnd, 'id'> {
  if (status === 'ended') return { dueAt: now }
  if (usageCount > 0) return { status: 'ended', endedBy: 'used', dueAt: null }
  return { status: 'active', dueAt: expiresAt }
}

/** However many coupons are refused for the same reason, there is one alert for what they come from. */
async function reportRefused(ctx: Ctx, { name, ruleId, templateId, tierId }: ClaimedCoupon, problem: string) {
  const ofReward = ruleId === null ? `tier ${tierId}` : `rule ${ruleId}`
  const source = templateId === null ? ofReward : `template ${templateId}`
  await notify(ctx, {
    kind: 'loyalty_coupon_refused',
    subject: 'A coupon could not be made',
    message: `The platform refuses coupons of ${source} (${name}): ${problem}. perennial loyalty coupon list shows whose they are.`,
    isOnce: true,
    // The platform may name in its reason what is of one coupon alone.
    atMostEveryHours: 24,
    atMost: MAX_REFUSED_A_DAY
  })
}

/** When a coupon is tried again that the app may not make or end; one that is over before then ends at its time. */
async function deny(ctx: Ctx, { status, expiresAt }: LockedCoupon): Promise<Temporal.Instant> {
  await notify(ctx, {
    kind: 'loyalty_coupons_denied',
    subject: 'The app may not make coupons',
    message:
      'The platform does not let the app make or end discount codes, so coupons wait. They are made once the app has the access scopes ' +
      'read_discounts and write_discounts; it is tried once a day.',
    isOnce: true
  })
  const later = ctx.now.add({ hours: DENIED_HOURS })
  const isEarlier = status !== 'ended' && expiresAt !== null && Temporal.Instant.compare(expiresAt, later) < 0
  return isEarlier ? expiresAt : later
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
