import { Agent, request } from 'undici'

/** The largest response that we accept: a page of fifty contracts is far below 1 MB. */
export const MAX_RESPONSE_BYTES = 16 * 1024 * 1024

// One agent for all stores, so that idle connections are reused. No redirects, no retries, no decompression.
const agent = new Agent({
  connections: 64,
  keepAliveTimeout: 20_000,
  connect: { timeout: 10_000 },
  maxResponseSize: MAX_RESPONSE_BYTES
})

/** The outcome of one POST: a response or none. `sent` is false only when the request certainly did not go out. */
export type Exchange =
  | { answered: true; status: number; retryAfterMs: number | undefined; body: string }
  | { answered: false; message: string; sent: boolean }

const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT'
])

/** Sends one request. The time limit covers everything down to the last byte, so a body that drips cannot exceed it. */
export async function post(
  url: string,
  headers: Record<string, string>,
  body: string,
  timeoutMs: number
): Promise<Exchange> {
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const response = await request(url, { method: 'POST', headers, body, signal, dispatcher: agent })
    const retryAfter = Number(response.headers['retry-after'])
    return {
      answered: true,
      status: response.statusCode,
      retryAfterMs: retryAfter > 0 ? Math.ceil(retryAfter * 1000) : undefined,
      body: await response.body.text()
    }
  } catch (err) {
    if (signal.aborted) return { answered: false, message: `did not answer within ${timeoutMs} ms`, sent: true }
    const { code, message } = err as Error & { code?: string }
    return {
      answered: false,
      message: `could not be reached: ${message || code}`,
      sent: !NEVER_CONNECTED.has(code ?? '')
    }
  }
}
