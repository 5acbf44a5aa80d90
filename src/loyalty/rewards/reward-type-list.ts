// Every kind of reward, one line each.

export { discount } from './discount.ts'
export { freeProduct } from './free-product.ts'
export { freeShipping } from './free-shipping.ts'
export { points } from './points.ts'
export { storeCredit } from './store-credit.ts'
export { subscriptionDiscount } from './subscription-discount.ts'
export { subscriptionFreeProduct } from './subscription-free-product.ts'
