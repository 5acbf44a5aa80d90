import type { Static } from 'typebox'
import type { Credit, CreditEntry } from '#credits'
import { isoOf, isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import type { CreditBody, CreditEntryBody } from '#resources'

/** The balance of the direct API. The spec shows no field of it; they are ours (docs/decisions). */
export function presentCredit(credit: Credit, currency: string): Static<typeof CreditBody> {
  return {
    customer_id: publicId('cust', credit.memberId),
    balance: numberOf(credit.balanceMinor, currency),
    reserved: 0,
    available: numberOf(credit.availableMinor, currency),
    currency,
    updated_at: isoOrNull(credit.updatedAt)
  }
}

export function presentCreditEntry(entry: CreditEntry, currency: string): Static<typeof CreditEntryBody> {
  return {
    id: publicId('sct', entry.id),
    type: entry.type,
    amount: numberOf(entry.amountMinor, currency),
    balance_after: numberOf(entry.balanceAfterMinor, currency),
    reason: entry.reason,
    order_id: entry.orderId === null ? null : publicId('ord', entry.orderId),
    expires_at: isoOrNull(entry.expiresAt),
    created_at: isoOf(entry.createdAt)
  }
}
