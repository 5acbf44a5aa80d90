import { Type } from 'typebox'
import { Amount, OrNull, Timestamp } from './fields.ts'

/** Why an entry was made; the names of the direct API. */
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
    customer_id: Type.String({ description: 'The customer id, `cust_24`' }),
    balance: Amount('The sum of all entries, in `currency`'),
    reserved: Amount('Held by open reservations, for checkouts'),
    available: Amount('What the customer can spend now: without what is reserved, and without expired credit'),
    currency: Type.String({ description: "The store's currency, ISO 4217" }),
    updated_at: OrNull(Timestamp('When the latest entry was made; null without entries'))
  },
  {
    additionalProperties: false,
    title: 'StoreCredit',
    description: "A customer's store credit, in the store's currency.",
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
        { description: 'Why the entry was made. New types may be added' }
      )
    ),
    amount: Amount('Positive for credit that was added, negative for credit that was deducted'),
    balance_after: Amount('The balance after this entry'),
    reason: Type.String({ description: 'The reason that was given, or `expired`' }),
    order_id: OrNull(Type.String({ description: 'The order that the entry belongs to' })),
    expires_at: OrNull(Timestamp('When the rest of this credit expires')),
    created_at: Timestamp('When the entry was made')
  },
  {
    additionalProperties: false,
    title: 'StoreCreditEntry',
    description: 'One change of a store credit balance. Entries are never changed or deleted.',
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

export const CreditGiftCardBody = Type.Object(
  {
    customer_id: Type.String({ description: 'The customer id, `cust_24`' }),
    last_characters: Type.String({ description: 'The last four characters of the code' }),
    code: OrNull(
      Type.String({
        description: 'The whole code; null without the scope `write:store_credits`, and where it is not known'
      })
    ),
    created_at: Timestamp('When the card was made'),
    notified_at: OrNull(Timestamp('When the platform was asked to send the card to the customer'))
  },
  {
    additionalProperties: false,
    title: 'StoreCreditGiftCard',
    description: "The platform's gift card on which a customer has store credit.",
    examples: [
      {
        customer_id: 'cust_24',
        last_characters: 'x7km',
        code: 'b4hqm2yt9wznx7km',
        created_at: '2026-09-15T05:25:00.000Z',
        notified_at: '2026-09-15T05:25:02.000Z'
      }
    ]
  }
)

export const ReservationBody = Type.Object(
  {
    id: Type.String({ description: 'The id of the reservation, `scr_5`' }),
    customer_id: Type.String({ description: 'The customer id, `cust_24`' }),
    status: Type.Unsafe<'reserved' | 'captured' | 'aborted'>(
      Type.Union(
        ['reserved', 'captured', 'aborted'].map((status) => Type.Literal(status)),
        { description: '`reserved` while it is open; `aborted` when it was released or its time was over' }
      )
    ),
    amount: Amount('What was reserved, in `currency`'),
    captured_amount: OrNull(Amount('What was spent of it; null unless captured')),
    currency: Type.String({ description: "The store's currency, ISO 4217" }),
    transaction_id: OrNull(
      Type.String({ description: 'The store credit entry of the redemption; null unless captured' })
    ),
    expires_at: Timestamp('From this time on it is aborted, unless it was captured or released before'),
    created_at: Timestamp('When the credit was reserved'),
    ended_at: OrNull(Timestamp('When it was captured or aborted; null while it is open'))
  },
  {
    additionalProperties: false,
    title: 'StoreCreditReservation',
    description: 'Store credit that is held for an open checkout. It is no entry of the history unless it is captured.',
    examples: [
      {
        id: 'scr_5',
        customer_id: 'cust_24',
        status: 'reserved',
        amount: 10,
        captured_amount: null,
        currency: 'USD',
        transaction_id: null,
        expires_at: '2026-09-15T05:55:00.000Z',
        created_at: '2026-09-15T05:25:00.000Z',
        ended_at: null
      }
    ]
  }
)

const CODE_STATUSES = ['pending', 'active', 'ending', 'used', 'ended', 'failed'] as const

export const CreditCodeBody = Type.Object(
  {
    id: Type.String({ description: 'The id of the code, `scc_3`' }),
    customer_id: Type.String({ description: 'The customer id, `cust_24`' }),
    status: Type.Unsafe<(typeof CODE_STATUSES)[number]>(
      Type.Union(
        CODE_STATUSES.map((status) => Type.Literal(status)),
        {
          description:
            '`pending` until the platform has it, `active` while it can be used, `ending` while it is taken off the platform, then `used` or `ended`; `failed` when the platform refused it'
        }
      )
    ),
    code: OrNull(
      Type.String({ description: 'What the customer enters at the checkout; null until the platform has it' })
    ),
    amount: Amount('What it takes off at most, in `currency`: so much credit is reserved'),
    used_amount: OrNull(Amount('What it took off its order; the rest is available again. Null unless used')),
    currency: Type.String({ description: "The store's currency, ISO 4217" }),
    order_id: OrNull(Type.String({ description: 'The order that it was used on' })),
    transaction_id: OrNull(Type.String({ description: 'The store credit entry of the redemption' })),
    ended_by: OrNull(
      Type.String({ description: '`expired`, `revoked`, or `merged` with its customer; null unless it ended so' })
    ),
    problem: OrNull(Type.String({ description: 'Why it failed, in the words of the platform' })),
    expires_at: Timestamp('From this time on the platform does not take it'),
    created_at: Timestamp('When the credit was reserved'),
    ended_at: OrNull(Timestamp('When it was used or its credit was released; null while credit is reserved'))
  },
  {
    additionalProperties: false,
    title: 'StoreCreditCode',
    description: 'A discount code that spends store credit of one customer, once.',
    examples: [
      {
        id: 'scc_3',
        customer_id: 'cust_24',
        status: 'active',
        code: 'SC-7KQM-2HXA-9PLT-C4VZ',
        amount: 10,
        used_amount: null,
        currency: 'USD',
        order_id: null,
        transaction_id: null,
        ended_by: null,
        problem: null,
        expires_at: '2026-09-15T06:25:00.000Z',
        created_at: '2026-09-15T05:25:00.000Z',
        ended_at: null
      }
    ]
  }
)
