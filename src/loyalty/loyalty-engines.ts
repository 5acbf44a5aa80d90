// The engines of this module, in one line of the list of engines.
export { createCouponEngine } from './coupons/coupon-engine.ts'
export { createLoyaltyOccasionEngine } from './earning/occasion-engine.ts'
export { createLoyaltyDateEngine } from './loyalty-date-engine.ts'
