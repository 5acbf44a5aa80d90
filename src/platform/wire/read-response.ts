import { parseStorableJson } from '#kit/storable-json'
import type { ThrottleStatus } from './cost-budget.ts'
import { Fields, MalformedPayload } from './fields.ts'
import { INVALID_DOCUMENT, type PlatformFailure } from './outcome.ts'
import type { Exchange } from './transport.ts'
import { isAccessDenied, pathOf, type WithheldField, withheldFields } from './withheld.ts'

/** A GraphQL response: either its failure or its `data`, and its cost where the platform states it. */
export type ReadResponse = {
  failure?: PlatformFailure
  data?: unknown
  /** What `data` does not have because we may not read it. */
  withheld?: WithheldField[]
  requestedCost?: number
  throttleStatus?: ThrottleStatus
}

/** Sorts what came back from one POST: data, or one of the kinds of `PlatformFailure`. */
export function readResponse(exchange: Exchange, mutation: boolean): ReadResponse {
  if (!exchange.answered) {
    return { failure: noUsableResponse(`The platform ${exchange.message}`, mutation && exchange.sent) }
  }
  const { status, body, retryAfterMs } = exchange
  if (status === 401 || status === 403) {
    const message = `The platform answered ${status} to the access token`
    return { failure: { kind: 'unauthorized', message, code: `${status}` } }
  }
  if (status !== 200) {
    // 429 and the rest of 4xx come before anything is executed; a 408 or 5xx can come from a gateway after it.
    const mayBeExecuted = mutation && (status >= 500 || status === 408)
    const failure = noUsableResponse(`The platform answered ${status}`, mayBeExecuted)
    return { failure: { ...failure, code: `${status}`, ...(retryAfterMs ? { retryAfterMs } : {}) } }
  }
  try {
    return readGraphql(new Fields(parseStorableJson(body), 'answer'), mutation)
  } catch (err) {
    if (!(err instanceof SyntaxError || err instanceof MalformedPayload)) throw err
    return { failure: noUsableResponse('The platform answered 200 with something that is no GraphQL answer', mutation) }
  }
}

/** A failure without a definite answer; after a mutation it is then unknown whether it was executed. */
export function noUsableResponse(message: string, mayBeExecuted: boolean): PlatformFailure {
  return { kind: 'unavailable', message, ...(mayBeExecuted ? { outcomeUnknown: true } : {}) }
}

export function throttled(retryAfterMs: number): PlatformFailure {
  return { kind: 'throttled', message: 'The cost budget of the platform is used up', code: 'throttled', retryAfterMs }
}

/** Whether the platform had no points, or no patience, for the call. */
export function isThrottled({ failure }: ReadResponse): boolean {
  return failure?.kind === 'throttled' || failure?.code === '429'
}

/** The first of a mutation's userErrors. Some mutations report an empty cost budget here. */
export function rejection(error: Fields): PlatformFailure {
  const code = error.maybeText('code')?.toLowerCase()
  const field = error.has('field') ? error.texts('field').join('.') : undefined
  return {
    kind: code === 'throttled' ? 'throttled' : 'rejected',
    message: error.text('message'),
    ...(code ? { code } : {}),
    ...(field ? { field } : {})
  }
}

function readGraphql(response: Fields, mutation: boolean): ReadResponse {
  const cost = response.maybeAt('extensions')?.maybeAt('cost')
  const status = cost?.maybeAt('throttleStatus')
  const read: ReadResponse = {}
  if (cost?.has('requestedQueryCost')) read.requestedCost = cost.int('requestedQueryCost')
  if (status) {
    read.throttleStatus = {
      maximumAvailable: status.number('maximumAvailable'),
      currentlyAvailable: status.number('currentlyAvailable'),
      restoreRate: status.number('restoreRate')
    }
  }
  const errors = response.maybeList('errors')
  if (errors.length === 0) return { ...read, data: response.raw('data') }
  const withheld = withheldFields(errors)
  if (withheld && hasContent(response)) return { ...read, data: response.raw('data'), withheld }
  // An error that is not about access says more of what happened.
  const error = errors.find((one) => !isAccessDenied(one)) ?? errors[0]!
  return { ...read, failure: failureOf(error, mutation) }
}

/** Whether anything of the response came: an error below a field that may not be null takes away what is around it. */
function hasContent(response: Fields): boolean {
  const data = response.maybeAt('data')
  return data?.keys().some((key) => data.has(key)) ?? false
}

// Codes that the platform gives before it executes anything.
const NOT_EXECUTED = new Set([
  'BAD_REQUEST',
  'CURRENCY_CODE_INVALID',
  'INVALID_VARIABLE',
  'MAX_COST_EXCEEDED',
  'MAX_INPUT_SIZE_EXCEEDED',
  'RESOURCE_NOT_FOUND',
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED'
])

/**
 * An error of the whole request: either our request is wrong or the platform has an internal problem. It never says that a
 * charge was declined, so it is not `rejected`. An error without a known code may have come after the effect.
 */
function failureOf(error: Fields, mutation: boolean): PlatformFailure {
  const message = error.text('message')
  const code = error.maybeAt('extensions')?.maybeText('code') ?? ''
  if (code === 'THROTTLED') return throttled(0)
  if (code === 'ACCESS_DENIED') {
    // Below the root it concerns what was to be read of an effect that has taken place.
    const isAfterEffect = mutation && pathOf(error).length > 1
    if (isAfterEffect) return { ...noUsableResponse(message, true), code: 'access_denied' }
    return { kind: 'unauthorized', message, code: 'access_denied' }
  }
  // Those of static validation are in camelCase, and there are many: undefinedField, argumentNotAccepted, …
  if (/^[a-z]/.test(code)) return { ...noUsableResponse(message, false), code: INVALID_DOCUMENT }
  const mayBeExecuted = mutation && !NOT_EXECUTED.has(code)
  return { ...noUsableResponse(message, mayBeExecuted), ...(code ? { code: code.toLowerCase() } : {}) }
}
