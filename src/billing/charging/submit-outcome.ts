import { isUnreached, type PlatformAttempt, type PlatformFailure } from '#platform'
import { type AttemptResult, resultOf } from '../attempts/attempt-result.ts'
import { refusalOf } from '../dunning/decline-codes.ts'
import type { Checked, ClaimedAttempt } from './claims.ts'

/** Minutes from each check of a pending attempt to the next; the platform's webhook mostly comes first. */
const CHECK_AFTER_MINUTES = [10, 60, 360, 1440] as const
/** Where the platform was not reached: a part of the time since the charge was due, within these minutes. */
const UNREACHED = { part: 1 / 8, minMinutes: 2, maxMinutes: 1440 } as const
/** After so many refusals of the call itself the attempt fails. */
const MAX_REFUSALS = 5

/**
 * The outcome of a call: a result, or another check later. `unsent`: the attempt was never sent and is not wanted. `superseded`:
 * another attempt has paid the cycle, with the result `instead`. `external`: the payment may not be one of ours.
 */
export type SubmitOutcome =
  | { result: AttemptResult }
  | { checked: Checked }
  | { unsent: ClaimedAttempt }
  | { superseded: ClaimedAttempt; instead: AttemptResult }
  | { result: AttemptResult; external: ClaimedAttempt; platformAttemptId: string }

export function outcomeOf(attempt: ClaimedAttempt, reported: PlatformAttempt): SubmitOutcome {
  const result = resultOf(reported)
  if (result) return { result: { ...result, idempotencyKey: attempt.idempotencyKey } }
  const { checked } = checkLater(attempt)
  return {
    checked: {
      ...checked,
      platformAttemptId: reported.id,
      actionUrl: reported.nextActionUrl,
      isConfirmed: attempt.isActionRequired && reported.nextActionUrl === null
    }
  }
}

/**
 * The platform refused the call itself: nothing was charged. A refusal that is about neither the contract nor the cycle is
 * repeated a few times.
 */
export function refusedOutcome(attempt: ClaimedAttempt, { code, message }: PlatformFailure): SubmitOutcome {
  if (refusalOf(code).code === 'not_accepted' && attempt.refusals + 1 < MAX_REFUSALS) {
    return { checked: { ...checkLater(attempt).checked, isRefused: true } }
  }
  return {
    result: {
      idempotencyKey: attempt.idempotencyKey,
      platformAttemptId: null,
      state: 'failed',
      errorCode: code ?? null,
      errorMessage: message,
      isRefusal: true
    }
  }
}

/**
 * What follows where the platform did not do what was asked. Where it was not reached, nothing was done, or only a search failed,
 * and the same is asked again soon. Where the outcome of a charge is unknown it is searched for, at growing intervals.
 */
export function outcomeOfFailure(
  attempt: ClaimedAttempt,
  failure: PlatformFailure,
  now: Temporal.Instant
): { checked: Checked } {
  return isUnreached(failure) ? checkSoon(attempt, now) : checkLater(attempt)
}

export function checkLater(attempt: ClaimedAttempt): { checked: Checked } {
  const minutes = CHECK_AFTER_MINUTES[Math.min(attempt.checks, CHECK_AFTER_MINUTES.length - 1)]!
  return checkAfter(attempt, 60 * minutes)
}

/**
 * Asks again after an eighth of the time that the charge has waited, at most a day: what an outage held up is charged soon after
 * it, in proportion. At random within the second half of that time, so that what has waited does not come back at once. `now`:
 * when the attempt was claimed.
 */
export function checkSoon(attempt: ClaimedAttempt, now: Temporal.Instant): { checked: Checked } {
  const { part, minMinutes, maxMinutes } = UNREACHED
  const waited = attempt.scheduledAt.until(now).total('minutes')
  const minutes = Math.min(Math.max(waited * part, minMinutes), maxMinutes)
  const seconds = Math.ceil(60 * minutes * (0.5 + Math.random() / 2))
  return checkAfter(attempt, seconds, true)
}

/** Whoever goes on with the work of the store asks at once: it was left while that was being ended. */
export const checkAtOnce = (attempt: ClaimedAttempt): { checked: Checked } => checkAfter(attempt, 0, true)

function checkAfter(attempt: ClaimedAttempt, afterSeconds: number, isUnreached = false): { checked: Checked } {
  return {
    checked: {
      id: attempt.id,
      idempotencyKey: attempt.idempotencyKey,
      leaseToken: attempt.leaseToken,
      afterSeconds,
      platformAttemptId: null,
      actionUrl: null,
      isConfirmed: false,
      isRefused: false,
      isUnreached
    }
  }
}
