import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import { defineFact } from '#kit/outbox'
import type { EventData } from '#resources'
import type { CreditEntry } from './credit.ts'

const snapshotOf = (entry: CreditEntry, email: string | null, currency: string) => {
  const { id, memberId, amountMinor, balanceAfterMinor } = entry
  return {
    orderingKey: `member:${memberId}` as const,
    data: {
      transaction_id: publicId('sct', id),
      customer: { id: publicId('cust', memberId), email },
      amount: numberOf(Math.abs(amountMinor), currency),
      currency,
      previous_balance: numberOf(balanceAfterMinor - amountMinor, currency),
      new_balance: numberOf(balanceAfterMinor, currency),
      reason: entry.reason,
      order_id: entry.orderId === null ? null : publicId('ord', entry.orderId)
    } satisfies EventData<'store_credit.added' | 'store_credit.deducted'>,
    refs: { memberId, creditEntryId: id }
  }
}

const creditAdded = defineFact('store_credit.added', snapshotOf)
const creditDeducted = defineFact('store_credit.deducted', snapshotOf)

/** The fact of an entry: each entry of the ledger has exactly one (spec 1, Events). */
export function creditChanged(...given: Parameters<typeof snapshotOf>) {
  const [{ amountMinor }] = given
  return amountMinor > 0 ? creditAdded(...given) : creditDeducted(...given)
}

export type CreditFact = ReturnType<typeof creditChanged>
