/** How the store credit of a paid cycle is paid out (`store_credit_type` in spec 3). */
export const CREDIT_PAYOUT_TYPES = ['coupon', 'function', 'storecredit', 'giftcard'] as const
export type CreditPayoutType = (typeof CREDIT_PAYOUT_TYPES)[number]
