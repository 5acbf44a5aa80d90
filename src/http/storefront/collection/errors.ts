import type { Refusal, RefusalCode } from '#kit/refusal'
import { RateLimited } from '../../rate-limits/rate-limited.ts'

/** Spec 2, Errors: what is missing or invalid in the form is 400. */
const STATUS: Record<RefusalCode, number> = {
  invalid_request: 400,
  authentication_failed: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 400,
  unavailable: 503
}

export function statusOf(refusal: Refusal | RateLimited | null): number {
  if (refusal === null) return 500
  return refusal instanceof RateLimited ? 429 : STATUS[refusal.code]
}

/** The spec does not show the body: it is one text. */
export const errorBody = (refusal: Refusal | RateLimited | null): { error: string } => ({
  error: refusal === null ? 'Something went wrong on our side' : refusal.message
})
