import { daysAfter } from '#kit/clock'
import type { Subscription } from '#subscriptions'
import type { CycleResult, DeclineCounter } from '#subscriptions/for-billing'
import { PAYMENT_FAILED } from '#subscriptions/transitions'
import type { Attempt } from '../attempts/attempt.ts'
import type { DunningSettings } from '../settings.ts'
import { type Decline, isBeyondCards } from './decline-codes.ts'
import { CONTRACT_RETRY_HOURS, remainingWithRetry, retryDaysAfter } from './retry-schedule.ts'

/** What follows a failed charge: for its cycle, and how many automatic tries are still to come; 0 where none is scheduled. */
export type DunningStep = { next: CycleNext; attemptsRemaining: number }

export type CycleNext = CycleResult extends infer R
  ? R extends { outcome: 'declined' | 'retries_exhausted' }
    ? Omit<R, 'subscriptionId' | 'cycle'>
    : never
  : never

type Counts = Pick<Subscription, DeclineCounter>

/** The store's settings, and the time zone that days are counted in. */
export type DunningRules = { dunning: DunningSettings; timezone: string }

/**
 * What follows the decline of an attempt. After a manual attempt the retry schedule stays where it was, and goes on with the
 * retry that waited, unless the card turns out to be dead or no card can pay the order. A payment method that arrived during the
 * attempt is tried at once, whatever the schedule says, unless no payment method helps.
 */
export function dunningStepAfter(
  attempt: Attempt,
  decline: Decline,
  subscription: Subscription,
  { dunning, timezone }: DunningRules,
  now: Temporal.Instant
): DunningStep {
  if (decline.declineCode === 'billing_cycle_skipped') return cycleSkippedOnPlatform
  if (decline.code === 'already_paid') return cycleAlreadyPaid
  const { declines } = subscription
  // A manual attempt without a retry or a decline behind it counts like any other.
  // An order that no card can pay is held in any case.
  const isBeside =
    attempt.manual && decline.code !== 'invalid_order' && (attempt.ladderRetryAt !== null || declines > 0)
  const step = isBeside
    ? stepBeside(attempt, decline, subscription, dunning, now, timezone)
    : decline.code === 'contract_not_billable'
      ? contractRetryStep(attempt.attemptNumber, now)
      : nextDunningStep(subscription, decline, dunning, now, timezone)
  if (!attempt.newPaymentMethod || isBeyondCards(decline.code)) return step
  const { counts } = step.next
  const failed = counts === 'declines' ? { ...subscription, declines: declines + 1 } : subscription
  return {
    next: { outcome: 'declined', retryAt: now, paymentMethodDeadline: null, counts },
    attemptsRemaining: remainingWithRetry(failed, dunning)
  }
}

/** After a manual attempt: nothing is counted. */
function stepBeside(
  { ladderRetryAt }: Attempt,
  decline: Decline,
  failed: Counts,
  dunning: DunningSettings,
  now: Temporal.Instant,
  timezone: string
): DunningStep {
  const retryAt = decline.kind === 'hard' || ladderRetryAt === null ? null : latest(ladderRetryAt, now)
  // A charge that waited for a new payment method waits again, with a deadline.
  const paymentMethodDeadline = retryAt === null ? paymentMethodDeadlineFrom(dunning, now, timezone) : null
  return {
    next: { outcome: 'declined', retryAt, paymentMethodDeadline, counts: null },
    attemptsRemaining: retryAt === null ? 0 : remainingWithRetry(failed, dunning)
  }
}

const latest = (a: Temporal.Instant, b: Temporal.Instant) => (Temporal.Instant.compare(a, b) > 0 ? a : b)

/**
 * What follows a definite failure of a cycle that had failed as often as `counts` says: the next retry of its schedule on the
 * shop's calendar, a hold for a new payment method, a hold for a person, or the end.
 */
export function nextDunningStep(
  counts: Counts,
  decline: Decline,
  dunning: DunningSettings,
  now: Temporal.Instant,
  timezone: string
): DunningStep {
  const inDays = (days: number) => daysAfter(now, days, timezone)
  if (decline.kind === 'held') {
    return {
      next: { outcome: 'declined', retryAt: null, paymentMethodDeadline: null, counts: null },
      attemptsRemaining: 0
    }
  }
  const isInventory = decline.kind === 'inventory'
  const counter = isInventory ? 'inventoryFailures' : 'declines'
  const schedule = isInventory ? dunning.inventory : dunning
  const failures = counts[counter] + 1
  const days = retryDaysAfter(schedule, failures)
  if (days === undefined) {
    const reason = isInventory ? 'insufficient_inventory' : PAYMENT_FAILED
    const next = { outcome: 'retries_exhausted', counts: counter, ending: schedule.onFailure, reason } as const
    return { next, attemptsRemaining: 0 }
  }
  const isHeld = decline.kind === 'hard'
  return {
    next: {
      outcome: 'declined',
      retryAt: isHeld ? null : inDays(days),
      paymentMethodDeadline: isHeld ? paymentMethodDeadlineFrom(dunning, now, timezone) : null,
      counts: counter
    },
    attemptsRemaining: isHeld ? 0 : schedule.retryAfterDays.length - failures + 1
  }
}

/** Until when a charge waits for a new payment method, on the shop's calendar; null: without an end. */
function paymentMethodDeadlineFrom(
  { hardDeclineWaitDays: days }: Pick<DunningSettings, 'hardDeclineWaitDays'>,
  now: Temporal.Instant,
  timezone: string
): Temporal.Instant | null {
  return days === null ? null : daysAfter(now, days, timezone)
}

/**
 * What follows where the platform did not bill the contract. A contract that is paused there is paused here too, which ends the
 * wait. Otherwise it was paused for a moment only, or needs a person: the cycle must not be missed for that.
 */
function contractRetryStep(attemptNumber: number, now: Temporal.Instant): DunningStep {
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
 * The platform calls the cycle paid, and no payment of it is found: it is not charged, the next cycle keeps its date, and an
 * alert is sent. Holding this cycle would hold every later one too.
 */
const cycleAlreadyPaid: DunningStep = {
  next: { outcome: 'retries_exhausted', counts: null, ending: 'skip', reason: 'already_paid' },
  attemptsRemaining: 0
}

/** Someone has skipped the cycle on the platform, so it is skipped here. */
const cycleSkippedOnPlatform: DunningStep = {
  next: { outcome: 'retries_exhausted', counts: null, ending: 'skip', reason: 'billing_cycle_skipped' },
  attemptsRemaining: 0
}
