/** The result for one request, with the numbers of the window that has fewer requests left. */
export type RateLimitStatus = {
  admitted: boolean
  window: 'minute' | 'day'
  limit: number
  remaining: number
  /** When that window ends, Unix seconds. */
  resetAt: number
  /** Seconds until a request can be admitted again; for a refused one. */
  retryAfter: number
}

/** The headers that describe the rate limit in a response. */
export function rateLimitHeaders({
  admitted,
  limit,
  remaining,
  resetAt,
  retryAfter
}: RateLimitStatus): Record<string, number> {
  return {
    'x-ratelimit-limit': limit,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': resetAt,
    ...(!admitted && { 'retry-after': retryAfter })
  }
}
