import { setTimeout as wait } from 'node:timers/promises'

/** When a line is written, in milliseconds from the beginning; from then on every half minute. */
const FIRST_MS = [3_000, 15_000] as const
const THEN_EVERY_MS = 30_000

/**
 * Writes a line from time to time until `work` is done, so that nobody takes a long command for one that hangs. `look` says what is
 * waited for, as far as it is known; a look that fails costs only that part of the line.
 */
export async function sayWaiting<T>(
  work: Promise<T>,
  {
    say,
    look,
    firstMs = FIRST_MS
  }: { say: (line: string) => void; look: () => Promise<string>; firstMs?: readonly number[] }
): Promise<T> {
  const done = new AbortController()
  void repeat(done.signal)
  try {
    return await work
  } finally {
    done.abort()
  }

  async function repeat(signal: AbortSignal): Promise<void> {
    const began = performance.now()
    for (let nth = 0; !signal.aborted; nth++) {
      const pauseMs = nth < firstMs.length ? firstMs[nth]! - (firstMs[nth - 1] ?? 0) : THEN_EVERY_MS
      await wait(pauseMs, undefined, { signal, ref: false }).catch(() => {})
      if (signal.aborted) return
      const what = await look().catch(() => '')
      if (!signal.aborted)
        say(`Still at work after ${Math.round((performance.now() - began) / 1000)} s${what && `: ${what}`}\n`)
    }
  }
}
