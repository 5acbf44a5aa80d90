import type { RateLimitStatus } from './rate-limit-status.ts'

/** Thrown when the rate limit of a store is exceeded; each surface answers with 429 in its own shape. */
export class RateLimited extends Error {
  constructor({ limit, window }: Pick<RateLimitStatus, 'limit' | 'window'>) {
    super(`Too many requests: the limit is ${limit} per ${window === 'day' ? 'day (UTC)' : window}`)
  }
}
