import type { Refusal, RefusalCode } from '#kit/refusal'
import { RateLimited } from '../rate-limits/rate-limited.ts'

/** Spec 2, Errors: what breaks a rule of the Churn API is 403, what cannot be read is 422. */
const STATUS: Record<RefusalCode, number> = {
  invalid_request: 422,
  authentication_failed: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 403,
  unavailable: 503
}

export function statusOf(refusal: Refusal | RateLimited | null): number {
  if (refusal === null) return 500
  return refusal instanceof RateLimited ? 429 : STATUS[refusal.code]
}

/** The spec shows only the 403 of the Churn API, which is `message` alone; a refused field adds `errors`. */
export function errorBody(refusal: Refusal | RateLimited | null): {
  message: string
  errors?: Record<string, string[]>
} {
  if (refusal === null) return { message: 'Something went wrong on our side' }
  if (refusal instanceof RateLimited || refusal.details.length === 0) return { message: refusal.message }
  const byField = Object.groupBy(refusal.details, ({ field }) => field)
  const errors = Object.fromEntries(
    Object.entries(byField).map(([field, problems = []]) => [field, problems.map(({ message }) => message)])
  )
  return { message: refusal.message, errors }
}
