import { StringDecoder } from 'node:string_decoder'
import type { Dispatcher } from 'undici'

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
  | 'interrupted'
  | 'redirect'
  | 'status'

export type DeliveryResponse = {
  durationMs: number
  responseCode: number | null
  failure: Failure | null
  /** The first bytes of the answer's body, as text. */
  responseText: string
}

/** What is known of a try whose process ended under it. */
export const INTERRUPTED: DeliveryResponse = {
  durationMs: 0,
  responseCode: null,
  failure: 'interrupted',
  responseText: ''
}

export type Post = {
  origin: string
  path: string
  headers: string[]
  body: Buffer
  /** For the whole of it: connecting, sending, waiting, reading. */
  timeoutMs: number
}

// Reading a little of a longer answer keeps its connection in use; a body beyond that is cut off with its connection.
const READ_BYTES = 64 * 1024
const KEPT_BYTES = 1024
// From the status on the outcome is known: no reason to hold a place for long.
const READ_MS = 2_000
// Interim answers (1xx) cost as much as any, and nothing else bounds how many there are.
const MAX_INTERIM = 20

/**
 * One POST. Redirects are not followed. A 2xx status is a success whatever becomes of the body. Never throws. While it
 * lasts `cutOffs` holds the function that ends it, as interrupted. Speaks to the dispatcher itself, since
 * undici.request costs as much again as everything else that we do per try.
 */
export function postDelivery(
  agent: Dispatcher,
  { timeoutMs, ...post }: Post,
  cutOffs: Set<() => void>
): Promise<DeliveryResponse> {
  const startedAt = performance.now()
  const { promise, resolve } = Promise.withResolvers<DeliveryResponse>()
  const chunks: Buffer[] = []
  let read = 0
  let interim = 0
  let status: number | null = null
  let over = false
  let connection: Dispatcher.DispatchController | null = null

  const end = (failure: Failure | null) => {
    if (over) return
    over = true
    clearTimeout(timer)
    cutOffs.delete(cutOff)
    const durationMs = Math.round(performance.now() - startedAt)
    // The status has told the outcome; an answer that breaks off or drips past the limit is kept as far as it came.
    resolve(
      status === null
        ? { durationMs, responseCode: null, failure, responseText: '' }
        : { durationMs, responseCode: status, failure: failureOf(status), responseText: textOf(chunks) }
    )
  }
  const abort = (failure: Failure | null) => {
    end(failure)
    connection?.abort(new Error('ended by us'))
  }
  let timer = setTimeout(() => abort('timeout'), timeoutMs)
  const cutOff = () => abort('interrupted')
  cutOffs.add(cutOff)

  try {
    agent.dispatch(
      { ...post, method: 'POST' },
      {
        onRequestStart(controller) {
          connection = controller
          if (over) controller.abort(new Error('ended by us'))
        },
        onResponseStart(_, statusCode) {
          if (statusCode < 200) {
            if (++interim > MAX_INTERIM) abort('protocol')
            return
          }
          status = statusCode
          clearTimeout(timer)
          timer = setTimeout(() => abort(null), Math.min(READ_MS, timeoutMs - (performance.now() - startedAt)))
        },
        onResponseData(_, chunk) {
          if (read < KEPT_BYTES) chunks.push(chunk)
          read += chunk.length
          if (read >= READ_BYTES) abort(null)
        },
        onResponseEnd: () => end('protocol'),
        onResponseError: (_, err) => end(failureBefore(err))
      }
    )
  } catch (err) {
    end(failureBefore(err as Error))
  }
  return promise
}

/** What a response status says of a try; null for a success. */
export function failureOf(status: number): Failure | null {
  if (status >= 200 && status <= 299) return null
  return status >= 300 && status <= 399 ? 'redirect' : 'status'
}

function textOf(chunks: Buffer[]): string {
  if (chunks.length === 0) return ''
  // Leaves out a character that the cut goes through. PostgreSQL's text takes no NUL.
  const text = new StringDecoder('utf8').write(Buffer.concat(chunks).subarray(0, KEPT_BYTES))
  return text.replaceAll('\u0000', '\ufffd')
}

const FAILURES: [pattern: RegExp, failure: Failure][] = [
  [/^ADDRESS_REFUSED$/, 'address_refused'],
  [/TIMEOUT|ETIMEDOUT/, 'timeout'],
  [/^(ENOTFOUND|EAI_)/, 'dns'],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'connect'],
  [/^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH|EPROTO)/, 'tls'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'reset'],
  // undici's parser asserts where it does not expect what a receiver says, such as status 000.
  [/^(HPE_|UND_ERR_|HTTPParserError|ERR_ASSERTION)/, 'protocol']
]
// What undici calls a failure of the socket, though it is one of the answer: 100 or 101 that nobody asked for.
const INVALID_RESPONSE = /^bad (response|upgrade)$/

function failureBefore(err: Error & { code?: string }): Failure {
  if (INVALID_RESPONSE.test(err.message)) return 'protocol'
  const code = err.code ?? err.name
  return FAILURES.find(([pattern]) => pattern.test(code))?.[1] ?? 'other'
}
