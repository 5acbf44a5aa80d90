import type { Ctx } from '#kit/postgres'
import { type CreditOutcome, changeCredits } from './change-credits.ts'

export type Redemption = {
  memberId: number
  orderId: number
  amountMinor: number
  reason?: string
  /** Where an order can hold several redemptions, what distinguishes them, such as the transaction's number. */
  part?: string
}

/**
 * Records that credit was spent on an order, once per order and part. The order is placed already, so it is not refused: what the
 * customer did not have is the shortfall of the entry, and `perennial doctor` names it.
 */
export function redeemCredit(ctx: Ctx, redemptions: Redemption[]): Promise<CreditOutcome[]> {
  return changeCredits(
    ctx,
    redemptions.map(({ memberId, orderId, amountMinor, reason = 'redeemed on an order', part }) => ({
      memberId,
      orderId,
      type: 'redemption',
      amountMinor: -amountMinor,
      reason,
      operationId: `redeem:ord_${orderId}${part === undefined ? '' : `:${part}`}`,
      isCapped: true
    }))
  )
}
