import type { components } from './schema.ts'

type ErrorBody = components['schemas']['Error']['error']
export type FieldError = NonNullable<ErrorBody['details']>[number]

/** A request that was refused, in the words of the service. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly details: FieldError[]
  readonly requestId: string | null
  /** What signing in was refused for, by which the interface has a sentence; null elsewhere. */
  readonly reason: string | null

  constructor(response: Response, body: unknown) {
    const { code, message, details, reason } = errorOf(body)
    super(message ?? `${response.status} ${response.statusText}`.trim())
    this.name = 'ApiError'
    this.status = response.status
    this.code = code ?? 'internal_error'
    this.details = details ?? []
    this.reason = reason ?? null
    this.requestId = response.headers.get('x-request-id')
  }
}

/** In place of something that there is not: for `catch`. */
export function ifNone(err: unknown): null {
  if (err instanceof ApiError && err.status === 404) return null
  throw err
}

/** What the browser refused before the service was asked, in words of the interface. */
export class BrowserRefusal extends Error {
  override readonly name = 'BrowserRefusal'
}

/** A request without an answer: the service is not running, is starting, or cannot be reached. */
export class ServiceUnreachable extends Error {
  constructor(cause?: unknown) {
    super('The service does not answer', { cause })
    this.name = 'ServiceUnreachable'
  }
}

/** What is in front of the service may answer in any shape. */
function errorOf(body: unknown): Partial<ErrorBody & { reason: string }> {
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : null
  return typeof error === 'object' && error !== null ? error : {}
}
