import { isoOf } from '#kit/clock'
import { definePublicFact } from '#kit/outbox'
import type { ProfileName } from '#platform'
import { Timestamp } from '#resources'
import type { Subscription } from '../subscription.ts'
import { about, FIRST_DAY, subscriptionEvent, subscriptionPayload } from './subscription-event.ts'

export const subscriptionActivated = definePublicFact(
  'subscription.activated',
  subscriptionEvent(
    'The first payment succeeded, or the trial began',
    { activated_at: Timestamp('When the first payment succeeded or the trial began') },
    { ...FIRST_DAY, activated_at: FIRST_DAY.shownAt }
  ),
  (s: Subscription, at: Temporal.Instant, profile: ProfileName) => ({
    ...about(s),
    data: { ...subscriptionPayload(s, profile), activated_at: isoOf(at) }
  })
)
