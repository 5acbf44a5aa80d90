import { type IncomingMessage, request as overHttp } from 'node:http'
import { request as overHttps } from 'node:https'

/** The result of a delivery to the receiver. */
export type Outcome = {
  responseCode: number | null
  durationMs: number
  /** Why there was no response: the word used in the delivery history, and a sentence for people. */
  failure: string | null
  problem: string | null
  /** The first bytes of the response. */
  responseText: string
}

/** The limit for a whole attempt, the same as in the service. */
const TIMEOUT_MS = 30_000
const READ_BYTES = 64 * 1024
const KEPT_BYTES = 1024

/**
 * Posts a delivery to the developer's receiver at any address, with exactly these bytes and headers. As in the service,
 * the status alone decides the outcome, and redirects are not followed. Never throws; `cutOff` ends it.
 */
export function forwardDelivery(
  to: URL,
  delivery: { body: string; headers: Record<string, string> },
  { insecure, cutOff, timeoutMs = TIMEOUT_MS }: { insecure: boolean; cutOff: AbortSignal; timeoutMs?: number }
): Promise<Outcome> {
  const startedAt = performance.now()
  const durationMs = () => Math.round(performance.now() - startedAt)
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const timeout = AbortSignal.timeout(timeoutMs)
  const body = Buffer.from(delivery.body)

  // A new connection each time: a reused one that the receiver closes would look like a failure, and there is one attempt.
  const request = (to.protocol === 'https:' ? overHttps : overHttp)(to, {
    method: 'POST',
    agent: false,
    signal: AbortSignal.any([timeout, cutOff]),
    rejectUnauthorized: !insecure,
    headers: { ...delivery.headers, 'content-length': body.length }
  })
  let responded = false
  request.on('response', (response) => {
    responded = true
    beginningOf(response).then((responseText) =>
      resolve({
        responseCode: response.statusCode!,
        durationMs: durationMs(),
        failure: null,
        problem: null,
        responseText
      })
    )
  })
  request.on('error', (err: NodeJS.ErrnoException) => {
    // The error also ends the response's stream; the outcome is then what was read of it.
    if (responded) return
    const [failure, problem] = cutOff.aborted
      ? ['interrupted', 'interrupted']
      : timeout.aborted
        ? ['timeout', `no response within ${timeoutMs / 1000} s`]
        : failureOf(err, to)
    resolve({ responseCode: null, durationMs: durationMs(), failure, problem, responseText: '' })
  })
  request.end(body)
  return promise
}

async function beginningOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let read = 0
  try {
    for await (const chunk of response) {
      if (read < KEPT_BYTES) chunks.push(chunk as Buffer)
      read += (chunk as Buffer).length
      if (read >= READ_BYTES) break
    }
  } catch {
    // Of a response that breaks off, the part that arrived is used.
  }
  return Buffer.concat(chunks).subarray(0, KEPT_BYTES).toString('utf8').replaceAll('\u0000', '\ufffd')
}

/** The history's word for the failure, including a status other than 2xx; null after success. */
export function failureWord({ responseCode, failure }: Outcome): string | null {
  if (responseCode === null) return failure
  if (responseCode >= 200 && responseCode <= 299) return null
  return responseCode >= 300 && responseCode <= 399 ? 'redirect' : 'status'
}

const FAILURES: [code: RegExp, failure: string, problem: (err: Error, to: URL) => string][] = [
  [/^ECONNREFUSED$/, 'connect', (_, { host }) => `connection refused by ${host}: is the receiver running?`],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'connect', (_, { host }) => `${host} cannot be reached`],
  [/^ETIMEDOUT$/, 'timeout', (_, { host }) => `${host} does not respond`],
  [/^(ENOTFOUND|EAI_)/, 'dns', (_, { hostname }) => `the name ${hostname} does not resolve`],
  [
    /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH|EPROTO)/,
    'tls',
    // Node adds advice for developers after the semicolon.
    ({ message }) => `TLS: ${message.split(';')[0]} (--insecure accepts any certificate)`
  ],
  [/^(ECONNRESET|EPIPE)$/, 'reset', () => 'the receiver closed the connection without a response'],
  [/^HPE_/, 'protocol', () => 'the receiver did not respond with valid HTTP']
]

/** The error messages of TLS on a plain HTTP response. */
const PLAIN_RESPONSE = /wrong version number|packet length too long|http request/i

function failureOf(err: NodeJS.ErrnoException, to: URL): [failure: string, problem: string] {
  if (to.protocol === 'https:' && PLAIN_RESPONSE.test(err.message)) {
    return ['tls', `${to.host} uses plain http, not TLS: forward to http://${to.host} instead`]
  }
  const known = FAILURES.find(([code]) => code.test(err.code ?? ''))
  return known ? [known[1], known[2](err, to)] : ['other', err.message || String(err.code)]
}
