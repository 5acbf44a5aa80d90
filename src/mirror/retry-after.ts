/** How many owners of a kind are tried again at once when somebody asks, or may do more; the others follow by themselves. */
export const MAX_RETRIED = 10_000

const MINUTES = [1, 5, 15, 60, 360] as const

/** How long, by the store's clock, until what came to nothing is tried again. `attempts`: how many tries in a row came to nothing before. */
export const minutesUntilRetry = (attempts: number): number => MINUTES[Math.min(attempts, MINUTES.length - 1)]!
