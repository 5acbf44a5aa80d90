/** After each failure in a row. */
const RETRY_AFTER_MINUTES = [1, 5, 15, 60] as const

/** When a walk is tried again that has failed so often in a row. */
export const retryMinutes = (failures: number): number =>
  RETRY_AFTER_MINUTES[Math.min(failures, RETRY_AFTER_MINUTES.length) - 1]!

/** After each try in a row that came to nothing. */
const RETRY_AFTER_SECONDS = [5, 30, 120, 600, 3600] as const

/** How long what was tried so often before rests after one more try that came to nothing. */
export const retrySeconds = (attempts: number): number =>
  RETRY_AFTER_SECONDS[Math.min(attempts, RETRY_AFTER_SECONDS.length - 1)]!

/** The seconds until the next walk: a tenth earlier or later, so that stores that were connected together do not stay together. */
export const secondsUntilNext = (everyMinutes: number): number =>
  Math.round(everyMinutes * 60 * (0.9 + 0.2 * Math.random()))
