import { cycles, nextRenewals } from './cycles-key.ts'
import { type DiscountValue, discountKeys, discountWords, refuseDiscount } from './discount-value.ts'
import { defineRewardType } from './reward-type.ts'

/** A discount on renewals of the customer's subscription. */
export const subscriptionDiscount = defineRewardType({
  name: 'subscription_discount',
  help: "A discount on the next renewals of the customer's subscription: whole percents, or an amount off each.",
  keys: () => ({ ...discountKeys(), cycles: cycles() }),
  refuse: (reward, money) => {
    const problems = refuseDiscount(reward, money)
    return problems.length === 0 ? refuseFraction(reward) : problems
  },
  words: (reward, money) => `${discountWords(reward, money)} ${nextRenewals(reward.cycles)}`
})

/** The platform's contracts have whole percents only. */
function refuseFraction({ discount_type, discount_amount }: DiscountValue) {
  if (discount_type !== 'percentage' || Number.isInteger(discount_amount)) return []
  return [{ field: 'discount_amount', message: 'must be a whole percentage from 1 to 100 for renewals' }]
}
