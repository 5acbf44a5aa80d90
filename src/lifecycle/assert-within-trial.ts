import type { Subscription } from '#subscriptions'
import { hasUnpaidTrial, isInTrial } from '#subscriptions/transitions'
import { afterFirstCharge, afterTrial } from './refusals.ts'

/**
 * Refuses a date for the first charge after a trial that would be a longer trial: one after its end, or, when it is over, one after
 * `dueAt`, when the charge is due without a given date.
 */
export function assertWithinTrial(
  subscription: Subscription,
  nextBillingAt: Temporal.Instant,
  { now, dueAt }: { now: Temporal.Instant; dueAt: Temporal.Instant | null }
): void {
  if (!hasUnpaidTrial(subscription)) return
  const isRunning = isInTrial(subscription, now)
  const latest = isRunning ? subscription.trialEndsAt : dueAt
  if (latest === null || Temporal.Instant.compare(nextBillingAt, latest) <= 0) return
  throw isRunning ? afterTrial(latest) : afterFirstCharge(latest)
}
