/**
 * How long signals after the first count as the same request. A signal to a process group reaches the program itself and,
 * forwarded, through bin/perennial.js and npm again, which takes milliseconds; a stop takes about as long as this. The program
 * cannot tell who sent a signal, so only time separates a forwarded one from a person's second Ctrl-C.
 */
const ONE_REQUEST_MS = 1_000

export type StopSignals = {
  /** Aborted by the first SIGTERM or SIGINT; its reason is the signal's name. */
  signal: AbortSignal
  /** Does what that signal does. */
  receive(signal: NodeJS.Signals): void
  /** Gives the signals their usual effect again. */
  forget(): void
}

/** Makes SIGTERM and SIGINT a request to stop. A second request, a second or more after the first, calls `endNow`. */
export function stopOnSignals(endNow: () => void): StopSignals {
  const stop = new AbortController()
  let again = false
  const receive = (signal: NodeJS.Signals) => {
    if (again) return endNow()
    if (stop.signal.aborted) return
    // After a long computation the timers come before the signals that arrived meanwhile, and immediates after them.
    setTimeout(() => setImmediate(() => (again = true)), ONE_REQUEST_MS).unref()
    stop.abort(signal)
  }
  process.on('SIGTERM', receive).on('SIGINT', receive)
  return {
    signal: stop.signal,
    receive,
    forget: () => void process.off('SIGTERM', receive).off('SIGINT', receive)
  }
}

const LOOK_FOR_PARENT_MS = 500

/**
 * Aborted by the first signal. At a second one the process ends after `atOnce`. npm sends a signal to a shell that may end without
 * forwarding it, so under npm the loss of the parent process counts as SIGTERM.
 */
export function untilSignal(atOnce: () => Promise<void>): AbortSignal {
  const { signal, receive } = stopOnSignals(() => void atOnce().finally(() => process.exit(130)))
  const parent = process.ppid
  if (!process.env.npm_lifecycle_event) return signal
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    if (!signal.aborted) receive('SIGTERM')
  }, LOOK_FOR_PARENT_MS)
  watch.unref()
  return signal
}

/** The last resort of a stop: after so long the process ends, whatever hangs, with this code; `atOnce` comes before. */
export function endAfter(seconds: number, exitCode: number, atOnce: () => Promise<void>): void {
  setTimeout(() => void atOnce().finally(() => process.exit(exitCode)), seconds * 1_000).unref()
}
