import { StringDecoder } from 'node:string_decoder'
import type { Dispatcher } from 'undici'
import { type ConnectionFailure, connectionFailureOf } from '#kit/outbound'

/** Why a try failed: no response, or a response other than 2xx (redirect, status). */
type Failure = ConnectionFailure | 'interrupted' | 'redirect' | 'status'

export type DeliveryResponse = {
  durationMs: number
  responseCode: number | null
  failure: Failure | null
  /** The first bytes of the response's body, as text. */
  responseText: string
}

/** The result of a try whose process ended before it. */
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

// Reading a little of a longer response keeps its connection in use; a longer body is ended with its connection.
const READ_BYTES = 64 * 1024
const KEPT_BYTES = 1024
// Once the status is there, the outcome is known: no reason to use capacity for long.
const READ_MS = 2_000
// Interim responses (1xx) cost as much as any other, and nothing else limits their number.
const MAX_INTERIM = 20

/**
 * One POST. Redirects are not followed. A 2xx status is a success whatever happens to the body. Never throws. While it
 * lasts, `cutOffs` holds the function that ends it as interrupted. It uses the dispatcher directly, since
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
    // The status is the outcome; of a body that breaks off or is too slow, what has arrived is stored.
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
          timer = setTimeout(
            () => abort(null),
            Math.max(0, Math.min(READ_MS, timeoutMs - (performance.now() - startedAt)))
          )
        },
        onResponseData(_, chunk) {
          if (read < KEPT_BYTES) chunks.push(chunk)
          read += chunk.length
          if (read >= READ_BYTES) abort(null)
        },
        onResponseEnd: () => end('protocol'),
        onResponseError: (_, err) => end(connectionFailureOf(err))
      }
    )
  } catch (err) {
    end(connectionFailureOf(err as Error))
  }
  return promise
}

/** The failure that a response status means; null for a success. */
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
