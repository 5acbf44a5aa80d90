import { realTiming, type Timing } from './timing.ts'

/** Options of a call; the defaults are those of the client. */
export type CallOptions = {
  /** Aborts the call with the signal's reason. */
  signal?: AbortSignal
  /** Limit for one attempt: connecting, sending, and the complete response. Default: 30 seconds. */
  timeoutMs?: number
  /** Limit for the call with its retries and waits. Default: 2 minutes. */
  deadlineMs?: number
  /** Number of retries. Default: 3. */
  maxRetries?: number
  /**
   * The key of a write. Each write has a fresh one, the same over its retries; name your own to make it safe to repeat
   * over a restart of your program. `false` sends none, and such a write is never tried again.
   */
  idempotencyKey?: string | false
}

export type ClientOptions = {
  /** The address of the API with its version, such as `https://members.example.com/v1`. */
  baseUrl: string
  /** A key of the store. Use it on servers only, never in pages or apps. */
  apiKey: string
  /** The fetch function. Default: the global fetch. */
  fetch?: typeof globalThis.fetch
  timeoutMs?: number
  deadlineMs?: number
  maxRetries?: number
  /** Creates the keys of writes. Default: random UUIDs. With `false` there are no keys, and writes are not retried. */
  idempotencyKey?: (() => string) | false
  /** For tests: clock, wait and random numbers. */
  timing?: Timing
}

/** Options with all defaults set. */
export type Settings = {
  fetch: typeof globalThis.fetch
  timeoutMs: number
  deadlineMs: number
  maxRetries: number
  newIdempotencyKey: (() => string) | false
  timing: Timing
}

export function settingsOf(options: ClientOptions): Settings {
  const { baseUrl, apiKey, idempotencyKey = () => crypto.randomUUID() } = options
  if (!/^https?:\/\//.test(baseUrl)) throw new TypeError('baseUrl must be the address of the API, https://…/v1')
  if (typeof apiKey !== 'string' || apiKey === '') throw new TypeError('apiKey must be a key of the store')
  const { timeoutMs = 30_000, deadlineMs = 120_000, maxRetries = 3, timing = realTiming } = options
  return {
    // Looked up for each request, so that a later instrumentation of the global fetch is used too.
    fetch: options.fetch ?? ((...args) => globalThis.fetch(...args)),
    timeoutMs: limit('timeoutMs', timeoutMs),
    deadlineMs: limit('deadlineMs', deadlineMs),
    maxRetries: limit('maxRetries', maxRetries),
    newIdempotencyKey: idempotencyKey,
    timing
  }
}

/** The settings of one call. */
export function settingsFor(settings: Settings, call: CallOptions): Settings {
  const { idempotencyKey, timeoutMs, deadlineMs, maxRetries } = call
  return {
    ...settings,
    timeoutMs: limit('timeoutMs', timeoutMs ?? settings.timeoutMs),
    deadlineMs: limit('deadlineMs', deadlineMs ?? settings.deadlineMs),
    maxRetries: limit('maxRetries', maxRetries ?? settings.maxRetries),
    newIdempotencyKey:
      typeof idempotencyKey === 'string' ? () => idempotencyKey : (idempotencyKey ?? settings.newIdempotencyKey)
  }
}

function limit(name: string, value: number): number {
  if (typeof value === 'number' && value >= 0) return value
  throw new TypeError(`${name} must be a number from 0`)
}
