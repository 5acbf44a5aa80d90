import { type Static, Type } from 'typebox'
import { CREDIT_TYPES, type Credit, type CreditEntry, type CreditType } from '#credits'
import { isoOf, isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import { OrNull, Timestamp } from '../shared/answer-fields.ts'

export const CreditBody = Type.Object(
  {
    customer_id: Type.String({ description: 'Our id of the customer, `cust_24`' }),
    balance: Type.Number({ description: 'The sum of the history, in `currency`' }),
    reserved: Type.Number({ description: 'What checkouts under way hold back; always 0 today' }),
    available: Type.Number({ description: 'What can be spent now: never credit that is past its date' }),
    currency: Type.String({ description: "The store's currency, ISO 4217" }),
    updated_at: OrNull(Timestamp('The time of the latest entry; null for a customer who never had credit'))
  },
  {
    additionalProperties: false,
    title: 'StoreCredit',
    description: 'What the store owes a customer, in its own currency.',
    examples: [
      {
        customer_id: 'cust_24',
        balance: 25,
        reserved: 0,
        available: 25,
        currency: 'USD',
        updated_at: '2026-09-15T05:25:00.000Z'
      }
    ]
  }
)

export const CreditEntryBody = Type.Object(
  {
    id: Type.String({ description: 'The id of the entry, `transaction_id` in its event' }),
    type: Type.Unsafe<CreditType>(
      Type.Union(
        CREDIT_TYPES.map((type) => Type.Literal(type)),
        { description: 'What moved the credit. New types may be added' }
      )
    ),
    amount: Type.Number({ description: 'Above 0 for credit that came in, below 0 for credit that went out' }),
    balance_after: Type.Number({ description: 'The balance with this entry' }),
    reason: Type.String({ description: 'The reason that was given, or `expired`' }),
    order_id: OrNull(Type.String({ description: 'Our id of the order that the entry belongs to' })),
    expires_at: OrNull(Timestamp('When what is left of this credit is taken off')),
    created_at: Timestamp('When it happened')
  },
  {
    additionalProperties: false,
    title: 'StoreCreditEntry',
    description: 'One change of a store credit balance. Entries are only added.',
    examples: [
      {
        id: 'sct_7',
        type: 'manual_add',
        amount: 25,
        balance_after: 25,
        reason: 'Sorry for the late parcel',
        order_id: null,
        expires_at: '2030-01-31T05:00:00.000Z',
        created_at: '2026-09-15T05:25:00.000Z'
      }
    ]
  }
)

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
