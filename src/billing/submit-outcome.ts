import type { PlatformAttempt, PlatformFailure } from '#platform'
import type { Checked, ClaimedAttempt } from './claims.ts'
import { refusalOf } from './decline-codes.ts'
import type { AttemptResult } from './settle-attempts.ts'

/** How long after each look at a pending attempt the next one follows; the platform's webhook mostly comes first. */
const CHECK_AFTER_MINUTES = [10, 60, 360, 1440] as const
/** After so many refusals of the call itself the attempt fails. */
const MAX_REFUSALS = 5

/**
 * What a call came to: an end, or another look later. `unsent`: it was not sent and is not wanted. `instead`: it is not to
 * charge, since another attempt, whose result it is, has paid the cycle.
 */
export type SubmitOutcome =
  | { result: AttemptResult }
  | { checked: Checked }
  | { unsent: ClaimedAttempt }
  | { superseded: ClaimedAttempt; instead: AttemptResult }
  | { result: AttemptResult; external: ClaimedAttempt; platformAttemptId: string }

export function outcomeOf(attempt: ClaimedAttempt, reported: PlatformAttempt, now: Temporal.Instant): SubmitOutcome {
  const result = resultOf(reported)
  if (result) return { result: { ...result, idempotencyKey: attempt.idempotencyKey } }
  const { checked } = checkLater(attempt, now)
  return {
    checked: {
      ...checked,
      platformAttemptId: reported.id,
      actionUrl: reported.nextActionUrl,
      isConfirmed: attempt.isActionRequired && reported.nextActionUrl === null
    }
  }
}

/** How an attempt of the platform ended; null while it has not. */
export function resultOf(reported: PlatformAttempt): AttemptResult | null {
  const ref = { idempotencyKey: reported.idempotencyKey, platformAttemptId: reported.id }
  if (reported.state === 'success')
    return { ...ref, state: 'success', order: reported.order, paymentMethod: reported.paymentMethod }
  if (reported.state === 'failed') {
    return { ...ref, state: 'failed', errorCode: reported.errorCode, errorMessage: reported.errorMessage }
  }
  return null
}

/**
 * A definite no of the platform to the call itself: nothing was charged. Where it says nothing of contract or cycle, the same
 * call is made again a few times.
 */
export function refusedOutcome(
  attempt: ClaimedAttempt,
  { code, message }: PlatformFailure,
  now: Temporal.Instant
): SubmitOutcome {
  if (refusalOf(code).code === 'not_accepted' && attempt.refusals + 1 < MAX_REFUSALS) {
    return { checked: { ...checkLater(attempt, now).checked, isRefused: true } }
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

export function checkLater(attempt: ClaimedAttempt, now: Temporal.Instant): { checked: Checked } {
  const minutes = CHECK_AFTER_MINUTES[Math.min(attempt.checks, CHECK_AFTER_MINUTES.length) - 1]!
  return {
    checked: {
      id: attempt.id,
      idempotencyKey: attempt.idempotencyKey,
      leaseToken: attempt.leaseToken,
      checkAt: now.add({ minutes }),
      platformAttemptId: null,
      actionUrl: null,
      isConfirmed: false,
      isRefused: false
    }
  }
}
