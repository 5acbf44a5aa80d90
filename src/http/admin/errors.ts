import type { Refusal, RefusalCode } from '#kit/refusal'
import { RateLimited } from '../rate-limits/rate-limited.ts'

const STATUS: Record<RefusalCode, number> = {
  invalid_request: 400,
  authentication_failed: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  unavailable: 503
}

export function statusOf(refusal: Refusal | RateLimited | null): number {
  if (refusal === null) return 500
  return refusal instanceof RateLimited ? 429 : STATUS[refusal.code]
}

/** The admin surface says each refusal by its own name. */
export function errorBody(refusal: Refusal | RateLimited | null) {
  if (refusal === null) {
    return { error: { code: 'internal_error', message: 'Something went wrong on our side; the log has more' } }
  }
  if (refusal instanceof RateLimited) return { error: { code: 'rate_limited', message: refusal.message } }
  const { code, message, details } = refusal
  return { error: { code, message, ...(details.length > 0 && { details }) } }
}
