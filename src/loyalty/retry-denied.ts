import type { Ctx } from '#kit/postgres'
import { retryDeniedCoupons } from './coupons/claimed-coupons.ts'
import { retryDeniedReferrals } from './referral-codes/program-queries.ts'

/** Has done now what the app may do on the platform by now: coupons that wait, and the discount of referral codes. */
export async function retryDeniedLoyalty(ctx: Ctx): Promise<void> {
  await retryDeniedCoupons(ctx)
  await retryDeniedReferrals(ctx)
}
