import { type TLiteral, type TUnion, Type } from 'typebox'
import { OrNull, Timestamp } from './fields.ts'

/** One of these words. */
const literals = <const Words extends readonly string[]>(words: Words, description: string) =>
  Type.Union(
    words.map((word) => Type.Literal(word)),
    { description }
  ) as unknown as TUnion<{ -readonly [Place in keyof Words]: TLiteral<Words[Place]> }>

/** An offer to people who cancel (spec 2, offer). */
export const OfferBody = Type.Object(
  {
    id: Type.Integer({ description: 'Its id' }),
    name: Type.String({ description: 'Its name' }),
    description: OrNull(Type.String({ description: 'What customers read of it' })),
    type: literals(['discount_price', 'change_frequency', 'add_store_credits'], 'What it gives'),
    rules: Type.Object(
      {
        discount_type: Type.Optional(literals(['percentage', 'fixed_amount'], 'Of a discount: how it is taken off')),
        discount_value: Type.Optional(Type.Number({ description: 'Of a discount: the percentage, or the amount' })),
        recurring_cycle_limit: Type.Optional(
          Type.Integer({ description: 'Of a discount: for how many cycles; not there where it has no end' })
        ),
        interval_count: Type.Optional(
          Type.Integer({ description: 'Of another frequency: how many intervals are between two charges' })
        ),
        interval_name: Type.Optional(
          literals(['day', 'week', 'month', 'year'], 'Of another frequency: which interval')
        ),
        credit_amount: Type.Optional(Type.Number({ description: 'Of store credit: how much is added' }))
      },
      { description: 'What it gives; `type` says which keys there are' }
    )
  },
  {
    title: 'Offer',
    description: 'What may be offered to people who cancel.',
    examples: [
      {
        id: 3,
        name: '25 % off for three months',
        description: 'Stay, and pay a quarter less.',
        type: 'discount_price',
        rules: { discount_type: 'percentage', discount_value: 25, recurring_cycle_limit: 3 }
      }
    ]
  }
)

const RewardBody = Type.Object(
  {
    gid: Type.Optional(Type.String({ description: "Of a discount: the platform's global id of it" })),
    title: Type.Optional(Type.String({ description: "Of a discount: the platform's title of it" })),
    target_type: Type.Optional(literals(['LINE_ITEM', 'SHIPPING_LINE'], 'Of a discount: what it reduces')),
    recurring_cycle_limit: Type.Optional(
      OrNull(Type.Integer({ description: 'Of a discount: for how many cycles; null without an end' }))
    ),
    usage_count: Type.Optional(
      Type.Integer({ description: 'Of a discount: how many orders had it, as last read after a renewal' })
    ),
    applies_on_each_item: Type.Optional(
      Type.Boolean({ description: 'Of a discount: whether an amount is off each piece, and not once' })
    ),
    discount_type: Type.Optional(literals(['percentage', 'fixed_amount'], 'Of a discount: how it is taken off')),
    value: Type.Optional(Type.Number({ description: 'Of a discount: the percentage, or the amount' })),
    deleted_at: Type.Optional(OrNull(Timestamp('Of a discount: when it ended; null while it is active'))),
    interval_count: Type.Optional(Type.Integer({ description: 'Of another frequency: how many intervals' })),
    interval_name: Type.Optional(
      literals(['DAY', 'WEEK', 'MONTH', 'YEAR'], 'Of another frequency: which interval, in upper case')
    ),
    next_billing_date: Type.Optional(
      OrNull(Timestamp('Of another frequency: the next charge when it was accepted; null while the contract is paused'))
    ),
    credit_amount: Type.Optional(Type.Number({ description: 'Of store credit: how much was added' })),
    currency: Type.Optional(Type.String({ description: 'Of store credit: its currency' })),
    transaction_id: Type.Optional(
      OrNull(Type.String({ description: 'Of store credit: its entry in the history of the customer, `sct_31`' }))
    )
  },
  { description: 'What it gives on the contract; the `type` of the offer says which keys there are' }
)

/** An offer that was accepted on a contract (spec 2, contract offer). */
export const ContractOfferBody = Type.Object(
  {
    offer: Type.Object(OfferBody.properties, { description: 'The offer, as it was when it was accepted' }),
    reward: RewardBody,
    status: literals(['Active', 'Cancelled'], '`Active` while it applies'),
    deleted_at: OrNull(Timestamp('When it ended; null while it is active'))
  },
  {
    title: 'ContractOffer',
    description: 'An offer that was accepted on a contract.',
    examples: [
      {
        offer: {
          id: 3,
          name: '25 % off for three months',
          description: 'Stay, and pay a quarter less.',
          type: 'discount_price',
          rules: { discount_type: 'percentage', discount_value: 25, recurring_cycle_limit: 3 }
        },
        reward: {
          gid: 'gid://platform/SubscriptionManualDiscount/b8d4b7a0-1c55-4e0e-8a57-3a4c1fb0e6d2',
          title: 'SVC: 25 % off for three months (ref. 7KQ2M9XWBP4T)',
          target_type: 'LINE_ITEM',
          recurring_cycle_limit: 3,
          usage_count: 0,
          applies_on_each_item: false,
          discount_type: 'percentage',
          value: 25,
          deleted_at: null
        },
        status: 'Active',
        deleted_at: null
      }
    ]
  }
)
