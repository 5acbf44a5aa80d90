export { findOrderEffects, listOrderCredit, type OrderCredit, type OrderEffects } from './find-order-effects.ts'
export { type FirstOrders, listFirstOrders, refreshFirstOrders } from './first-orders.ts'
export { barSecondTrials } from './fraud-protection.ts'
export { orderEffectsConsumer } from './refresh-on-facts.ts'
