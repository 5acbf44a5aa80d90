import type { AnswerFacts, RateLimit } from './answer.ts'
import type { components } from './openapi.ts'

type ErrorBody = components['schemas']['Error']['error']
export type ErrorCode = ErrorBody['code'] | 'unexpected_answer'
/** One thing that is wrong with a request: the parameter, field or header, and what it takes. */
export type FieldProblem = NonNullable<ErrorBody['details']>[number]

/** Everything that this package throws of its own accord is one of these. */
export class PerennialError extends Error {
  override name = 'PerennialError'
}

/** The service answered, and said no. Branch on the class or on `code`; the message is for people. */
export class ApiError extends PerennialError {
  override name = 'ApiError'
  readonly status: number
  readonly code: ErrorCode
  /** Quote it when you ask the operator about this answer. */
  readonly requestId: string | null
  readonly rateLimit: RateLimit | null
  readonly headers: Headers

  constructor(message: string, code: ErrorCode, { status, requestId, rateLimit, headers }: AnswerFacts) {
    super(message)
    this.status = status
    this.code = code
    this.requestId = requestId
    this.rateLimit = rateLimit
    this.headers = headers
  }
}

/** 400: something is malformed, or not possible in the present state, which the message names. */
export class InvalidRequestError extends ApiError {
  override name = 'InvalidRequestError'
  /** Each thing that is wrong when it is more than one; of a single one the message tells. */
  readonly details: FieldProblem[]

  constructor(message: string, details: FieldProblem[], facts: AnswerFacts) {
    super(message, 'invalid_request', facts)
    this.details = details
  }
}

/** 401: no key, a wrong one, or one that was revoked. */
export class AuthenticationError extends ApiError {
  override name = 'AuthenticationError'
}

/** 403: the key lacks the scope that the message names. */
export class ForbiddenError extends ApiError {
  override name = 'ForbiddenError'
}

/** 404: no such object in the store of the key. */
export class NotFoundError extends ApiError {
  override name = 'NotFoundError'
}

/** 429: the budget of a minute or a day is used up, and waiting for the next one was not possible in time. */
export class RateLimitedError extends ApiError {
  override name = 'RateLimitedError'
  readonly retryAfterSeconds: number | null

  constructor(message: string, retryAfterSeconds: number | null, facts: AnswerFacts) {
    super(message, 'rate_limited', facts)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** 5xx, from the service or from a proxy before it. */
export class InternalError extends ApiError {
  override name = 'InternalError'
}

/** No answer came: the name, the connection or the transfer failed. `cause` has what fetch told. */
export class ConnectionError extends PerennialError {
  override name = 'ConnectionError'
}

/** No whole answer came in time. */
export class TimeoutError extends PerennialError {
  override name = 'TimeoutError'
}

/** The error of an answer that is none of 2xx, from whatever its body holds. */
export function errorOf(body: unknown, facts: AnswerFacts & { retryAfterMs: number | null }): ApiError {
  const { status, retryAfterMs } = facts
  const reported = errorBodyIn(body)
  const message = reported?.message ?? `The service answered with status ${status} and no error of its own`
  if (status === 400) return new InvalidRequestError(message, reported?.details ?? [], facts)
  if (status === 401) return new AuthenticationError(message, 'authentication_failed', facts)
  if (status === 403) return new ForbiddenError(message, 'forbidden', facts)
  if (status === 404) return new NotFoundError(message, 'not_found', facts)
  if (status === 429) {
    return new RateLimitedError(message, retryAfterMs === null ? null : Math.ceil(retryAfterMs / 1000), facts)
  }
  if (status >= 500) return new InternalError(message, 'internal_error', facts)
  return new ApiError(message, reported?.code ?? 'unexpected_answer', facts)
}

/** A proxy's answer need not be an error in our shape. */
function errorBodyIn(body: unknown): ErrorBody | null {
  const { error } = (typeof body === 'object' && body !== null ? body : {}) as { error?: Partial<ErrorBody> }
  return typeof error?.code === 'string' && typeof error.message === 'string' ? (error as ErrorBody) : null
}
