import { setTimeout as sleep } from 'node:timers/promises'
import type { AdminApi, Document } from './admin-api.ts'
import { CommandError } from './command-error.ts'
import type { Outcome } from './forward-delivery.ts'

/** A delivery that the service has for this listener. */
export type Fetched = {
  webhook_id: string
  event: string
  object: string | null
  test: boolean
  body: string
  headers: Record<string, string>
  handle: string
}

/** How a listener reports to its user. */
export type Listening = {
  /** `again`: the service had closed the previous listener, and its secret is no longer valid. */
  opened(listener: Document, again: boolean): void
  started(delivery: Fetched): void
  finished(delivery: Fetched, outcome: Outcome): void
  remark(text: string): void
}

type ListenOptions = {
  /** Looked up for each call, because the service may have another address after a restart. */
  api: () => AdminApi
  /** The path of the store's listeners. */
  path: string
  events: string[] | null | undefined
  deliver: (delivery: Fetched, cutOff: AbortSignal) => Promise<Outcome>
  reporter: Listening
  stop: AbortSignal
}

const AT_ONCE = 8
const WAIT_SECONDS = 20
/** For a call without a response: the wait itself plus time for the rest. */
const FETCH_TIMEOUT_MS = (WAIT_SECONDS + 10) * 1000
const CALL_TIMEOUT_MS = 10_000
const TRY_AGAIN_MS = [250, 500, 1000, 2000] as const
/** After a stop: time for open deliveries to end, then time to report them to the service. */
const FINISH_MS = 3_000
const LAST_WORDS_MS = 3_000
/** Errors after which the service may come back. */
const OUTAGES = new Set(['not_running', 'unavailable', 'internal_error'])

/**
 * Opens a listener, fetches its deliveries, delivers them and reports each result to the service, until `stop`; then closes
 * the listener. The service keeps the order: it hands out no delivery about an object before the previous one is reported.
 * Continues after a restart of the service.
 */
export async function runListener({ api, path, events, deliver, reporter, stop }: ListenOptions): Promise<void> {
  const underWay = new Set<Promise<void>>()
  const [cutOff, giveUp] = [new AbortController(), new AbortController()]
  const ask = persistent(api, reporter)
  const open = (server: AdminApi) => server.post(path, { events }, { timeoutMs: CALL_TIMEOUT_MS })

  let listener = await open(api())
  reporter.opened(listener, false)

  const handle = async (id: unknown, delivery: Fetched) => {
    reporter.started(delivery)
    const outcome = await deliver(delivery, cutOff.signal)
    reporter.finished(delivery, outcome)
    const results = [resultOf(delivery, outcome)]
    await ask(giveUp.signal, (server) => server.post(`${path}/${id}/results`, { results }, limits(giveUp.signal)))
  }

  const fetchFor = (id: unknown) =>
    ask(stop, (server) =>
      server.post(
        `${path}/${id}/fetch`,
        { wait_seconds: WAIT_SECONDS, max: AT_ONCE - underWay.size },
        { timeoutMs: FETCH_TIMEOUT_MS, signal: stop }
      )
    )

  let failure: unknown = null
  const stopped = new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }))
  while (!stop.aborted && failure === null) {
    if (underWay.size >= AT_ONCE) {
      await Promise.race([...underWay, stopped])
      continue
    }
    try {
      const fetched = await fetchFor(listener.id).catch(async (err: unknown) => {
        if (!(err instanceof CommandError && err.code === 'not_found')) throw err
        const reopened = await ask(stop, open)
        if (reopened) {
          listener = reopened
          reporter.opened(listener, true)
        }
        return null
      })
      for (const delivery of (fetched?.data ?? []) as Fetched[]) {
        const handled = handle(listener.id, delivery)
          .catch((err: Error) =>
            reporter.remark(`The result of ${delivery.webhook_id} could not be reported to the service: ${err.message}`)
          )
          .finally(() => underWay.delete(handled))
        underWay.add(handled)
      }
    } catch (err) {
      failure = err
    }
  }

  const timers = [
    setTimeout(() => cutOff.abort(), FINISH_MS),
    setTimeout(() => giveUp.abort(), FINISH_MS + LAST_WORDS_MS)
  ]
  await Promise.all(underWay)
  for (const timer of timers) clearTimeout(timer)
  await close(api, `${path}/${listener.id}`, reporter)
  if (failure) throw failure
}

const limits = (signal: AbortSignal) => ({ timeoutMs: CALL_TIMEOUT_MS, signal })

/** Repeats a call until the service responds, and reports once when it is unavailable and when it is back. Null after `until`. */
function persistent(api: () => AdminApi, reporter: Listening) {
  let away = false
  return async (until: AbortSignal, call: (server: AdminApi) => Promise<Document>): Promise<Document | null> => {
    for (let attempt = 0; ; attempt++) {
      try {
        const response = await call(api())
        if (away) reporter.remark('The service is available again.')
        away = false
        return response
      } catch (err) {
        if (until.aborted) return null
        if (!(err instanceof CommandError && OUTAGES.has(err.code))) throw err
        if (!away) reporter.remark(`${err.message}. Retrying until it is available.`)
        away = true
        const pauseMs = TRY_AGAIN_MS[attempt] ?? TRY_AGAIN_MS.at(-1)!
        // Rejects only when `until` ends the wait.
        await sleep(pauseMs, undefined, { signal: until }).catch(() => {})
      }
    }
  }
}

async function close(api: () => AdminApi, path: string, reporter: Listening): Promise<void> {
  try {
    await api().delete(path, { timeoutMs: LAST_WORDS_MS })
  } catch (err) {
    if (!(err instanceof CommandError)) throw err
    if (err.code !== 'not_found') reporter.remark(`${err.message}. The service closes the listener within two minutes.`)
  }
}

function resultOf({ handle }: Fetched, outcome: Outcome): Document {
  return {
    handle,
    duration_ms: outcome.durationMs,
    response_code: outcome.responseCode,
    failure: outcome.failure,
    response_text: outcome.responseText
  }
}
