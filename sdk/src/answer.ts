import type { components } from './openapi.ts'

export type Meta = components['schemas']['Meta']

/** The budget of the window, minute or day, that has fewer requests left. */
export type RateLimit = { limit: number; remaining: number; resetsAt: Date }

/** What comes with every answer, whatever it says. */
export type AnswerFacts = {
  status: number
  /** `X-Request-Id`: names the answer. */
  requestId: string | null
  rateLimit: RateLimit | null
  /** Whether it is the answer that was kept under the same idempotency key: nothing was done again. */
  isReplayed: boolean
  headers: Headers
}

/** A whole answer: the object or the list, its place in the list, and what came with it. */
export type Answer<Data> = AnswerFacts & { data: Data; meta: Meta }

export function factsOf({ status, headers }: Response): AnswerFacts {
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
