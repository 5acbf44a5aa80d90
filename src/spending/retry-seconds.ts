/** After each try in a row that came to nothing. */
const RETRY_AFTER_SECONDS = [5, 30, 120, 600, 3600] as const

/** How long what was tried so often before rests after one more try that came to nothing. */
export const retrySeconds = (attempts: number): number =>
  RETRY_AFTER_SECONDS[Math.min(attempts, RETRY_AFTER_SECONDS.length - 1)]!
