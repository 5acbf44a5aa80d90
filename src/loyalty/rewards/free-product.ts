import { productId } from './product-key.ts'
import { codePrefix, defineRewardType } from './reward-type.ts'

/** A code for a product that costs nothing. */
export const freeProduct = defineRewardType({
  name: 'free_product',
  help: 'A code by which one piece of a product costs nothing.',
  keys: () => ({ product_id: productId(), code_prefix: codePrefix() }),
  words: () => 'a free product'
})
