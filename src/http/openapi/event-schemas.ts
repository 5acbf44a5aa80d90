import { type TProperties, type TSchema, Type } from 'typebox'
import { EVENT_TYPES, type EventType } from '#kit/outbox'
import { BillingAttemptBody, DeclineBody, PaymentMethodBody } from '../rest/present-billing-attempt.ts'
import { MemberBody } from '../rest/present-member.ts'
import { SubscriptionBody } from '../rest/present-subscription.ts'
import { OrNull, Timestamp } from '../shared/answer-fields.ts'
import type { JsonSchema } from '../shared/json-schema.ts'
import {
  charge,
  credit,
  member,
  member_id,
  memberChanges,
  order,
  Person,
  points,
  retry_date,
  scheduled_at,
  subscription,
  subscriptionChanges
} from './event-parts.ts'
import { exampleOf } from './examples.ts'

const { next_billing_date } = SubscriptionBody.properties
const { attempt_number, attempts_remaining } = BillingAttemptBody.properties
const error = DeclineBody

type Told = { summary: string; data: JsonSchema }

/** Payload fields, shown by those of a resource's example and by what this event tells differently. */
function told(
  summary: string,
  fields: TProperties,
  resource: TSchema | null,
  shown: Record<string, unknown> = {}
): Told {
  const values: Record<string, unknown> = { ...((resource && exampleOf(resource)) as object | null), ...shown }
  const example = Object.fromEntries(Object.keys(fields).map((name) => [name, values[name]]))
  return { summary, data: Type.Object(fields, { description: 'What happened, as it was then', examples: [example] }) }
}

const ofSubscription = (summary: string, also: TProperties = {}, shown: Record<string, unknown> = {}) =>
  told(summary, { ...subscription, ...also }, SubscriptionBody, shown)

const ofCharge = (summary: string, also: TProperties, shown: Record<string, unknown> = {}) =>
  told(summary, { ...charge, ...also }, BillingAttemptBody, {
    ...shown,
    billing_attempt_id: 'ba_154',
    customer: exampleOf(Person),
    scheduled_at: '2026-12-15T06:25:00.000Z'
  })

const ofCredit = (summary: string, shown: Record<string, unknown>) =>
  told(summary, credit, null, {
    customer: exampleOf(Person),
    amount: 5,
    currency: 'USD',
    order_id: null,
    ...shown
  })

/** The payload of each event type (spec 1, Payload shapes of data; the contract shows four of them, the others are ours). */
const PAYLOADS: Record<EventType, Told> = {
  'subscription.created': ofSubscription('A contract was made'),
  'subscription.activated': ofSubscription(
    'Its first payment is done, or its trial begins',
    { activated_at: Timestamp('When its first payment was done, or its trial began') },
    { activated_at: '2026-09-15T05:25:00.000Z' }
  ),
  'subscription.updated': ofSubscription(
    'Its plan, price, interval or next date changed, its cancellation was taken back, or it was given away',
    { changes: subscriptionChanges },
    { changes: { price: { from: 24, to: 29 } } }
  ),
  'subscription.paused': ofSubscription(
    'It was paused',
    { paused_at: OrNull(Timestamp('When the pause began')), resumes_at: SubscriptionBody.properties.resumes_at },
    { status: 'paused', next_billing_date: null, paused_at: '2026-11-20T09:00:00.000Z', resumes_at: null }
  ),
  'subscription.resumed': ofSubscription(
    'It was resumed, or resumed by itself',
    { resumed_at: Timestamp('When it was resumed') },
    { resumed_at: '2026-11-27T09:00:00.000Z' }
  ),
  'subscription.cancelled': ofSubscription(
    'It ended: cancelled, failed or expired',
    {
      cancelled_at: Timestamp('When it ended'),
      cancel_reason: Type.String({
        description: 'The reason that was given, `payment_failed`, `platform` (cancelled there), or `expired`'
      })
    },
    {
      status: 'cancelled',
      next_billing_date: null,
      cancelled_at: '2026-11-20T09:00:00.000Z',
      cancel_reason: 'too_expensive'
    }
  ),
  'billing.pending': ofCharge('An attempt to charge is scheduled', { scheduled_at }),
  'billing.success': ofCharge(
    'An attempt succeeded',
    { order, payment_method: BillingAttemptBody.properties.payment_method, next_billing_date },
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
  'billing.failed': ofCharge('An attempt failed', {
    error,
    retry_scheduled: Type.Boolean({ description: 'Whether a retry follows this attempt by itself' }),
    retry_date,
    attempts_remaining
  }),
  'billing.retry_scheduled': ofCharge('A failed attempt is tried again', {
    scheduled_at,
    retry_date,
    attempt_number,
    attempts_remaining,
    error
  }),
  'billing.action_required': ofCharge(
    'The customer has to confirm a payment, or is to be reminded of it',
    {
      scheduled_at,
      action_url: Type.String({ description: 'Where the customer confirms the payment' }),
      reminder: Type.Integer({
        description: '0 when it is first told; 1, 2, … for the reminders, as many as the store has set (0 to 5)'
      })
    },
    { action_url: 'https://shop.example.com/challenges/8Xb2kQ', reminder: 0 }
  ),
  'member.created': told("A customer's first contract was made", member, MemberBody, { member_id: 'mem_24' }),
  'member.updated': told(
    'A field of a member changed that no other event tells',
    { ...member, changes: memberChanges },
    MemberBody,
    {
      member_id: 'mem_24',
      changes: { last_name: { from: 'Itoh', to: 'Ito' } }
    }
  ),
  'member.tier_changed': told(
    'The tier of a member changed',
    {
      member_id,
      customer: Person,
      tier: Type.Object(
        {
          previous: OrNull(Type.String({ description: 'Before the change' })),
          new: OrNull(Type.String({ description: 'After it' }))
        },
        { description: 'The tier; null before the first one and after the last membership' }
      )
    },
    null,
    { member_id: 'mem_24', customer: exampleOf(Person), tier: { previous: 'VIP', new: 'Elite' } }
  ),
  'member.points_changed': told(
    'The balance of loyalty points changed',
    {
      member_id,
      customer: Person,
      points,
      reason: Type.String({ description: 'Why, in words' }),
      order_id: OrNull(Type.String({ description: 'The order that the points came from' }))
    },
    null,
    {
      member_id: 'mem_24',
      customer: exampleOf(Person),
      points: { previous_balance: 100, new_balance: 120, change: 20 },
      reason: 'Welcome gift',
      order_id: null
    }
  ),
  'store_credit.added': ofCredit('Store credit was added', {
    transaction_id: 'sct_8',
    previous_balance: 25,
    new_balance: 30,
    reason: 'Sorry for the late parcel'
  }),
  'store_credit.deducted': ofCredit('Store credit was taken', {
    transaction_id: 'sct_8',
    previous_balance: 25,
    new_balance: 20,
    reason: 'Taken back, the parcel came in time'
  })
}

/** `subscription.created` → `SubscriptionCreatedEvent`. */
const titleOf = (type: EventType) =>
  `${type.replace(/(?:^|[._])(.)/g, (_, letter: string) => letter.toUpperCase())}Event`

function eventSchema(type: EventType): TSchema {
  const { summary, data } = PAYLOADS[type]
  return Type.Object(
    {
      event: Type.Literal(type, { description: 'The type' }),
      timestamp: Timestamp("When it occurred, in the store's time"),
      webhook_id: Type.String({ description: 'Names the delivery, the same over all its tries' }),
      data: data as TSchema
    },
    {
      title: titleOf(type),
      description: `${summary}.`,
      examples: [
        {
          event: type,
          timestamp: '2026-12-15T06:25:01.000Z',
          webhook_id: 'wh_0b57b2ad720443db925f2f75d8eb0e85',
          data: exampleOf(data)
        }
      ]
    }
  )
}

/** What receivers get, by event type: the envelope of spec 1 around each payload. */
export const EVENT_SCHEMAS = Object.fromEntries(EVENT_TYPES.map((type) => [type, eventSchema(type)])) as Record<
  EventType,
  TSchema
>
