/** How often a delivery is tried, and how long we wait after each failed try; the last wait repeats if tries remain. */
export type RetrySchedule = { maxTries: number; delaysSeconds: number[] }

const MINUTE = 60
const HOUR = 3600

/**
 * Spec 1, Retry schedule. It lists six waits and a limit of six tries: the sixth wait comes into play only where an
 * operator allows more tries.
 */
export const RETRY_SCHEDULE: RetrySchedule = {
  maxTries: 6,
  delaysSeconds: [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 12 * HOUR, 24 * HOUR]
}

/** Upward only, so that no retry comes before the contract's time. */
const MAX_JITTER = 0.05

/**
 * When to try again after `triesDone` failed tries; null when that was the last one. `spread` in 0..1 is how much of the
 * jitter to add: it keeps the retries of one outage from coming back as one wave.
 */
export function nextTryAt(
  schedule: RetrySchedule,
  triesDone: number,
  now: Temporal.Instant,
  spread: number
): Temporal.Instant | null {
  if (triesDone >= schedule.maxTries) return null
  const seconds = schedule.delaysSeconds[triesDone - 1] ?? schedule.delaysSeconds.at(-1)!
  return now.add({ milliseconds: Math.round(seconds * 1000 * (1 + MAX_JITTER * spread)) })
}
