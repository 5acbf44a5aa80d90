import type { RateLimitStatus } from './rate-limit-status.ts'

/** Thrown when a rate limit is exceeded; each surface answers with 429 in its own shape. */
export class RateLimited extends Error {
  constructor(exceeded: Pick<RateLimitStatus, 'limit' | 'window'> | { message: string }, what = 'requests') {
    super('message' in exceeded ? exceeded.message : messageOf(exceeded, what))
  }
}

const messageOf = ({ limit, window }: Pick<RateLimitStatus, 'limit' | 'window'>, what: string) =>
  `Too many ${what}: the limit is ${limit} per ${window === 'day' ? 'day (UTC)' : window}`
