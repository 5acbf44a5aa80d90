import { realTiming, type Timing } from './timing.ts'

/** What a call may set for itself; a client's own options are what holds otherwise. */
export type CallOptions = {
  /** Ends the call, whatever it is doing, with the signal's reason. */
  signal?: AbortSignal
  /** For one try: connecting, sending, and the whole answer. 30 seconds unless told. */
  timeoutMs?: number
  /** For the call with its retries and the waits between them. 2 minutes unless told. */
  deadlineMs?: number
  /** How often to try again, 3 unless told. */
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
  /** A key of the store. It belongs on servers, and never into pages or apps. */
  apiKey: string
  /** What makes the requests; the platform's own fetch unless told. */
  fetch?: typeof globalThis.fetch
  timeoutMs?: number
  deadlineMs?: number
  maxRetries?: number
  /** Makes the keys of writes, random UUIDs unless told; `false` sends none, and then no write is tried again. */
  idempotencyKey?: (() => string) | false
  /** For tests: a clock, a wait and a die of their own. */
  timing?: Timing
}

/** Options with nothing left open. */
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
    // Looked up at each request, so that what instruments the global fetch later is heard too.
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
