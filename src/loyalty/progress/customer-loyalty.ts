import { type Ctx, sentTogether } from '#kit/postgres'
import { findPoints } from '#points'
import { countActiveCoupons } from '../coupons/coupon-queries.ts'
import { findCustomerTier, type NextTier, type ShownTier } from '../customer-tiers/find-customer-tier.ts'
import { referralUrlOf } from '../referral-codes/referral-url.ts'
import { ruleRequired } from '../rules/rule.ts'
import { listTerms } from '../rules/rule-terms.ts'
import { findPerson, listRefusedRules, listRuleProgress } from './progress-queries.ts'

/** What a customer has and has reached (spec 2, Loyalty API). */
export type CustomerLoyalty = {
  email: string | null
  birthDate: Temporal.PlainDate | null
  /** What can be spent, what is earned and waits, and all that was ever earned. */
  points: number
  pendingPoints: number
  lifetimePoints: number
  tier: ShownTier | null
  nextTier: NextTier | null
  /** The address by which friends come. */
  referralUrl: string | null
  /**
   * Ids of the rules of which a reward stands, archived ones too. A rule that never ends is never complete, and one whose rewards the platform has all
   * refused is not either.
   */
  completedRules: number[]
  /** Those that can be used. */
  couponsCount: number
}

export async function findCustomerLoyalty(ctx: Ctx, memberId: number): Promise<CustomerLoyalty> {
  const [person, points, progress, couponsCount, tiers] = await sentTogether(
    findPerson(ctx, memberId),
    findPoints(ctx, [memberId]),
    listRuleProgress(ctx, memberId, []),
    countActiveCoupons(ctx, memberId),
    findCustomerTier(ctx, memberId)
  )
  const referralUrl = await referralUrlOf(ctx, memberId)
  const rewarded = progress.flatMap(({ ruleId, rewarded }) => (rewarded > 0 ? ruleId : []))
  const [{ last }, refused] = await sentTogether(listTerms(ctx, rewarded), listRefusedRules(ctx, memberId, rewarded))
  const { balance = 0, pendingPoints = 0, lifetimePoints = 0 } = points.get(memberId) ?? {}
  return {
    ...person,
    points: balance,
    pendingPoints,
    lifetimePoints,
    ...tiers,
    referralUrl,
    couponsCount,
    completedRules: rewarded.filter((ruleId) => ruleRequired(last.get(ruleId)!) !== null && !refused.has(ruleId))
  }
}
