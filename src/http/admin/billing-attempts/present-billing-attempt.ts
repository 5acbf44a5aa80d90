import { type Static, Type } from 'typebox'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import { OrNull, Timestamp } from '#resources'
import type { BillingAttemptView } from '#views'

export const BillingAttemptBody = Type.Object(
  {
    id: Type.String({ description: 'The id of the attempt, `ba_301`' }),
    subscription_id: Type.String({ description: 'The subscription that it charges, `sub_24`' }),
    status: Type.String({ description: '`pending`, `success` or `failed`' }),
    amount: Type.Number({ description: 'What is charged, in `currency`' }),
    currency: Type.String({ description: 'ISO 4217' }),
    date: Timestamp('When it was scheduled'),
    attempt_number: Type.Integer({ description: 'Which attempt of its cycle, counted from 1' }),
    cycle_index: Type.Integer({ description: 'The cycle that it pays' }),
    error_code: OrNull(Type.String({ description: 'The class of its error, such as `card_declined`' })),
    error_message: OrNull(Type.String({ description: "The platform's message" })),
    decline_code: OrNull(Type.String({ description: "The platform's own code, in lower case" })),
    retry_date: OrNull(Timestamp('When the next attempt of its cycle follows; null when none is planned')),
    attempts_remaining: Type.Integer({ description: 'How many automatic tries are still to come' }),
    order_number: OrNull(Type.String({ description: 'The number of the order of a paid attempt' })),
    action_url: OrNull(
      Type.String({ description: 'Where the customer confirms the payment, while it waits for that' })
    ),
    created_at: Timestamp('When the attempt was made'),
    completed_at: OrNull(Timestamp('When its result was known'))
  },
  {
    title: 'BillingAttempt',
    description: 'One try to charge a cycle of a subscription.',
    examples: [
      {
        id: 'ba_301',
        subscription_id: 'sub_24',
        status: 'failed',
        amount: 29,
        currency: 'EUR',
        date: '2026-11-15T06:25:00.000Z',
        attempt_number: 1,
        cycle_index: 3,
        error_code: 'card_declined',
        error_message: 'The card has insufficient funds.',
        decline_code: 'insufficient_funds',
        retry_date: '2026-11-18T06:25:00.000Z',
        attempts_remaining: 3,
        order_number: null,
        action_url: null,
        created_at: '2026-11-15T06:25:00.000Z',
        completed_at: '2026-11-15T06:25:04.000Z'
      }
    ]
  }
)

export function presentBillingAttempt(view: BillingAttemptView): Static<typeof BillingAttemptBody> {
  return {
    id: publicId('ba', view.id),
    subscription_id: publicId('sub', view.subscriptionId),
    status: view.status,
    amount: numberOf(view.amountMinor, view.currency),
    currency: view.currency,
    date: view.scheduledAt,
    attempt_number: view.attemptNumber,
    cycle_index: view.cycleIndex,
    error_code: view.errorCode,
    error_message: view.errorMessage,
    decline_code: view.declineCode,
    retry_date: view.retryAt,
    attempts_remaining: view.attemptsRemaining,
    order_number: view.orderNumber,
    action_url: view.status === 'pending' ? view.actionUrl : null,
    created_at: view.createdAt,
    completed_at: view.completedAt
  }
}
