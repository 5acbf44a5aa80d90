import { cycles, nextRenewals } from './cycles-key.ts'
import { productId } from './product-key.ts'
import { defineRewardType } from './reward-type.ts'

/** A product that comes with renewals of the customer's subscription. */
export const subscriptionFreeProduct = defineRewardType({
  name: 'subscription_free_product',
  help: "One piece of a product that costs nothing with each of the next renewals of the customer's subscription.",
  keys: () => ({ product_id: productId(), cycles: cycles() }),
  words: (reward) => `a free product with ${nextRenewals(reward.cycles)}`
})
