import { discountKeys, discountWords, refuseDiscount } from './discount-value.ts'
import { codePrefix, defineRewardType } from './reward-type.ts'

/** A code that takes something off an order. */
export const discount = defineRewardType({
  name: 'discount',
  help: 'A code for one order that takes off a percentage or an amount.',
  keys: () => ({ ...discountKeys(), code_prefix: codePrefix() }),
  refuse: refuseDiscount,
  words: discountWords
})
