/** Time and chance, as the client takes them. Tests bring their own, so that they wait for nothing. */
export type Timing = {
  /** Milliseconds since 1970. */
  now(): number
  /** Waits between two tries; ends at once, with the signal's reason, when the signal does. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Limits a try: acts after so many milliseconds, unless what it gives back is called before. */
  after(ms: number, act: () => void): () => void
  /** From 0 up to, and without, 1. */
  random(): number
}

/** Timers take no longer time. */
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

/** `now` goes on evenly when somebody sets the machine's clock. */
export const realTiming: Timing = {
  now: () => performance.timeOrigin + performance.now(),
  sleep,
  after,
  random: Math.random
}
