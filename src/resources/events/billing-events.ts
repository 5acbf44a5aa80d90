import { type TProperties, Type } from 'typebox'
import { BillingAttemptBody, DeclineBody, PaymentMethodBody } from '../billing-attempt.ts'
import { PersonBody } from '../customer.ts'
import { exampleOf } from '../example-of.ts'
import { Amount, OrNull, Timestamp } from '../fields.ts'
import { SubscriptionBody } from '../subscription.ts'
import { defineEvent } from './define-event.ts'

const fields = BillingAttemptBody.properties

/** The fields with which every event of an attempt to charge begins. */
const charge = {
  billing_attempt_id: fields.id,
  subscription_id: fields.subscription_id,
  customer: PersonBody,
  amount: fields.amount,
  currency: fields.currency
}

function event<Also extends TProperties>(summary: string, also: Also, shown: Record<string, unknown> = {}) {
  return defineEvent(summary, { ...charge, ...also }, BillingAttemptBody, {
    ...shown,
    billing_attempt_id: 'ba_154',
    customer: exampleOf(PersonBody),
    scheduled_at: '2026-12-15T06:25:00.000Z'
  })
}

const scheduled_at = Timestamp('When the attempt was scheduled')
const retry_date = OrNull(Timestamp('When the next attempt is due; null without one'))
const { attempt_number, attempts_remaining } = fields
const error = DeclineBody

const order = OrNull(
  Type.Object(
    {
      id: Type.String({ description: 'Our id, `ord_174`' }),
      shopify_id: Type.String({ description: "The order's global id on the platform" }),
      order_number: OrNull(Type.String({ description: 'The order number that the customer sees' })),
      total: Amount('The total of the order, in its `currency`'),
      currency: Type.String({ description: 'ISO 4217' })
    },
    { description: 'Null when the platform did not report an order with the result' }
  )
)

export const billingEvents = {
  'billing.pending': event('A billing attempt was created', { scheduled_at }),
  'billing.success': event(
    'A billing attempt succeeded',
    {
      order,
      payment_method: fields.payment_method,
      next_billing_date: SubscriptionBody.properties.next_billing_date
    },
    {
      order: {
        id: 'ord_174',
        shopify_id: 'gid://platform/Order/5820982912465',
        order_number: '1004',
        total: 29,
        currency: 'USD'
      },
      payment_method: exampleOf(PaymentMethodBody),
      next_billing_date: '2027-01-15T06:25:00.000Z'
    }
  ),
  'billing.failed': event('A billing attempt failed', {
    error,
    retry_scheduled: Type.Boolean({ description: 'Whether an automatic retry follows this attempt' }),
    retry_date,
    attempts_remaining
  }),
  'billing.retry_scheduled': event('A retry of a failed billing attempt was scheduled', {
    scheduled_at,
    retry_date,
    attempt_number,
    attempts_remaining,
    error
  }),
  'billing.action_required': event(
    'The customer must confirm a payment, or is due a reminder',
    {
      scheduled_at,
      action_url: Type.String({ description: 'Where the customer confirms the payment' }),
      reminder: Type.Integer({
        description: '0 for the first event; 1, 2, … for the reminders, whose number (0 to 5) is a setting of the store'
      })
    },
    { action_url: 'https://shop.example.com/challenges/8Xb2kQ', reminder: 0 }
  )
} as const
