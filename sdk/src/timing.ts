/** Time and random numbers of the client. Tests replace them, so that they do not wait. */
export type Timing = {
  /** Milliseconds since 1970. */
  now(): number
  /** Waits between two attempts; rejects with the signal's reason when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Limits an attempt: acts after this many milliseconds, unless the returned function is called before. */
  after(ms: number, act: () => void): () => void
  /** From 0 to below 1. */
  random(): number
}

/** The maximum of a timer. */
const LONGEST_MS = 2 ** 31 - 1

function after(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, Math.min(ms, LONGEST_MS))
  return () => clearTimeout(timer)
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stopTimer = after(ms, () => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    })
    const onAbort = () => {
      stopTimer()
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/** `now` is monotonic, also when the machine's clock is set. */
export const realTiming: Timing = {
  now: () => performance.timeOrigin + performance.now(),
  sleep,
  after,
  random: Math.random
}
