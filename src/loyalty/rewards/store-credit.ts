import { meaning } from '#kit/json-fields'
import { defineRewardType } from './reward-type.ts'

/** Store credit. */
export const storeCredit = defineRewardType({
  name: 'store_credit',
  help: 'Store credit.',
  keys: (money) => ({ amount: meaning('How much store credit', money.amountAboveZero()) }),
  words: ({ amount }, money) => `${money.words(amount)} of store credit`
})
