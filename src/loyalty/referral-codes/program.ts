import { type Ctx, sentTogether } from '#kit/postgres'
import { termsOfReward } from '../coupons/coupon-terms.ts'
import { isLoyaltyOn } from '../is-loyalty-on.ts'
import type { Reward } from '../rewards/reward.ts'
import type { LoyaltyRule } from '../rules/rule.ts'
import { listRules } from '../rules/rule-queries.ts'

/** What the codes of customers take off for their friends. `title`: of the discount on the platform. */
export type ProgramTerms =
  | { isOn: false }
  | {
      isOn: true
      title: string
      percentHundredths: number | null
      amountMinor: number | null
      isShipping: boolean
      /** One piece of it is free: its price then decides the amount. */
      freeProductId: string | null
      minimumMinor: number | null
    }

/** The rules that reward referrals and are active, the oldest first. */
const referralRules = (rules: LoyaltyRule[]): LoyaltyRule[] =>
  rules.filter(({ isActive, type }) => isActive && type.counts.amounts.referral)

/** What the codes are to take off now: what the oldest active rule promises to friends. */
export async function readWantedTerms(ctx: Ctx): Promise<ProgramTerms> {
  const [rules, isOn] = await sentTogether(listRules(ctx), isLoyaltyOn(ctx))
  const [rule] = referralRules(rules)
  return isOn && rule ? termsOf(rule) : { isOn: false }
}

/**
 * A friend is known by the code of the order, which the platform takes only for a discount. Where the rule promises none, the code takes off the
 * smallest amount there is.
 */
function termsOf({ name, rules, money }: LoyaltyRule): ProgramTerms {
  const { referred_reward: reward, minimum_order: minimum } = rules as {
    referred_reward: Reward | null
    minimum_order: number
  }
  const coupon = reward && termsOfReward(reward, money)
  const { type, percentHundredths, amountMinor, productIds } = coupon ?? SMALLEST
  return {
    isOn: true,
    title: `Referral: ${name}`.slice(0, 255),
    percentHundredths,
    amountMinor,
    isShipping: type === 'free_shipping',
    freeProductId: type === 'free_product' ? productIds[0]! : null,
    minimumMinor: minimum > 0 ? minimum : null
  }
}

const SMALLEST = { type: 'amount_off_orders', percentHundredths: null, amountMinor: 1, productIds: [] }

/** The reward of a friend that the code does not give by itself; null where it is none. */
export function rewardOfFriend(rules: Record<string, unknown>): Reward | null {
  const reward = rules.referred_reward as Reward | null
  return reward?.type === 'points' || reward?.type === 'store_credit' ? reward : null
}
