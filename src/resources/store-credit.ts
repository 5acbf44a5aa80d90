import { Type } from 'typebox'
import { OrNull, Timestamp } from './fields.ts'

/** What moves store credit, in the words of the direct API. */
export const CREDIT_ENTRY_TYPES = [
  'membership_charge',
  'manual_add',
  'manual_deduct',
  'redemption',
  'redemption_restored',
  'refund',
  'forfeit',
  'expired',
  'reconciled',
  'churn_offer',
  'loyalty_reward',
  'import',
  'dispute'
] as const
export type CreditEntryType = (typeof CREDIT_ENTRY_TYPES)[number]

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
    type: Type.Unsafe<CreditEntryType>(
      Type.Union(
        CREDIT_ENTRY_TYPES.map((type) => Type.Literal(type)),
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
