import { type PeriodMetrics, YEARLY_PARTS } from './overview.ts'

// Sums are whole numbers of any size; each result is rounded once, half away from zero.

/** Monthly recurring revenue, in minor units. */
export const mrrMinor = (yearlyParts: bigint) => Number(divided(yearlyParts, 12n * YEARLY_PARTS))

/** Annual recurring revenue, from the same exact sum: it may differ from twelve rounded months by a few minor units. */
export const arrMinor = ({ yearlyParts }: PeriodMetrics) => Number(divided(yearlyParts, YEARLY_PARTS))

/** Monthly recurring revenue per active member, in minor units; null without active members. */
export function arpuMinor({ yearlyParts, membersActive }: PeriodMetrics): number | null {
  return membersActive > 0n ? Number(divided(yearlyParts, 12n * YEARLY_PARTS * membersActive)) : null
}

/** The share of the members at the start of the period that was lost in it; null when there were none. */
export function churnRate({ membersCancelled, membersBefore }: PeriodMetrics): number | null {
  return rate(membersCancelled, membersBefore)
}

/**
 * The expected revenue of an active member: ARPU divided by the churn of a month, which is that of the period times 365/12 over its
 * days. Null when either is unknown or nobody left.
 */
export function ltvMinor(metrics: PeriodMetrics): number | null {
  const { yearlyParts, membersActive, membersBefore, membersCancelled, days } = metrics
  if (membersActive <= 0n || membersBefore <= 0n || membersCancelled <= 0n) return null
  const above = yearlyParts * membersBefore * BigInt(days)
  return Number(divided(above, YEARLY_PARTS * membersActive * membersCancelled * 365n))
}

/** The share of successful charges among those that ended in the period; null when none did. */
export function successRate({ chargesSucceeded, chargesFailed }: PeriodMetrics): number | null {
  return rate(chargesSucceeded, chargesSucceeded + chargesFailed)
}

/** A ratio with four decimals. */
function rate(part: bigint, whole: bigint): number | null {
  return whole > 0n ? Number(divided(part * 10_000n, whole)) / 10_000 : null
}

function divided(amount: bigint, by: bigint): bigint {
  const sign = amount < 0n ? -1n : 1n
  return sign * ((amount * sign * 2n + by) / (2n * by))
}
