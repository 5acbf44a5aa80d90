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
    Type.String({ description: 'The customer who receives it as a gift, `cust_31`; null when it is not a gift' })
  )
})

const cancelReason = Type.String({
  description:
    'The reason that was given, or `payment_failed`, `insufficient_inventory`, `platform` (cancelled there), `customer_deleted` or `expired`'
})

const BEGAN = '2026-09-15T05:25:00.000Z'
const firstDay = { shownAt: BEGAN, next_billing_date: '2026-10-15T05:25:00.000Z' }

export const subscriptionEvents = {
  'subscription.created': event('A subscription was created', {}, firstDay),
  'subscription.activated': event(
    'The first payment succeeded, or the trial began',
    { activated_at: Timestamp('When the first payment succeeded or the trial began') },
    { ...firstDay, activated_at: BEGAN }
  ),
  'subscription.updated': event(
    'The plan, price, interval, next billing date or gift receiver changed, or a cancellation was revoked',
    { changes },
    { shownAt: '2026-11-20T09:00:00.000Z', changes: { price: { from: 24, to: 29 } } }
  ),
  'subscription.paused': event(
    'The subscription was paused',
    { paused_at: OrNull(Timestamp('When the pause began')), resumes_at: fields.resumes_at },
    {
      shownAt: '2026-11-20T09:00:00.000Z',
      status: 'paused',
      next_billing_date: null,
      paused_at: '2026-11-20T09:00:00.000Z',
      resumes_at: '2026-12-20T09:00:00.000Z'
    }
  ),
  'subscription.resumed': event(
    'The subscription was resumed, by request or automatically',
    { resumed_at: Timestamp('When the subscription was resumed') },
    { shownAt: '2026-11-27T09:00:00.000Z', resumed_at: '2026-11-27T09:00:00.000Z' }
  ),
  'subscription.cancelled': event(
    'The subscription was cancelled, failed or expired',
    { cancelled_at: Timestamp('When the subscription ended'), cancel_reason: cancelReason },
    {
      shownAt: '2026-11-20T09:00:00.000Z',
      status: 'cancelled',
      next_billing_date: null,
      cancelled_at: '2026-11-20T09:00:00.000Z',
      cancel_reason: 'too_expensive'
    }
  )
} as const
