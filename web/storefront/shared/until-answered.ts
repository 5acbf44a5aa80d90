import type { Failure } from './api.ts'

const FIRST_WAIT_MS = 2_000
const LONGEST_WAIT_MS = 60_000

/** How somebody who waits is told, and what they do about it. */
export type Waiting = {
  /** Ends the tries. */
  stop: AbortSignal
  /** An event `again` or `online` of any of them ends a wait. */
  again: readonly EventTarget[]
  /** Called before each wait. */
  onWait: (failure: Failure) => void
}

/**
 * Makes a request until somebody answers it: again after a wait that doubles, and when `again` says so. Null once `stop` is aborted;
 * throws the `Failure` of a refusal, which another try would not change.
 */
export async function untilAnswered<T>(ask: () => Promise<T>, { stop, again, onWait }: Waiting): Promise<T | null> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      return await ask()
    } catch (err) {
      const failure = err as Failure
      if (!failure.isTemporary) throw failure
      if (stop.aborted) return null
      onWait(failure)
      await nextTry(waitMs, stop, again)
      if (stop.aborted) return null
    }
  }
}

function nextTry(ms: number, stop: AbortSignal, again: readonly EventTarget[]): Promise<void> {
  return new Promise((resolve) => {
    const ended = new AbortController()
    const go = () => {
      clearTimeout(timer)
      ended.abort()
      resolve()
    }
    const timer = setTimeout(go, ms)
    const until = { signal: ended.signal }
    for (const target of again) for (const event of ['again', 'online']) target.addEventListener(event, go, until)
    stop.addEventListener('abort', go, until)
  })
}
