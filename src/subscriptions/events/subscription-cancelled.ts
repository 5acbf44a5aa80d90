import { Type } from 'typebox'
import { isoOf } from '#kit/clock'
import { definePublicFact } from '#kit/outbox'
import type { ProfileName } from '#platform'
import { Timestamp } from '#resources'
import type { Subscription } from '../subscription.ts'
import { about, subscriptionEvent, subscriptionPayload } from './subscription-event.ts'

const cancel_reason = Type.String({
  description:
    'The reason that was given, or `payment_failed`, `insufficient_inventory`, `platform` (cancelled there), `customer_deleted` or `expired`'
})

/** For a contract that was cancelled, failed or expired alike; the reason says which. */
export const subscriptionCancelled = definePublicFact(
  'subscription.cancelled',
  subscriptionEvent(
    'The subscription was cancelled, failed or expired',
    { cancelled_at: Timestamp('When the subscription ended'), cancel_reason },
    {
      shownAt: '2026-11-20T09:00:00.000Z',
      status: 'cancelled',
      next_billing_date: null,
      cancelled_at: '2026-11-20T09:00:00.000Z',
      cancel_reason: 'too_expensive'
    }
  ),
  (s: Subscription, at: Temporal.Instant, reason: string, profile: ProfileName) => ({
    ...about(s),
    data: { ...subscriptionPayload(s, profile), cancelled_at: isoOf(at), cancel_reason: reason }
  })
)
