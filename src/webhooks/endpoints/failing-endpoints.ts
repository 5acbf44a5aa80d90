// How long an endpoint may fail, in store time.

/** Hours without a success after which the people who run the store are warned. */
const WARN_AFTER_HOURS = [24, 72]

/**
 * An endpoint is disabled when a delivery uses up its tries, none has succeeded for so many hours, and so many have used up theirs
 * meanwhile. In a quiet store days may pass between two tries, and in a busy one five deliveries are lost within an evening.
 */
export const DISABLE_AFTER = { hours: 120, deliveries: 5 }

type Failing = { failingSince: Temporal.Instant | null; failedDeliveries: number }

/** Whether an endpoint has failed for long enough to be disabled. */
export function isGivenUp({ failingSince, failedDeliveries }: Failing, now: Temporal.Instant): boolean {
  if (failingSince === null || failedDeliveries < DISABLE_AFTER.deliveries) return false
  return Temporal.Instant.compare(failingSince.add({ hours: DISABLE_AFTER.hours }), now) <= 0
}

/** When to warn of a failure that begins now. */
export const firstWarningAt = (now: Temporal.Instant) => now.add({ hours: WARN_AFTER_HOURS[0]! })

/** Which warnings are due for an endpoint, as hours without a success; and when the next one is, null after the last. */
export function warningsOf(failingSince: Temporal.Instant, now: Temporal.Instant) {
  const isDue = (hours: number) => Temporal.Instant.compare(failingSince.add({ hours }), now) <= 0
  const ahead = WARN_AFTER_HOURS.find((hours) => !isDue(hours))
  return {
    due: WARN_AFTER_HOURS.filter(isDue),
    nextAt: ahead === undefined ? null : failingSince.add({ hours: ahead })
  }
}
