import { type TProperties, Type } from 'typebox'
import { BillingAttemptBody, DeclineBody, PaymentMethodBody } from '../billing-attempt.ts'
import { PersonBody } from '../customer.ts'
import { exampleOf } from '../example-of.ts'
import { OrNull, Timestamp } from '../fields.ts'
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
const retry_date = OrNull(Timestamp('When it is tried again; null when it is not'))
const { attempt_number, attempts_remaining } = fields
const error = DeclineBody

const order = OrNull(
  Type.Object(
    {
      id: Type.String({ description: 'Our id, `ord_174`' }),
      shopify_id: Type.String({ description: "The order's global id on the platform" }),
      order_number: OrNull(Type.String({ description: 'As the customer sees it' })),
      total: Type.Number({ description: 'What the order cost, in its `currency`' }),
      currency: Type.String({ description: 'ISO 4217' })
    },
    { description: 'Null when the platform did not tell it along with the result' }
  )
)

export const billingEvents = {
  'billing.pending': event('An attempt to charge is scheduled', { scheduled_at }),
  'billing.success': event(
    'An attempt succeeded',
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
  'billing.failed': event('An attempt failed', {
    error,
    retry_scheduled: Type.Boolean({ description: 'Whether a retry follows this attempt by itself' }),
    retry_date,
    attempts_remaining
  }),
  'billing.retry_scheduled': event('A failed attempt is tried again', {
    scheduled_at,
    retry_date,
    attempt_number,
    attempts_remaining,
    error
  }),
  'billing.action_required': event(
    'The customer has to confirm a payment, or is to be reminded of it',
    {
      scheduled_at,
      action_url: Type.String({ description: 'Where the customer confirms the payment' }),
      reminder: Type.Integer({
        description: '0 when it is first told; 1, 2, … for the reminders, as many as the store has set (0 to 5)'
      })
    },
    { action_url: 'https://shop.example.com/challenges/8Xb2kQ', reminder: 0 }
  )
} as const
