import { codePrefix, defineRewardType } from './reward-type.ts'

/** A code for an order without costs of shipping. */
export const freeShipping = defineRewardType({
  name: 'free_shipping',
  help: 'A code for one order that is shipped for nothing.',
  keys: () => ({ code_prefix: codePrefix() }),
  words: () => 'free shipping'
})
