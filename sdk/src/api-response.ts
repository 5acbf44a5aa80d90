import type { components } from './openapi.ts'

export type Meta = components['schemas']['Meta']

/** The rate limit of the window (minute or day) with fewer requests left. */
export type RateLimit = { limit: number; remaining: number; resetsAt: Date }

/** The metadata of every response. */
export type ResponseFacts = {
  status: number
  /** `X-Request-Id` of the response. */
  requestId: string | null
  rateLimit: RateLimit | null
  /** Whether this is the stored response of the same idempotency key; the write was not repeated. */
  isReplayed: boolean
  headers: Headers
}

/** A response: the object or the list, its page, and its metadata. */
export type ApiResponse<Data> = ResponseFacts & { data: Data; meta: Meta }

export function factsOf({ status, headers }: Response): ResponseFacts {
  return {
    status,
    requestId: headers.get('x-request-id'),
    rateLimit: rateLimitOf(headers),
    isReplayed: headers.get('idempotent-replayed') === 'true',
    headers
  }
}

function rateLimitOf(headers: Headers): RateLimit | null {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => {
    const value = headers.get(`x-ratelimit-${name}`)
    return value === null || value === '' ? Number.NaN : Number(value)
  }) as [number, number, number]
  if ([limit, remaining, reset].some(Number.isNaN)) return null
  return { limit, remaining, resetsAt: new Date(reset * 1000) }
}
