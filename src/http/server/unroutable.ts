import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '#kit/refusal'
import { SAFE_HEADERS } from '#kit/safe-headers'
import type { CountAddress } from '../rate-limits/address-limiter.ts'
import { rateLimitHeaders } from '../rate-limits/rate-limit-status.ts'
import { errorBody, statusOf } from '../shared/error-body.ts'
import { logBug, pathOf, refusalOf } from '../shared/errors.ts'

/**
 * The URL to route a request by. A path that cannot be decoded is escaped once more, so that it reaches its surface, is
 * authenticated and counted there like any other, and is refused by `refuseUnreadableUrls`.
 */
export function routableUrl({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  const path = pathOf(url)
  return !path.includes('%') || isDecodable(path) ? url : path.replaceAll('%', '%25') + url.slice(path.length)
}

/**
 * Refuses a NUL, which PostgreSQL cannot store, a broken escape, which has no clear meaning, and a `#`, which is for browsers
 * only.
 */
export function refuseUnreadableUrls(app: FastifyInstance): void {
  app.addHook('preParsing', (request, _reply, payload, done) => done(unreadable(request), payload))
}

function unreadable({ url, originalUrl }: FastifyRequest): Refusal | undefined {
  if (originalUrl.includes('#')) {
    const message = 'holds a #: within a value it is written %23'
    return new Refusal('invalid_request', `The URL ${message}`, [{ field: 'URL', code: 'invalid', message }])
  }
  if (url !== originalUrl) {
    return new Refusal('invalid_request', 'The path holds a broken percent escape', [
      { field: 'path', code: 'invalid', message: 'holds a broken percent escape' }
    ])
  }
  const query = url.slice(pathOf(url).length)
  if (!query.includes('%')) return
  if (!isDecodable(query)) return unreadableIn(query, 'holds a broken percent escape', (part) => !isDecodable(part))
  if (query.includes('%00')) return unreadableIn(query, 'holds a NUL character', (part) => part.includes('%00'))
}

function unreadableIn(query: string, message: string, isBad: (part: string) => boolean): Refusal {
  const parameters = query.slice(1).split('&').filter(isBad)
  return new Refusal(
    'invalid_request',
    `The query string ${message}`,
    parameters.map((part) => ({ field: part.split('=')[0]!.slice(0, 100), code: 'invalid', message }))
  )
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** Refuses what Node would refuse with an empty body and none of our headers. Here it is a request like any other. */
export function refuseUnsupportedExpectations(app: FastifyInstance): void {
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.addHook('onRequest', ({ raw: { headers, httpVersion } }, _reply, done) => {
    if (headers.host === undefined && httpVersion === '1.1') {
      done(
        new Refusal('invalid_request', 'The header Host is missing', [
          { field: 'Host', code: 'required', message: 'is missing' }
        ])
      )
    } else if (headers.expect !== undefined && !/^100-continue$/i.test(headers.expect)) {
      done(
        new Refusal('invalid_request', 'The header Expect must be 100-continue', [
          { field: 'Expect', code: 'invalid', message: 'must be 100-continue' }
        ])
      )
    } else done()
  })
}

/** Answers a target without a path, such as `http:///x`, which reaches no surface. */
export function handleUnrouted(err: Error, request: FastifyRequest, reply: FastifyReply, countAddress: CountAddress) {
  const refusal = refusalOf(err, request)
  if (!refusal) logBug(request, err)
  reply
    .headers({ ...ownHeaders(request.id), ...rateLimitHeaders(countAddress(request.ip)) })
    .code(statusOf(refusal))
    .type('application/json; charset=utf-8')
    .send(errorBody(refusal))
}

type Exchange = { request: IncomingMessage; response: ServerResponse }

/** The open requests of each connection: clients may send the next one before the last one is answered. */
const exchanges = new WeakMap<Socket, Exchange[]>()

const underWay = (socket: Socket) =>
  (exchanges.get(socket) ?? []).filter(({ request, response }) => !request.complete || !response.writableFinished)

/** Whether the client would read our next response as the one to the broken bytes. */
function isNextToAnswer(socket: Socket): boolean {
  const [first, ...others] = underWay(socket)
  return !first || (others.length === 0 && !first.request.complete && !first.response.headersSent)
}

/** Records open requests for `handleBrokenRequest`. CONNECT, for which Node would hang up, is answered like a broken request. */
export function watchConnections(
  app: FastifyInstance,
  respondToBrokenRequest: (err: BrokenRequest, socket: Socket) => void
) {
  app.addHook('onRequest', ({ raw: request }, { raw: response }, done) => {
    exchanges.set(request.socket, [...underWay(request.socket), { request, response }])
    done()
  })
  app.server.on('connect', (_request, socket: Socket) => {
    // Node no longer handles errors of this connection.
    socket.on('error', () => socket.destroy())
    respondToBrokenRequest(Object.assign(new Error('CONNECT is not taken'), { code: CONNECT }), socket)
  })
}

const CONNECT = 'CONNECT'
type BrokenRequest = Error & { code?: string }

/** Answers bytes that are no HTTP request. There is no request and no response then, only the connection. */
export function handleBrokenRequest(
  err: BrokenRequest,
  socket: Socket,
  countAddress: CountAddress,
  maxHeaderBytes: number
) {
  if (err.code === 'ECONNRESET' || !socket.writable || !isNextToAnswer(socket)) return socket.destroy()
  const body = JSON.stringify(errorBody(new Refusal('invalid_request', whatBroke(err.code, maxHeaderBytes))))
  const headers = {
    ...ownHeaders(randomUUID()),
    ...rateLimitHeaders(countAddress(socket.remoteAddress ?? 'unknown')),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close'
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.join('')}\r\n${body}`)
}

function whatBroke(code: string | undefined, maxHeaderBytes: number): string {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'The request took too long to arrive'
  if (code === 'HPE_HEADER_OVERFLOW') return `The headers are larger than ${maxHeaderBytes / 1024} KiB`
  if (code === CONNECT) return 'The method CONNECT is not taken here'
  return 'This is not an HTTP request'
}

/** The headers of every response. No cache may store it, unless its route says otherwise. */
export function ownHeaders(requestId: string) {
  return { 'x-request-id': requestId, 'cache-control': 'no-store', ...SAFE_HEADERS }
}
