import type { Ctx } from '#kit/postgres'
import { earnPoints } from '#points'
import { settingsOf } from '#stores'
import type { CouponTerms } from '../coupons/coupon.ts'
import { type CouponIssue, issueCoupons } from '../coupons/issue-coupons.ts'
import { loyaltySettings } from '../settings.ts'
import type { LoyaltyTier } from '../tiers/tier.ts'
import { claimTierRewards } from './customer-tier-queries.ts'

/** Gives customers what their new tiers give on entering them, once for each customer and tier. The rows of the customers are locked. */
export async function giveTierRewards(ctx: Ctx, entered: { memberId: number; tier: LoyaltyTier }[]): Promise<void> {
  const rewarding = entered.filter(({ tier: { rewards } }) => Object.values(rewards).some((one) => one !== null))
  if (rewarding.length === 0) return
  const given = await claimTierRewards(
    ctx,
    rewarding.map(({ memberId, tier }) => ({ memberId, tierId: tier.id, tier }))
  )
  const { pointsExpireAfterDays: expireAfterDays, couponsExpireAfterDays } = await settingsOf(ctx, loyaltySettings)
  await earnPoints(
    ctx,
    given.flatMap(({ memberId, tier: { id, name, rewards } }) => {
      const { points } = rewards
      const cause = { memberId, reason: name, operationId: `tier:${id}:${memberId}` }
      return points === null ? [] : [{ ...cause, points, readyAt: null, expireAfterDays, isShared: false }]
    })
  )
  await issueCoupons(
    ctx,
    given.flatMap(({ memberId, tier }) => couponsOf(memberId, tier, couponsExpireAfterDays))
  )
}

function couponsOf(memberId: number, { id, name, rewards }: LoyaltyTier, expiresAfterDays: number | null) {
  const issue = (what: string, type: CouponTerms['type'], percentage: number): CouponIssue => ({
    ...{ memberId, source: { tierId: id }, name, codePrefix: '', expiresAfterDays },
    terms: {
      ...{ type, percentHundredths: Math.round(percentage * 100), amountMinor: null },
      ...{ productIds: [], collectionIds: [], minimumMinor: null }
    },
    operationId: `tier:${id}:${memberId}:${what}`
  })
  return [
    ...(rewards.discount === null ? [] : [issue('discount', 'amount_off_orders', rewards.discount)]),
    ...(rewards.shipping_discount === null ? [] : [issue('shipping', 'free_shipping', rewards.shipping_discount)])
  ]
}
