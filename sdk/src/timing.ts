/** Time and chance, as the client takes them. Tests bring their own, so that they wait for nothing. */
export type Timing = {
  /** Milliseconds since 1970. */
  now(): number
  /** Ends after so many milliseconds, or at once with the signal's reason. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** From 0 up to, and without, 1. */
  random(): number
}

/** Timers take no longer time. */
const LONGEST_SLEEP_MS = 2 ** 31 - 1

/** `now` goes on evenly when somebody sets the machine's clock. */
export const realTiming: Timing = {
  now: () => performance.timeOrigin + performance.now(),
  random: Math.random,
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const done = () => {
        signal.removeEventListener('abort', onAbort)
        resolve()
      }
      const timer = setTimeout(done, Math.min(ms, LONGEST_SLEEP_MS))
      const onAbort = () => {
        clearTimeout(timer)
        reject(signal.reason)
      }
      signal.addEventListener('abort', onAbort, { once: true })
    })
}
