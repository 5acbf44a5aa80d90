import type { RateLimit, ResponseFacts } from './api-response.ts'
import type { components } from './openapi.ts'

type ErrorBody = components['schemas']['Error']['error']
export type ErrorCode = ErrorBody['code'] | 'unexpected_response'
/** One error of a request: the parameter, field or header (`body` for all of it), what kind of error, and what is accepted. */
export type FieldProblem = NonNullable<ErrorBody['details']>[number]

/** The base class of all errors of this package. */
export class PerennialError extends Error {
  override name = 'PerennialError'
}

/** The service returned an error. Branch on the class or on `code`; the message is for people. */
export class ApiError extends PerennialError {
  override name = 'ApiError'
  readonly status: number
  readonly code: ErrorCode
  /** Quote it in questions to the operator. */
  readonly requestId: string | null
  readonly rateLimit: RateLimit | null
  readonly headers: Headers

  constructor(message: string, code: ErrorCode, { status, requestId, rateLimit, headers }: ResponseFacts) {
    super(message)
    this.status = status
    this.code = code
    this.requestId = requestId
    this.rateLimit = rateLimit
    this.headers = headers
  }
}

/** 400: the request is invalid, or not possible in the current state, which the message names. */
export class InvalidRequestError extends ApiError {
  override name = 'InvalidRequestError'
  /** Each field at fault; empty when none is. */
  readonly details: FieldProblem[]

  constructor(message: string, details: FieldProblem[], facts: ResponseFacts) {
    super(message, 'invalid_request', facts)
    this.details = details
  }
}

/** 401: the key is missing, wrong or revoked. */
export class AuthenticationError extends ApiError {
  override name = 'AuthenticationError'
}

/** 403: the key lacks the scope that the message names. */
export class ForbiddenError extends ApiError {
  override name = 'ForbiddenError'
}

/** 404: the store of the key has no such object. */
export class NotFoundError extends ApiError {
  override name = 'NotFoundError'
}

/** 429: the rate limit of a minute or a day is exceeded, and the wait would pass the deadline. */
export class RateLimitedError extends ApiError {
  override name = 'RateLimitedError'
  readonly retryAfterSeconds: number | null

  constructor(message: string, retryAfterSeconds: number | null, facts: ResponseFacts) {
    super(message, 'rate_limited', facts)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** 5xx, from the service or from a proxy in front of it. */
export class InternalError extends ApiError {
  override name = 'InternalError'
}

/** There was no response: name resolution, connection or transfer failed. `cause` has the error of fetch. */
export class ConnectionError extends PerennialError {
  override name = 'ConnectionError'
}

/** There was no complete response in time. */
export class TimeoutError extends PerennialError {
  override name = 'TimeoutError'
}

/** The error of a response other than 2xx, whatever its body is. */
export function errorOf(body: unknown, facts: ResponseFacts & { retryAfterMs: number | null }): ApiError {
  const { status, retryAfterMs } = facts
  const reported = errorBodyIn(body)
  const message = reported?.message ?? `The service returned status ${status} without an error body`
  if (status === 400) return new InvalidRequestError(message, reported?.details ?? [], facts)
  if (status === 401) return new AuthenticationError(message, 'authentication_failed', facts)
  if (status === 403) return new ForbiddenError(message, 'forbidden', facts)
  if (status === 404) return new NotFoundError(message, 'not_found', facts)
  if (status === 429) {
    return new RateLimitedError(message, retryAfterMs === null ? null : Math.ceil(retryAfterMs / 1000), facts)
  }
  if (status >= 500) return new InternalError(message, 'internal_error', facts)
  return new ApiError(message, reported?.code ?? 'unexpected_response', facts)
}

/** A proxy's error need not have our format. */
function errorBodyIn(body: unknown): ErrorBody | null {
  const { error } = (typeof body === 'object' && body !== null ? body : {}) as { error?: Partial<ErrorBody> }
  return typeof error?.code === 'string' && typeof error.message === 'string' ? (error as ErrorBody) : null
}
