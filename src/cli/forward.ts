import { type IncomingMessage, request as overHttp } from 'node:http'
import { request as overHttps } from 'node:https'

/** How a delivery went at the receiver. */
export type Outcome = {
  responseCode: number | null
  durationMs: number
  /** Why there was no answer: one word of the history, and what a person makes of it. */
  failure: string | null
  problem: string | null
  /** The first bytes of the answer. */
  responseText: string
}

/** For the whole of a try, as the service has it. */
const TIMEOUT_MS = 30_000
const READ_BYTES = 64 * 1024
const KEPT_BYTES = 1024

/**
 * Posts a delivery to a receiver of the developer's own, at any address: exactly these bytes, with these headers. As in
 * the service a status settles the outcome whatever becomes of the body, and redirects are not followed. Never throws;
 * `cutOff` ends it.
 */
export function forward(
  to: URL,
  delivery: { body: string; headers: Record<string, string> },
  { insecure, cutOff, timeoutMs = TIMEOUT_MS }: { insecure: boolean; cutOff: AbortSignal; timeoutMs?: number }
): Promise<Outcome> {
  const startedAt = performance.now()
  const durationMs = () => Math.round(performance.now() - startedAt)
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const timeout = AbortSignal.timeout(timeoutMs)
  const body = Buffer.from(delivery.body)

  // A connection for each: one that the receiver closes as we reuse it would look like a failure, and there is one try.
  const request = (to.protocol === 'https:' ? overHttps : overHttp)(to, {
    method: 'POST',
    agent: false,
    signal: AbortSignal.any([timeout, cutOff]),
    rejectUnauthorized: !insecure,
    headers: { ...delivery.headers, 'content-length': body.length }
  })
  let answered = false
  request.on('response', (response) => {
    answered = true
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
    // The answer's stream ends by it too, and what was read of it is the outcome.
    if (answered) return
    const [failure, problem] = cutOff.aborted
      ? ['interrupted', 'cut off']
      : timeout.aborted
        ? ['timeout', `no answer within ${timeoutMs / 1000} s`]
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
    // An answer that breaks off is kept as far as it came.
  }
  return Buffer.concat(chunks).subarray(0, KEPT_BYTES).toString('utf8').replaceAll('\u0000', '\ufffd')
}

/** Why it failed as the history will say it, an answer that is none of 2xx included; null when it did not. */
export function failureWord({ responseCode, failure }: Outcome): string | null {
  if (responseCode === null) return failure
  if (responseCode >= 200 && responseCode <= 299) return null
  return responseCode >= 300 && responseCode <= 399 ? 'redirect' : 'status'
}

const FAILURES: [code: RegExp, failure: string, problem: (err: Error, to: URL) => string][] = [
  [/^ECONNREFUSED$/, 'connect', (_, { host }) => `connection refused by ${host}: is the receiver running?`],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'connect', (_, { host }) => `${host} cannot be reached`],
  [/^ETIMEDOUT$/, 'timeout', (_, { host }) => `${host} does not answer`],
  [/^(ENOTFOUND|EAI_)/, 'dns', (_, { hostname }) => `the name ${hostname} does not resolve`],
  [
    /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH|EPROTO)/,
    'tls',
    // What follows is advice to whoever runs Node.
    ({ message }) => `TLS: ${message.split(';')[0]} (--insecure takes any certificate)`
  ],
  [/^(ECONNRESET|EPIPE)$/, 'reset', () => 'the receiver closed the connection without an answer'],
  [/^HPE_/, 'protocol', () => 'what the receiver answered is no HTTP']
]

/** What TLS makes of the beginning of a plain HTTP answer. */
const PLAIN_RESPONSE = /wrong version number|packet length too long|http request/i

function failureOf(err: NodeJS.ErrnoException, to: URL): [failure: string, problem: string] {
  if (to.protocol === 'https:' && PLAIN_RESPONSE.test(err.message)) {
    return ['tls', `${to.host} speaks plain http, not TLS: forward to http://${to.host} instead`]
  }
  const known = FAILURES.find(([code]) => code.test(err.code ?? ''))
  return known ? [known[1], known[2](err, to)] : ['other', err.message || String(err.code)]
}
