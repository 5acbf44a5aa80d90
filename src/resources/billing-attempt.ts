import { Type } from 'typebox'
import { exampleOf } from './example-of.ts'
import { Amount, OrNull, Timestamp } from './fields.ts'

export const DeclineBody = Type.Object(
  {
    code: Type.String({ description: 'The error class, such as `card_declined`; branch on it' }),
    message: OrNull(Type.String({ description: "The platform's message" })),
    decline_code: OrNull(Type.String({ description: "The platform's own code, in lower case" }))
  },
  {
    title: 'Decline',
    description: 'Why a charge failed.',
    examples: [
      {
        code: 'card_declined',
        message: 'The card has insufficient funds.',
        decline_code: 'insufficient_funds'
      }
    ]
  }
)

export const PaymentMethodBody = Type.Object(
  {
    type: Type.String({ description: 'For example `card`' }),
    last_four: OrNull(Type.String({ description: 'The last four digits of the card' })),
    brand: OrNull(Type.String({ description: 'For example `Visa`' }))
  },
  {
    title: 'PaymentMethod',
    description: 'The payment method of a successful charge.',
    examples: [{ type: 'card', last_four: '4242', brand: 'Visa' }]
  }
)

export const BillingAttemptBody = Type.Object(
  {
    id: Type.String({ description: 'The attempt id, `ba_154`' }),
    subscription_id: Type.String({ description: 'The subscription that is charged' }),
    status: Type.Union([Type.Literal('success'), Type.Literal('failed'), Type.Literal('pending')], {
      description: '`pending` until the platform reports the outcome'
    }),
    amount: Amount(
      'The amount, in `currency`: the requested one, and after success the one that the platform charged. Retries request the amount of the first attempt of their cycle'
    ),
    currency: Type.String({ description: 'ISO 4217' }),
    date: Timestamp('When the attempt was scheduled'),
    attempt_number: Type.Integer({ description: '1 for the first attempt of its cycle' }),
    cycle_index: Type.Integer({ description: 'The cycle that is charged' }),
    error: OrNull(DeclineBody),
    retry_scheduled: Type.Boolean({
      description:
        'Whether an automatic retry follows, or followed, this attempt. The retry is cancelled when the subscription stops. After a manual retry, false for the attempts before it'
    }),
    retry_date: OrNull(Timestamp('When that retry is or was due')),
    attempts_remaining: Type.Integer({
      description:
        'How many automatic tries are still to come after this attempt, also while it is pending. 0, also for the earlier attempts of the cycle, after success, where none is scheduled because the charge waits for a new payment method or a person, after the last one, and when they were cancelled because the subscription stopped'
    }),
    recovered: Type.Boolean({
      description: 'Whether it succeeded after an earlier attempt of its cycle was declined'
    }),
    recovered_amount: Amount('`amount` if `recovered`, else 0'),
    charged_after_stop: Type.Boolean({
      description:
        'Whether the success was reported after the subscription had ended. There is no automatic refund: decide whether to refund it'
    }),
    order: OrNull(
      Type.Object(
        {
          id: Type.String({ description: 'Our id, `ord_174`' }),
          shopify_id: OrNull(Type.String({ description: "The order's global id on the platform" })),
          order_number: OrNull(Type.String({ description: 'The order number that the customer sees' }))
        },
        { description: 'The order of a successful attempt' }
      )
    ),
    payment_method: OrNull(PaymentMethodBody),
    action_required: OrNull(
      Type.Object(
        {
          url: Type.String({ description: 'Where the customer confirms the payment' }),
          since: Timestamp('When the platform reported this'),
          reminders: Type.Integer({ description: 'How many reminders were sent as `billing.action_required`' })
        },
        {
          description:
            'Set while a pending attempt waits for the customer to confirm the payment (3-D Secure); null once it is settled'
        }
      )
    ),
    created_at: Timestamp('When the attempt was created'),
    completed_at: OrNull(Timestamp('When the outcome was reported'))
  },
  {
    additionalProperties: false,
    title: 'BillingAttempt',
    description: 'One attempt to charge one billing cycle. A cycle that is declined and retried has several.',
    examples: [
      {
        id: 'ba_154',
        subscription_id: 'sub_24',
        status: 'failed',
        amount: 29,
        currency: 'USD',
        date: '2026-12-15T06:25:00.000Z',
        attempt_number: 1,
        cycle_index: 4,
        error: exampleOf(DeclineBody),
        retry_scheduled: true,
        retry_date: '2026-12-17T06:25:00.000Z',
        attempts_remaining: 4,
        recovered: false,
        recovered_amount: 0,
        charged_after_stop: false,
        order: null,
        payment_method: null,
        action_required: null,
        created_at: '2026-12-15T06:25:00.000Z',
        completed_at: '2026-12-15T06:25:01.000Z'
      }
    ]
  }
)
