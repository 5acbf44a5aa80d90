// The engines of loyalty, for the list of all engines.
export { createCouponEngine } from './coupons/coupon-engine.ts'
export { createLoyaltyOccasionEngine } from './earning/occasion-engine.ts'
export { createLoyaltyDateEngine } from './loyalty-date-engine.ts'
export { createReceiptFileEngine } from './receipts/receipt-file-engine.ts'
