import type { PlatformAttempt, PlatformOrder, PlatformPaymentMethod } from '#platform'

/** How an attempt ended, as the platform reported it. */
export type AttemptResult = {
  idempotencyKey: string
  platformAttemptId: string | null
  /** Of an attempt that was read from the platform: its contract, and the time that it is for. */
  of?: AttemptOrigin
} & (
  | {
      state: 'success'
      order: PlatformOrder | null
      paymentMethod: PlatformPaymentMethod | null
      /** The platform calls it failed now, but its order shows that it was paid. */
      isReversed?: boolean
    }
  | {
      state: 'failed'
      errorCode: string | null
      errorMessage: string | null
      /** The platform refused the call itself with this code: it has no such attempt. */
      isRefusal?: boolean
      /** Of a cycle that is `already_paid`: its payment was searched for and not found. */
      isPaymentSearched?: boolean
    }
)

type AttemptOrigin = {
  contractId: string
  /** The time within its cycle that the attempt is for. */
  originAt: Temporal.Instant
  createdAt: Temporal.Instant
}

/** A success with the platform's id of its attempt. */
export type Payment = Extract<AttemptResult, { state: 'success' }> & { platformAttemptId: string }

/** Those of the results that are successes and have the platform's id. */
export const paymentsOf = (results: AttemptResult[]): Payment[] =>
  results.flatMap((result) => {
    const { platformAttemptId } = result
    return result.state === 'success' && platformAttemptId !== null ? { ...result, platformAttemptId } : []
  })

/** A success that was read from the platform. */
export type ReportedPayment = Extract<AttemptResult, { state: 'success' }> & {
  of: AttemptOrigin
  platformAttemptId: string
}

/** How an attempt of the platform ended; null while it has not. */
export function resultOf(reported: PlatformAttempt): AttemptResult | null {
  const { contractId, createdAt } = reported
  const of = { contractId, createdAt, originAt: reported.originAt ?? createdAt }
  const ref = { idempotencyKey: reported.idempotencyKey, platformAttemptId: reported.id, of }
  if (reported.state === 'success') {
    const { order, paymentMethod, isReversed = false } = reported
    return { ...ref, state: 'success', order, paymentMethod, isReversed }
  }
  if (reported.state === 'failed') {
    return { ...ref, state: 'failed', errorCode: reported.errorCode, errorMessage: reported.errorMessage }
  }
  return null
}
