import { type TProperties, Type } from 'typebox'
import { OrNull, Timestamp } from '../fields.ts'
import { SubscriptionBody } from '../subscription.ts'
import { changesOf } from './changes.ts'
import { defineEvent } from './define-event.ts'

const fields = SubscriptionBody.properties
const { status, next_billing_date, plan } = fields

/** The fields of `subscription.created`, with which every event of a subscription begins (spec 1). */
const subscription = {
  subscription_id: fields.subscription_id,
  shopify_subscription_id: fields.shopify_subscription_id,
  customer: fields.customer,
  plan,
  status,
  created_at: fields.created_at,
  next_billing_date
}

function event<Also extends TProperties>(summary: string, also: Also, shown?: Record<string, unknown>) {
  return defineEvent(summary, { ...subscription, ...also }, SubscriptionBody, shown)
}

const changes = changesOf({
  status,
  plan_id: fields.plan_id,
  plan_name: plan.properties.name,
  price: plan.properties.price,
  billing_frequency: plan.properties.billing_frequency,
  next_billing_date,
  receiver: OrNull(
    Type.String({ description: 'The customer who holds it as a gift, `cust_31`; null where it is no gift' })
  )
})

const cancelReason = Type.String({
  description: 'The reason that was given, `payment_failed`, `platform` (cancelled there), or `expired`'
})

export const subscriptionEvents = {
  'subscription.created': event('A contract was made', {}),
  'subscription.activated': event(
    'Its first payment is done, or its trial begins',
    { activated_at: Timestamp('When its first payment was done, or its trial began') },
    { activated_at: '2026-09-15T05:25:00.000Z' }
  ),
  'subscription.updated': event(
    'Its plan, price, interval or next date changed, its cancellation was taken back, or it was given away',
    { changes },
    { changes: { price: { from: 24, to: 29 } } }
  ),
  'subscription.paused': event(
    'It was paused',
    { paused_at: OrNull(Timestamp('When the pause began')), resumes_at: fields.resumes_at },
    { status: 'paused', next_billing_date: null, paused_at: '2026-11-20T09:00:00.000Z', resumes_at: null }
  ),
  'subscription.resumed': event(
    'It was resumed, or resumed by itself',
    { resumed_at: Timestamp('When it was resumed') },
    { resumed_at: '2026-11-27T09:00:00.000Z' }
  ),
  'subscription.cancelled': event(
    'It ended: cancelled, failed or expired',
    { cancelled_at: Timestamp('When it ended'), cancel_reason: cancelReason },
    {
      status: 'cancelled',
      next_billing_date: null,
      cancelled_at: '2026-11-20T09:00:00.000Z',
      cancel_reason: 'too_expensive'
    }
  )
} as const
