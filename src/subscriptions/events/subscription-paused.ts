import { isoOrNull } from '#kit/clock'
import { definePublicFact } from '#kit/outbox'
import type { ProfileName } from '#platform'
import { OrNull, SubscriptionBody, Timestamp } from '#resources'
import type { Subscription } from '../subscription.ts'
import { about, subscriptionEvent, subscriptionPayload } from './subscription-event.ts'

export const subscriptionPaused = definePublicFact(
  'subscription.paused',
  subscriptionEvent(
    'The subscription was paused',
    { paused_at: OrNull(Timestamp('When the pause began')), resumes_at: SubscriptionBody.properties.resumes_at },
    {
      shownAt: '2026-11-20T09:00:00.000Z',
      status: 'paused',
      next_billing_date: null,
      paused_at: '2026-11-20T09:00:00.000Z',
      resumes_at: '2026-12-20T09:00:00.000Z'
    }
  ),
  (s: Subscription, profile: ProfileName) => ({
    ...about(s),
    data: {
      ...subscriptionPayload(s, profile),
      paused_at: isoOrNull(s.pausedAt),
      resumes_at: isoOrNull(s.resumesAt)
    }
  })
)
