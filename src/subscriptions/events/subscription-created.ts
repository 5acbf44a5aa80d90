import { definePublicFact } from '#kit/outbox'
import type { ProfileName } from '#platform'
import type { Subscription } from '../subscription.ts'
import { about, FIRST_DAY, subscriptionEvent, subscriptionPayload } from './subscription-event.ts'

export const subscriptionCreated = definePublicFact(
  'subscription.created',
  subscriptionEvent('A subscription was created', {}, FIRST_DAY),
  (s: Subscription, profile: ProfileName) => ({ ...about(s), data: subscriptionPayload(s, profile) })
)
