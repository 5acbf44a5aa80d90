import { isoOf } from '#kit/clock'
import { definePublicFact } from '#kit/outbox'
import type { ProfileName } from '#platform'
import { Timestamp } from '#resources'
import type { Subscription } from '../subscription.ts'
import { about, subscriptionEvent, subscriptionPayload } from './subscription-event.ts'

export const subscriptionResumed = definePublicFact(
  'subscription.resumed',
  subscriptionEvent(
    'The subscription was resumed, by request or automatically',
    { resumed_at: Timestamp('When the subscription was resumed') },
    { shownAt: '2026-11-27T09:00:00.000Z', resumed_at: '2026-11-27T09:00:00.000Z' }
  ),
  (s: Subscription, resumedAt: Temporal.Instant, profile: ProfileName) => ({
    ...about(s),
    data: { ...subscriptionPayload(s, profile), resumed_at: isoOf(resumedAt) }
  })
)
