import type { Ctx } from '#kit/postgres'
import { reassignReferralCodes } from '../referral-codes/code-queries.ts'
import { decideReferrals } from './follow-referrals.ts'
import { reassignReferrals } from './referral-queries.ts'

/**
 * Gives the code of a customer, and the friends who came by it, to another, after the platform merged the two. Who has sent themselves, or was a
 * friend twice, counts no more. Their orders are given already, and so is what was counted of both.
 */
export async function transferReferrals(ctx: Ctx, from: number, to: number): Promise<void> {
  await reassignReferralCodes(ctx, from, to)
  await reassignReferrals(ctx, from, to)
  await decideReferrals(ctx, [to])
}
