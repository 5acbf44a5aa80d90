/** Statuses that may be temporary: a rate limit, an error, an upgrade, a proxy without its service. */
const PASSING = new Set([408, 429, 500, 502, 503, 504])

export const mayPass = (status: number): boolean => PASSING.has(status)

const FIRST_BACKOFF_MS = 500
const LONGEST_BACKOFF_MS = 8_000

/**
 * How long to wait before the next attempt. Back-off doubles, with full jitter, so that clients that failed together do not
 * retry together; the time that the service asked for is added.
 */
export function waitMs(retriesDone: number, askedMs: number | null, random: () => number): number {
  return (askedMs ?? 0) + random() * Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** retriesDone)
}

/** The wait that a response asks for: `Retry-After`, else the end of an exhausted window. */
export function retryAfterMs({ status, headers }: Response, nowMs: number): number | null {
  // The end is a time of the service's clock; the caller's clock may differ.
  const dated = Date.parse(headers.get('date') ?? '')
  const ofServiceMs = Number.isNaN(dated) ? nowMs : dated
  const until = (ms: number) => (Number.isNaN(ms) ? null : Math.max(0, ms - ofServiceMs))

  const requested = headers.get('retry-after')?.trim()
  if (requested) return /^\d+$/.test(requested) ? Number(requested) * 1000 : until(Date.parse(requested))
  const reset = headers.get('x-ratelimit-reset')
  return status === 429 && reset ? until(Number(reset) * 1000) : null
}
