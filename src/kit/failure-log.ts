import { realNow } from './clock.ts'

/** What fails again and again is over when it has not failed for so long, although nothing says that it works. */
const OVER_AFTER_MS = 300_000
/** What else begins to fail is counted with the rest: a log that repeats itself hides what matters. */
const MAX_KNOWN = 1_000

/** Something that keeps failing, in real time. `message` is that of its last error. */
export type Failing = { key: string; since: Temporal.Instant; count: number; message: string }

type Log = {
  error(fields: object, message: string): void
  info(fields: object, message: string): void
}

/** Logs what keeps failing once when it begins and once when it ends, however often it is tried. */
export type FailureLog = {
  /** `what` begins the sentences: `Engine billing`. `fields` go with the first line only. */
  failed(key: string, err: unknown, what: string, fields?: object): void
  worked(key: string): void
  /** What fails at present, oldest first. */
  failing(): Failing[]
  /** Ends what has not failed for five minutes. Called from time to time. */
  expire(): void
}

export function createFailureLog(
  log: Log,
  /** What else an error is a failure of: the database that is gone fails everything, and is logged in place of all that. */
  causeOf: (err: unknown) => { key: string; what: string } | null = () => null
): FailureLog {
  const known = new Map<string, Failing & { what: string; lastMs: number; fields: object }>()

  const end = (key: string, outcome: string) => {
    const { what, since, count, fields } = known.get(key)!
    known.delete(key)
    const seconds = Math.round(since.until(realNow()).total('seconds'))
    log.info(fields, `${what} ${outcome}: ${count === 1 ? 'one failure' : `${count} failures`} in ${seconds} s`)
  }

  return {
    failed(of, err, whatFailed, someFields = {}) {
      const cause = causeOf(err)
      const { key, what } = cause ?? { key: of, what: whatFailed }
      const fields = cause ? {} : someFields
      const message = err instanceof Error ? err.message : String(err)
      const before = known.get(key)
      if (before) {
        before.count++
        before.lastMs = performance.now()
        before.message = message
        return
      }
      if (known.size >= MAX_KNOWN) return
      known.set(key, { key, since: realNow(), count: 1, message, what, lastMs: performance.now(), fields })
      log.error({ err, ...fields }, `${what} failed: ${message}. This is logged once until it works again`)
    },
    worked(key) {
      if (known.size > 0 && known.has(key)) end(key, 'works again')
    },
    failing: () => [...known.values()].map(({ key, since, count, message }) => ({ key, since, count, message })),
    expire() {
      const over = performance.now() - OVER_AFTER_MS
      for (const [key, { lastMs }] of known) if (lastMs < over) end(key, 'has not failed for five minutes')
    }
  }
}
