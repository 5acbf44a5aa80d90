import { setTimeout as sleep } from 'node:timers/promises'
import type { AdminApi, Document } from './admin-api.ts'
import { CommandError } from './command-error.ts'
import type { Outcome } from './forward.ts'

/** What the service has for this terminal to deliver. */
export type Fetched = {
  webhook_id: string
  event: string
  object: string | null
  test: boolean
  body: string
  headers: Record<string, string>
  handle: string
}

/** What a listening terminal tells its person. */
export type Listening = {
  /** `again`: the one before was closed under us, and its secret is worth nothing any more. */
  opened(listener: Document, again: boolean): void
  begun(delivery: Fetched): void
  ended(delivery: Fetched, outcome: Outcome): void
  remark(text: string): void
}

type ListenOptions = {
  /** Found anew each time: a service that restarts may answer elsewhere. */
  api: () => AdminApi
  /** Where the store's listeners are. */
  path: string
  events: string[] | null | undefined
  deliver: (delivery: Fetched, cutOff: AbortSignal) => Promise<Outcome>
  reporter: Listening
  stop: AbortSignal
}

const AT_ONCE = 8
const WAIT_SECONDS = 20
/** Of a call that is not answered: the wait itself, and time for what it takes besides. */
const FETCH_TIMEOUT_MS = (WAIT_SECONDS + 10) * 1000
const CALL_TIMEOUT_MS = 10_000
const TRY_AGAIN_MS = [250, 500, 1000, 2000] as const
/** After a stop: for what is under way to end, then for the service to hear of it. */
const FINISH_MS = 3_000
const LAST_WORDS_MS = 3_000
/** The service is away or ill, and may be back. */
const OUTAGES = new Set(['not_running', 'unavailable', 'internal_error'])

/**
 * Opens a listener, fetches its deliveries, has each delivered and tells the service how it went, until `stop`; then closes
 * it. Order is the service's: it gives no delivery of an object before it has heard of the one before. Goes on when the
 * service restarts.
 */
export async function listen({ api, path, events, deliver, reporter, stop }: ListenOptions): Promise<void> {
  const underWay = new Set<Promise<void>>()
  const [cutOff, giveUp] = [new AbortController(), new AbortController()]
  const ask = persistent(api, reporter)
  const open = (server: AdminApi) => server.post(path, { events }, { timeoutMs: CALL_TIMEOUT_MS })

  let listener = await open(api())
  reporter.opened(listener, false)

  const handle = async (id: unknown, delivery: Fetched) => {
    reporter.begun(delivery)
    const outcome = await deliver(delivery, cutOff.signal)
    reporter.ended(delivery, outcome)
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
            reporter.remark(`The service did not take how ${delivery.webhook_id} went: ${err.message}`)
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

/** Asks until the service answers, and says so once when it does not and when it is back. Null after `until`. */
function persistent(api: () => AdminApi, reporter: Listening) {
  let away = false
  return async (until: AbortSignal, call: (server: AdminApi) => Promise<Document>): Promise<Document | null> => {
    for (let attempt = 0; ; attempt++) {
      try {
        const answer = await call(api())
        if (away) reporter.remark('The service answers again.')
        away = false
        return answer
      } catch (err) {
        if (until.aborted) return null
        if (!(err instanceof CommandError && OUTAGES.has(err.code))) throw err
        if (!away) reporter.remark(`${err.message}. Trying again until it answers.`)
        away = true
        const pauseMs = TRY_AGAIN_MS[attempt] ?? TRY_AGAIN_MS.at(-1)!
        // Rejects only when it need not wait any longer.
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
    if (err.code !== 'not_found')
      reporter.remark(`${err.message}. It closes the listener by itself within two minutes.`)
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
