import { Type } from 'typebox'
import { exampleOf } from './example-of.ts'
import { OrNull, Timestamp } from './fields.ts'

export const DeclineBody = Type.Object(
  {
    code: Type.String({ description: 'The class to branch on, such as `card_declined`' }),
    message: OrNull(Type.String({ description: "The platform's words" })),
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
    type: Type.String({ description: 'Such as `card`' }),
    last_four: OrNull(Type.String({ description: 'The last digits of the card' })),
    brand: OrNull(Type.String({ description: 'Such as `Visa`' }))
  },
  {
    title: 'PaymentMethod',
    description: 'What a successful charge was paid with.',
    examples: [{ type: 'card', last_four: '4242', brand: 'Visa' }]
  }
)

export const BillingAttemptBody = Type.Object(
  {
    id: Type.String({ description: 'The attempt id, `ba_154`' }),
    subscription_id: Type.String({ description: 'The subscription that it charges' }),
    status: Type.Union([Type.Literal('success'), Type.Literal('failed'), Type.Literal('pending')], {
      description: '`pending` until the platform has told the outcome'
    }),
    amount: Type.Number({
      description:
        'What is charged, in `currency`; of one that succeeded, what the platform really charged. Retries ask for the amount of the first try of their cycle'
    }),
    currency: Type.String({ description: 'ISO 4217' }),
    date: Timestamp('When it was scheduled'),
    attempt_number: Type.Integer({ description: '1 for the first try of its cycle' }),
    cycle_index: Type.Integer({ description: 'Which cycle it charges' }),
    error: OrNull(DeclineBody),
    retry_scheduled: Type.Boolean({
      description:
        'Whether a retry follows this attempt by itself, or followed. Called off when the subscription stops; a manual retry takes it over from the attempts before it'
    }),
    retry_date: OrNull(Timestamp('When that retry is due, or was')),
    attempts_remaining: Type.Integer({
      description:
        'How many retries the ladder still has after this attempt, also while it is pending; 0 of one that succeeded, and of one whose retry was called off when the subscription stopped'
    }),
    recovered: Type.Boolean({
      description: 'Whether it succeeded after an earlier try of its cycle had been declined'
    }),
    recovered_amount: Type.Number({
      description: 'What it won back, in `currency`: `amount` of a recovered one, else 0'
    }),
    charged_after_stop: Type.Boolean({
      description:
        'Whether its success became known when the subscription had ended. Nothing is paid back by itself: decide whether to refund it'
    }),
    order: OrNull(
      Type.Object(
        {
          id: Type.String({ description: 'Our id, `ord_174`' }),
          shopify_id: OrNull(Type.String({ description: "The order's global id on the platform" })),
          order_number: OrNull(Type.String({ description: 'As the customer sees it' }))
        },
        { description: 'The order of a successful one' }
      )
    ),
    payment_method: OrNull(PaymentMethodBody),
    action_required: OrNull(
      Type.Object(
        {
          url: Type.String({ description: 'Where the customer confirms the payment' }),
          since: Timestamp('When this became known'),
          reminders: Type.Integer({ description: 'How often the customer was reminded, by `billing.action_required`' })
        },
        {
          description:
            'What a pending attempt waits for when the bank wants the customer to confirm the payment (3-D Secure); null once it is settled'
        }
      )
    ),
    created_at: Timestamp('When it was made'),
    completed_at: OrNull(Timestamp('When the outcome was known'))
  },
  {
    additionalProperties: false,
    title: 'BillingAttempt',
    description: 'One try to charge one cycle. A cycle that is declined and retried has several.',
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
