import { Busy, type FieldProblem, type Refusal, type RefusalCode } from '#kit/refusal'
import { RateLimited } from '../rate-limits/rate-limited.ts'

/** Spec 1, Errors, has six codes. Refusals with another code use one of the six. */
const ANSWERS: Record<RefusalCode, { status: number; code: string }> = {
  invalid_request: { status: 400, code: 'invalid_request' },
  authentication_failed: { status: 401, code: 'authentication_failed' },
  forbidden: { status: 403, code: 'forbidden' },
  not_found: { status: 404, code: 'not_found' },
  conflict: { status: 400, code: 'invalid_request' },
  unavailable: { status: 500, code: 'internal_error' }
}

type Answerable = Pick<Refusal, 'code' | 'message'> & { details?: FieldProblem[] }

export function statusOf(refusal: Answerable | RateLimited | null): number {
  if (refusal === null) return 500
  if (refusal instanceof Busy) return 503
  return refusal instanceof RateLimited ? 429 : ANSWERS[refusal.code].status
}

/** The error body of the direct API. Null is a bug of ours, which is answered without detail. */
export function errorBody(refusal: Answerable | RateLimited | null) {
  if (refusal === null) return { error: { code: 'internal_error', message: 'Something went wrong on our side' } }
  if (refusal instanceof RateLimited) return { error: { code: 'rate_limited', message: refusal.message } }
  const { code, message, details = [] } = refusal
  return { error: { code: ANSWERS[code].code, message, ...(details.length > 0 && { details }) } }
}
