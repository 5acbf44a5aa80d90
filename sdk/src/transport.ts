import { ConnectionError, TimeoutError } from './errors.ts'
import type { Settings } from './options.ts'
import { mayPass, retryAfterMs, waitMs } from './retry.ts'

const READS = new Set(['GET', 'HEAD'])
const HAS_NO_BODY = new Set([204, 205, 304])

/** A request that can be repeated. */
type Outgoing = { url: string; method: string; headers: Headers; body: string | undefined }

/**
 * Sends a request until the response is final, no retry is left, or the deadline would pass.
 * Returns the last response with its complete body, whatever its status; throws when there was none.
 */
export async function send(request: Request, settings: Settings, signal?: AbortSignal): Promise<Response> {
  const { timing, maxRetries, newIdempotencyKey } = settings
  const outgoing = await outgoingOf(request)
  const isRead = READS.has(request.method)
  // One key for all attempts of the call makes retries safe.
  if (!isRead && newIdempotencyKey) outgoing.headers.set('idempotency-key', newIdempotencyKey())
  const mayRepeat = isRead || outgoing.headers.has('idempotency-key')
  const deadline = timing.now() + settings.deadlineMs

  for (let retries = 0; ; retries++) {
    const timeoutMs = Math.min(settings.timeoutMs, deadline - timing.now())
    const outcome = await tryOnce(outgoing, { ...settings, timeoutMs }, signal)
    const wait = waitMs(
      retries,
      outcome instanceof Response ? retryAfterMs(outcome, timing.now()) : null,
      timing.random
    )
    const isFinal = outcome instanceof Response && !mayPass(outcome.status)
    if (isFinal || !mayRepeat || retries >= maxRetries || timing.now() + wait >= deadline) {
      if (outcome instanceof Response) return outcome
      throw outcome
    }
    await timing.sleep(wait, signal)
  }
}

async function outgoingOf(request: Request): Promise<Outgoing> {
  const { url, method } = request
  const body = await request.text()
  return { url, method, headers: new Headers(request.headers), body: body === '' ? undefined : body }
}

/** One request and its complete response, or the error. Throws only the reason of the caller's own signal. */
async function tryOnce(
  { url, ...init }: Outgoing,
  { fetch, timing, timeoutMs }: Settings,
  signal: AbortSignal | undefined
): Promise<Response | ConnectionError | TimeoutError> {
  signal?.throwIfAborted()
  const giveUp = new AbortController()
  const onAbort = () => giveUp.abort(signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  let isLate = false
  const stopTimer = timing.after(timeoutMs, () => {
    isLate = true
    giveUp.abort()
  })
  try {
    // A redirected write could be sent with another method.
    const response = await fetch(url, { ...init, signal: giveUp.signal, redirect: 'manual' })
    const { status, headers } = response
    // Read within the time limit, because a response that breaks off is a failed attempt too.
    const text = await response.text()
    return new Response(HAS_NO_BODY.has(status) ? null : text, { status, headers })
  } catch (cause) {
    signal?.throwIfAborted()
    if (isLate)
      return new TimeoutError(`${init.method} ${url} got no response within ${Math.round(timeoutMs)} ms`, { cause })
    return new ConnectionError(`${init.method} ${url} failed: ${reasonOf(cause)}`, { cause })
  } finally {
    stopTimer()
    signal?.removeEventListener('abort', onAbort)
  }
}

/** Node's fetch only reports the failure; the reason is in `cause`. */
function reasonOf(err: unknown): string {
  const { message, cause } = err as { message?: string; cause?: { code?: string; message?: string } }
  return cause?.message || cause?.code || message || String(err)
}
