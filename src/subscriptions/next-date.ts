import { billingDate } from './billing-dates.ts'
import type { Subscription } from './subscription.ts'
import { isInBilling } from './transitions/transitions.ts'

/**
 * The date that the platform's contract is to bear: the next cycle's, while that is ahead. From then until it is paid or over the
 * platform keeps the date it has: it counts its cycles by it, and would take a retry's for that of another cycle.
 */
export function nextDateOf(s: Subscription, now: Temporal.Instant, timezone: string): Temporal.Instant | null {
  if (s.nextBillingAt === null || isInBilling(s)) return null
  return Temporal.Instant.compare(billingDate(s, s.nextCycle, timezone), now) > 0 ? s.nextBillingAt : null
}
