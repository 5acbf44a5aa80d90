import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import type { DomainEvent } from '#kit/outbox'
import type { CreditEntry } from './credit.ts'

/** store_credit.added or store_credit.deducted: each entry of the ledger is told by one of them (spec 1, Events). */
export function creditChanged(entry: CreditEntry, email: string | null, currency: string): DomainEvent {
  const { id, memberId, amountMinor, balanceAfterMinor } = entry
  return {
    type: amountMinor > 0 ? 'store_credit.added' : 'store_credit.deducted',
    objectKey: `member:${memberId}`,
    data: {
      transaction_id: publicId('sct', id),
      customer: { id: publicId('cust', memberId), email },
      amount: numberOf(Math.abs(amountMinor), currency),
      currency,
      previous_balance: numberOf(balanceAfterMinor - amountMinor, currency),
      new_balance: numberOf(balanceAfterMinor, currency),
      reason: entry.reason,
      order_id: entry.orderId === null ? null : publicId('ord', entry.orderId)
    },
    refs: { memberId, creditEntryId: id }
  }
}
