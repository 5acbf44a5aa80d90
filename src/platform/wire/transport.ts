import { Agent, request } from 'undici'

/** The largest response that we accept: a page of fifty contracts is far below 1 MB. */
export const MAX_RESPONSE_BYTES = 16 * 1024 * 1024

// One agent for all stores, so that idle connections are reused; each store's own limit of calls bounds its connections, so that
// no store waits for those of another on the same host. No redirects, no retries, no decompression.
const agent = new Agent({
  keepAliveTimeout: 20_000,
  connect: { timeout: 10_000 },
  maxResponseSize: MAX_RESPONSE_BYTES,
  // The limit on the whole try replaces both.
  headersTimeout: 0,
  bodyTimeout: 0
})

/** The outcome of one POST: a response or none. `sent` is false only when the request certainly did not go out. */
export type Exchange =
  | { answered: true; status: number; retryAfterMs: number | undefined; body: string }
  | { answered: false; message: string; sent: boolean }

export type PostOptions = {
  /** For the whole try, from the connection to the last byte. */
  timeoutMs: number
  /** Ends the call, and its connection, before that. */
  cutOff?: AbortSignal
  /** Gets a function that does the same while the call is under way. */
  underWay?: Set<() => void>
}

const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT'
])
/** The server's certificate was not accepted: nothing is sent before that. */
const BAD_CERTIFICATE = /^(CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_CERT_)/

/**
 * Sends one request. The time limit covers everything down to the last byte, so a body that drips cannot exceed it. A connection
 * whose call ended without a whole response is closed: what arrives on it later would be taken for another answer.
 */
export async function post(
  url: string,
  headers: Record<string, string>,
  body: string,
  { timeoutMs, cutOff, underWay }: PostOptions
): Promise<Exchange> {
  const end = new AbortController()
  let why = ''
  const endAs = (reason: string) => () => {
    why ||= reason
    end.abort()
  }
  const onCutOff = endAs('was not waited for any longer')
  const timer = setTimeout(endAs(`did not answer within ${timeoutMs} ms`), timeoutMs)
  cutOff?.addEventListener('abort', onCutOff)
  underWay?.add(onCutOff)
  try {
    const response = await request(url, { method: 'POST', headers, body, signal: end.signal, dispatcher: agent })
    const retryAfter = Number(response.headers['retry-after'])
    return {
      answered: true,
      status: response.statusCode,
      retryAfterMs: retryAfter > 0 ? Math.ceil(retryAfter * 1000) : undefined,
      body: await response.body.text()
    }
  } catch (err) {
    if (end.signal.aborted) return { answered: false, message: why, sent: true }
    const { code, message } = err as Error & { code?: string }
    return {
      answered: false,
      message: `could not be reached: ${message || code}`,
      sent: !(NEVER_CONNECTED.has(code ?? '') || BAD_CERTIFICATE.test(code ?? ''))
    }
  } finally {
    clearTimeout(timer)
    cutOff?.removeEventListener('abort', onCutOff)
    underWay?.delete(onCutOff)
  }
}
