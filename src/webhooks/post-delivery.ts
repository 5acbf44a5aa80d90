import { type Dispatcher, request } from 'undici'

/** Why a try failed: no answer (timeout … protocol), or an answer that is none of 2xx (redirect, status). */
type Failure =
  | 'timeout'
  | 'address_refused'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'reset'
  | 'protocol'
  | 'other'
  | 'redirect'
  | 'status'

export type Answer = {
  durationMs: number
  responseCode: number | null
  failure: Failure | null
  /** The first bytes of the answer's body, as text. */
  responseText: string
}

// Reading a little of a longer answer keeps its connection in use; a body beyond that is cut off with its connection.
const READ_BYTES = 64 * 1024
const KEPT_BYTES = 1024

/**
 * One POST. The time limit is for the whole of it: connecting, sending, waiting, reading. Redirects are not followed.
 * A 2xx status is a success whatever becomes of the body. Never throws; null when `stop` ended it before an answer.
 */
export async function postDelivery(
  agent: Dispatcher,
  url: string,
  { headers, body, timeoutMs }: { headers: Record<string, string>; body: Buffer; timeoutMs: number },
  stop: AbortSignal
): Promise<Answer | null> {
  const startedAt = performance.now()
  const giveUp = new AbortController()
  const timer = setTimeout(() => giveUp.abort(), timeoutMs)
  const onStop = () => giveUp.abort()
  stop.addEventListener('abort', onStop)
  const took = () => Math.round(performance.now() - startedAt)
  try {
    const answer = await request(url, { dispatcher: agent, method: 'POST', headers, body, signal: giveUp.signal })
    const responseText = await beginningOf(answer.body)
    return { durationMs: took(), responseCode: answer.statusCode, failure: failureOf(answer.statusCode), responseText }
  } catch (err) {
    if (stop.aborted) return null
    const failure = giveUp.signal.aborted ? 'timeout' : failureBefore(err as Error)
    return { durationMs: took(), responseCode: null, failure, responseText: '' }
  } finally {
    clearTimeout(timer)
    stop.removeEventListener('abort', onStop)
  }
}

function failureOf(status: number): Failure | null {
  if (status >= 200 && status <= 299) return null
  return status >= 300 && status <= 399 ? 'redirect' : 'status'
}

/** Listeners and not `for await`, which costs a quarter of the sender's rate. */
function beginningOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  return new Promise((done) => {
    const chunks: Buffer[] = []
    let read = 0
    body.on('data', (chunk: Buffer) => {
      if (read < KEPT_BYTES) chunks.push(chunk)
      read += chunk.length
      if (read >= READ_BYTES) body.destroy()
    })
    // The status has told the outcome; an answer that breaks off or drips past the limit is kept as far as it came.
    body.on('error', () => {})
    body.on('close', () => done(textOf(chunks)))
  })
}

function textOf(chunks: Buffer[]): string {
  if (chunks.length === 0) return ''
  // PostgreSQL's text takes no NUL.
  return Buffer.concat(chunks).subarray(0, KEPT_BYTES).toString('utf8').replaceAll('\u0000', '\ufffd')
}

const FAILURES: [pattern: RegExp, failure: Failure][] = [
  [/^ADDRESS_REFUSED$/, 'address_refused'],
  [/TIMEOUT|ETIMEDOUT/, 'timeout'],
  [/^(ENOTFOUND|EAI_)/, 'dns'],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'connect'],
  [/^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH|EPROTO)/, 'tls'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'reset'],
  [/^(HPE_|UND_ERR_|HTTPParserError)/, 'protocol']
]

function failureBefore(err: Error & { code?: string }): Failure {
  const code = err.code ?? err.name
  return FAILURES.find(([pattern]) => pattern.test(code))?.[1] ?? 'other'
}
