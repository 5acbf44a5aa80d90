import { defineFact } from '#kit/outbox'
import type { Subscription } from '../subscription.ts'
import { about } from './subscription-event.ts'

/** A contract that had failed was cancelled. Receivers were told of its end when it failed; what is shown of it here and on the platform changes. */
export const subscriptionCancelledAfterFailure = defineFact(
  'subscription.cancelled_after_failure',
  (s: Subscription) => ({
    ...about(s),
    data: {}
  })
)
