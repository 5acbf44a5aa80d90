import type { CycleResult } from '#subscriptions'
import type { Decline } from './decline-codes.ts'

export type DunningSettings = {
  /** How long after each decline the next try follows, in days. When the list runs out, dunning has failed. */
  retryAfterDays: number[]
  onFailure: 'cancel' | 'pause' | 'fail'
}

export type DunningStep = {
  outcome: Exclude<CycleResult['outcome'], 'paid'>
  retryAt: Temporal.Instant | null
  attemptsRemaining: number
}

/**
 * What follows the `declines`-th definite decline of a cycle (1 is the first): the next rung of the ladder on the shop's
 * calendar, a hold for a new payment method after a hard decline, or the end.
 */
export function nextDunningStep(
  declines: number,
  decline: Decline,
  settings: DunningSettings,
  now: Temporal.Instant,
  timezone: string
): DunningStep {
  const attemptsRemaining = attemptsRemainingAfter(declines, settings)
  const days = settings.retryAfterDays[declines - 1]
  if (days === undefined) return { outcome: 'given_up', retryAt: null, attemptsRemaining: 0 }
  if (decline.kind === 'hard') return { outcome: 'declined', retryAt: null, attemptsRemaining }
  return { outcome: 'declined', retryAt: now.toZonedDateTimeISO(timezone).add({ days }).toInstant(), attemptsRemaining }
}

/** How many tries the ladder still has once the cycle has had so many definite declines. */
export function attemptsRemainingAfter(declines: number, { retryAfterDays }: DunningSettings): number {
  return Math.min(Math.max(retryAfterDays.length - declines + 1, 0), retryAfterDays.length)
}
