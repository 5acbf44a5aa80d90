/** What may go away by itself: a full budget, a fault, an upgrade, a proxy that lost its service. */
const PASSING = new Set([408, 429, 500, 502, 503, 504])

export const mayPass = (status: number): boolean => PASSING.has(status)

const FIRST_BACKOFF_MS = 500
const LONGEST_BACKOFF_MS = 8_000

/**
 * How long to wait before the next try. Back-off doubles, with full jitter, so that clients which failed together do not
 * come back together; what the service asked for is waited for on top.
 */
export function waitMs(retriesDone: number, askedMs: number | null, random: () => number): number {
  return (askedMs ?? 0) + random() * Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** retriesDone)
}

/** For how long an answer asks its caller to stay away: `Retry-After`, else the end of a used-up window. */
export function retryAfterMs({ status, headers }: Response, nowMs: number): number | null {
  // Ends are instants of the service's clock; the caller's may be off.
  const dated = Date.parse(headers.get('date') ?? '')
  const ofServiceMs = Number.isNaN(dated) ? nowMs : dated
  const until = (ms: number) => (Number.isNaN(ms) ? null : Math.max(0, ms - ofServiceMs))

  const asked = headers.get('retry-after')?.trim()
  if (asked) return /^\d+$/.test(asked) ? Number(asked) * 1000 : until(Date.parse(asked))
  const reset = headers.get('x-ratelimit-reset')
  return status === 429 && reset ? until(Number(reset) * 1000) : null
}
