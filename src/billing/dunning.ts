import { type CycleResult, type DeclineCounter, PAYMENT_FAILED, type Subscription } from '#subscriptions'
import type { Decline } from './decline-codes.ts'
import type { DunningSettings, RetrySchedule } from './settings.ts'

export type DunningStep = { next: CycleNext; attemptsRemaining: number }

/** What a failure comes to for its cycle. */
export type CycleNext = CycleResult extends infer R
  ? R extends { outcome: 'declined' | 'retries_exhausted' }
    ? Omit<R, 'subscriptionId' | 'cycle'>
    : never
  : never

type Counts = Pick<Subscription, DeclineCounter>

/**
 * What follows a definite failure of a cycle that had failed as `counts` says before: the next rung of its ladder on the
 * shop's calendar, a hold for a new payment method, a hold for a person, or the end.
 */
export function nextDunningStep(
  counts: Counts,
  decline: Decline,
  dunning: DunningSettings,
  now: Temporal.Instant,
  timezone: string
): DunningStep {
  const inDays = (days: number) => now.toZonedDateTimeISO(timezone).add({ days }).toInstant()
  if (decline.kind === 'held') {
    const attemptsRemaining = attemptsRemainingAfter(counts.declines, dunning)
    return {
      next: { outcome: 'declined', retryAt: null, paymentMethodDeadline: null, counts: null },
      attemptsRemaining
    }
  }
  const isInventory = decline.kind === 'inventory'
  const counter = isInventory ? 'inventoryFailures' : 'declines'
  const ladder = isInventory ? dunning.inventory : dunning
  const failures = counts[counter] + 1
  const attemptsRemaining = attemptsRemainingAfter(failures, ladder)
  const days = ladder.retryAfterDays[failures - 1]
  if (days === undefined) {
    const reason = isInventory ? 'insufficient_inventory' : PAYMENT_FAILED
    const next = { outcome: 'retries_exhausted', counts: counter, ending: ladder.onFailure, reason } as const
    return { next, attemptsRemaining: 0 }
  }
  const held = decline.kind === 'hard'
  return {
    next: {
      outcome: 'declined',
      retryAt: held ? null : inDays(days),
      paymentMethodDeadline: held ? paymentMethodDeadlineFrom(dunning, now, timezone) : null,
      counts: counter
    },
    attemptsRemaining
  }
}

/** Until when a charge waits for a new payment method, on the shop's calendar; null: for as long as it takes. */
export function paymentMethodDeadlineFrom(
  { hardDeclineWaitDays: days }: Pick<DunningSettings, 'hardDeclineWaitDays'>,
  now: Temporal.Instant,
  timezone: string
): Temporal.Instant | null {
  return days === null ? null : now.toZonedDateTimeISO(timezone).add({ days }).toInstant()
}

/** How long after each try of a cycle it is tried again that the platform's contract was not to be billed for. */
const CONTRACT_RETRY_HOURS = [1, 6, 24, 48, 96, 168] as const

/** Whether a cycle that the platform's contract is not to be billed for has been tried as often as it is by itself. */
export const isLastContractRetry = (attemptNumber: number) => attemptNumber > CONTRACT_RETRY_HOURS.length

/**
 * What follows where the platform would not bill the contract. One that stands still there is followed here, which ends the
 * wait; otherwise it stood still for a moment only, or is looked at by somebody: the cycle is not to be missed for that.
 */
export function contractRetryStep(attemptNumber: number, now: Temporal.Instant): DunningStep {
  const hours = CONTRACT_RETRY_HOURS[attemptNumber - 1]
  return {
    next: {
      outcome: 'declined',
      retryAt: hours ? now.add({ hours }) : null,
      paymentMethodDeadline: null,
      counts: null
    },
    attemptsRemaining: Math.max(CONTRACT_RETRY_HOURS.length - attemptNumber + 1, 0)
  }
}

/**
 * The platform calls the cycle paid, and no payment of it is found: it is not charged, and the next one is on its day. A person is
 * told. Holding it would hold every later cycle too.
 */
export const cycleAlreadyPaid: DunningStep = {
  next: { outcome: 'retries_exhausted', counts: null, ending: 'skip', reason: 'already_paid' },
  attemptsRemaining: 0
}

/** Somebody has skipped the cycle on the platform: so it is here. */
export const cycleSkippedOnPlatform: DunningStep = {
  next: { outcome: 'retries_exhausted', counts: null, ending: 'skip', reason: 'billing_cycle_skipped' },
  attemptsRemaining: 0
}

/** How many tries the ladder still has once the cycle has had so many definite declines. */
export function attemptsRemainingAfter(
  declines: number,
  { retryAfterDays }: Pick<RetrySchedule, 'retryAfterDays'>
): number {
  return Math.min(Math.max(retryAfterDays.length - declines + 1, 0), retryAfterDays.length)
}

/** How many tries the ladder has behind one that is under way: the ladder of what failed last. */
export function remainingWhileOpen({ declines, inventoryFailures }: Counts, dunning: DunningSettings): number {
  const isInventory = declines === 0 && inventoryFailures > 0
  const tries = isInventory
    ? dunning.inventory.retryAfterDays.length - inventoryFailures
    : dunning.retryAfterDays.length - declines
  return Math.max(tries, 0)
}
