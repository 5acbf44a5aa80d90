/**
 * Why the platform did not do what we asked.
 * - `unavailable`: no usable answer (time-out, reset, 5xx, 429, no JSON), or an error of the whole request. It says nothing
 *   about what was asked: try again later.
 * - `throttled`: our cost budget is used up, and waiting for it would take too long. Nothing was executed.
 * - `unauthorized`: the access token or one of its scopes is missing or withdrawn.
 * - `rejected`: a definite refusal of what was asked, by a userError with the platform's own reason; or, for the price of a
 *   contract, its answers show that the price cannot be reached. Nothing was done, and the same request will fail again.
 */
export type PlatformFailure = {
  kind: 'unavailable' | 'throttled' | 'unauthorized' | 'rejected'
  message: string
  /** The platform's code in lower case (`contract_paused`), where it gave one. New ones may appear at any time. */
  code?: string
  /** The input field that the platform objects to, as `input.price`. */
  field?: string
  retryAfterMs?: number
  /** The mutation was sent and may have been executed: repeat it only with the same idempotency key, or check first. */
  outcomeUnknown?: true
}

/** Failures of the platform are outcomes to store, not exceptions. */
export type PlatformResult<T> = { ok: true; value: T } | { ok: false; failure: PlatformFailure }

export function succeeded<T>(value: T): PlatformResult<T> {
  return { ok: true, value }
}

export function failed(failure: PlatformFailure): { ok: false; failure: PlatformFailure } {
  return { ok: false, failure }
}

/** The code of an answer that does not have the shape which the API promises. Asking for fewer things may leave the bad one out. */
export const UNREADABLE_RESPONSE = 'not_understood'

/** The code of an answer which says that our document does not fit the platform's schema, whatever exactly does not fit. */
export const INVALID_DOCUMENT = 'graphql_validation_failed'

/** Codes of answers that a mere repetition does not change: something in the request, or in what we may read, has to. */
const OF_THE_REQUEST = new Set([
  UNREADABLE_RESPONSE,
  'access_denied',
  'bad_request',
  'currency_code_invalid',
  'invalid_variable',
  'max_cost_exceeded',
  'max_input_size_exceeded',
  'resource_not_found',
  'graphql_parse_failed',
  INVALID_DOCUMENT
])

/** Whether the answer was about what was asked: to ask for the same again gives the same, to ask for less may not. */
export const isAboutRequest = ({ kind, code }: PlatformFailure): boolean =>
  kind === 'rejected' || OF_THE_REQUEST.has(code ?? '')

/**
 * Whether nothing was done because the platform was not reached, had no room, or did not take the access token: the same call will
 * do when that has passed. Not where a mutation may have been executed, nor where the answer was about what was asked.
 */
export function isUnreached(failure: PlatformFailure): boolean {
  return !failure.outcomeUnknown && !isAboutRequest(failure)
}

/** A failure of the platform where an answer was needed. */
export class PlatformCallFailed extends Error {
  readonly failure: PlatformFailure

  constructor(failure: PlatformFailure) {
    super(`The platform did not answer (${failure.kind}): ${failure.message}`)
    this.name = 'PlatformCallFailed'
    this.failure = failure
  }
}

/** The value of a result. Throws PlatformCallFailed, for callers that can only try again later. */
export function unwrap<T>(result: PlatformResult<T>): T {
  if (!result.ok) throw new PlatformCallFailed(result.failure)
  return result.value
}
