import type { Subscription } from '#subscriptions'
import { isInTrial } from '#subscriptions/transitions'
import { afterTrial } from './refusals.ts'

/** Refuses a date for the first charge of a running trial that is after the trial's end: it would be a longer trial. */
export function assertWithinTrial(
  subscription: Subscription,
  nextBillingAt: Temporal.Instant,
  now: Temporal.Instant
): void {
  const { trialEndsAt } = subscription
  if (trialEndsAt === null || !isInTrial(subscription, now)) return
  if (Temporal.Instant.compare(nextBillingAt, trialEndsAt) > 0) throw afterTrial(trialEndsAt)
}
