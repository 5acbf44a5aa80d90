// The engines of loyalty, for the list of all engines.
export { createLoyaltyCollectionEngine } from './collections/collection-engine.ts'
export { createCouponEngine } from './coupons/coupon-engine.ts'
export { createCouponWalkEngine } from './coupons/coupon-walk-engine.ts'
export { createLoyaltyTierEngine } from './customer-tiers/tier-engine.ts'
export { createLoyaltyOccasionEngine } from './earning/occasion-engine.ts'
export { createLoyaltyDateEngine } from './loyalty-date-engine.ts'
export { createReceiptFileEngine } from './receipts/receipt-file-engine.ts'
export { createReferralEngine } from './referrals/referral-engine.ts'
