import { cycles, nextRenewals } from './cycles-key.ts'
import { discountKeys, discountWords, refuseDiscount } from './discount-value.ts'
import { defineRewardType } from './reward-type.ts'

/** A discount on renewals of the customer's subscription. */
export const subscriptionDiscount = defineRewardType({
  name: 'subscription_discount',
  help: "A discount on the next renewals of the customer's subscription. Not given yet: no rule is accepted with it.",
  isGiven: false,
  keys: () => ({ ...discountKeys(), cycles: cycles() }),
  refuse: refuseDiscount,
  words: (reward, money) => `${discountWords(reward, money)} ${nextRenewals(reward.cycles)}`
})
