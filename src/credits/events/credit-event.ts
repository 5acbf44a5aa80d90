import { Type } from 'typebox'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import { customerKey } from '#members'
import { Amount, defineEvent, exampleOf, OrNull, PersonBody } from '#resources'
import type { CreditEntry } from '../credit.ts'

/** Declares an event of an entry of the ledger. */
export const creditEvent = (summary: string, shown: { new_balance: number; reason: string }) =>
  defineEvent({
    summary,
    fields: {
      transaction_id: Type.String({ description: 'The id of the store credit entry, `sct_8`' }),
      customer: PersonBody,
      amount: Amount('Always positive; the event type says whether it was added or deducted'),
      currency: Type.String({ description: 'ISO 4217' }),
      previous_balance: Amount('Before the change'),
      new_balance: Amount('After the change'),
      reason: Type.String({ description: 'The reason, as text' }),
      order_id: OrNull(Type.String({ description: 'The order that the credit came from or was spent on' }))
    },
    shown: {
      transaction_id: 'sct_8',
      customer: exampleOf(PersonBody),
      amount: 5,
      currency: 'USD',
      previous_balance: 25,
      order_id: null,
      ...shown
    }
  })

/** The fact of an entry: each entry of the ledger has exactly one (spec 1, Events). */
export function snapshotOf(entry: CreditEntry, email: string | null, currency: string) {
  const { id, memberId, amountMinor, balanceAfterMinor } = entry
  return {
    orderingKey: customerKey(memberId),
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
