import type { PlatformAttempt, PlatformFailure } from '#platform'
import type { Checked, ClaimedAttempt } from './claims.ts'
import { refusalOf } from './decline-codes.ts'
import type { AttemptResult } from './settle-attempts.ts'

/** How long after each look at a pending attempt the next one follows; the platform's webhook mostly comes first. */
const CHECK_AFTER_MINUTES = [10, 60, 360, 1440] as const
/** After so many refusals of the call itself the attempt fails. */
const MOST_REFUSALS = 5

/**
 * What a call came to: an end, or another look later. `never`: it was not sent and is not wanted. `instead`: it is not to
 * charge, since another attempt, whose result it is, has paid the cycle.
 */
export type Answer =
  | { result: AttemptResult }
  | { checked: Checked }
  | { never: ClaimedAttempt }
  | { superseded: ClaimedAttempt; instead: AttemptResult }
  | { result: AttemptResult; foreign: ClaimedAttempt; platformAttemptId: string }

export function answerOf(attempt: ClaimedAttempt, told: PlatformAttempt, now: Temporal.Instant): Answer {
  const result = resultOf(told)
  if (result) return { result: { ...result, idempotencyKey: attempt.idempotencyKey } }
  const { checked } = later(attempt, now)
  return {
    checked: {
      ...checked,
      platformAttemptId: told.id,
      actionUrl: told.nextActionUrl,
      isConfirmed: attempt.isChallenged && told.nextActionUrl === null
    }
  }
}

/** How an attempt of the platform ended; null while it has not. */
export function resultOf(told: PlatformAttempt): AttemptResult | null {
  const ref = { idempotencyKey: told.idempotencyKey, platformAttemptId: told.id }
  if (told.state === 'success')
    return { ...ref, state: 'success', order: told.order, paymentMethod: told.paymentMethod }
  if (told.state === 'failed') {
    return { ...ref, state: 'failed', errorCode: told.errorCode, errorMessage: told.errorMessage }
  }
  return null
}

/**
 * A definite no of the platform to the call itself: nothing was charged. Where it says nothing of contract or cycle, the same
 * call is made again a few times.
 */
export function refused(attempt: ClaimedAttempt, { code, message }: PlatformFailure, now: Temporal.Instant): Answer {
  if (refusalOf(code).code === 'not_accepted' && attempt.refusals + 1 < MOST_REFUSALS) {
    return { checked: { ...later(attempt, now).checked, isRefused: true } }
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

export function later(attempt: ClaimedAttempt, now: Temporal.Instant): { checked: Checked } {
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
