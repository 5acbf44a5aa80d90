import { STATUS_CODES } from 'node:http'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { TooManyExports } from '#exports'
import { isBusy, isOutage } from '#kit/postgres'
import { Busy, invalidBody, Refusal } from '#kit/refusal'
import { RateLimited } from '../rate-limits/rate-limited.ts'
import { TooManyAtOnce } from '../rate-limits/too-many-at-once.ts'

export const authenticationFailed = (message = 'A valid API key is needed') =>
  new Refusal('authentication_failed', message)

/** Refuses an unknown path or method. Where the path exists, `Allow` and the message list its methods. */
export function noSuchRoute(request: FastifyRequest, reply: FastifyReply): Refusal {
  const path = pathOf(request.url)
  const methods = request.server.methodsOf(path).join(', ')
  if (methods) reply.header('allow', methods)
  const problem = `There is no ${request.method} ${path.slice(0, 200)}`
  return new Refusal('not_found', methods ? `${problem}; this path accepts ${methods}` : problem)
}

/** Refuses every path of the API on a node that only runs the background. */
export function servedElsewhere(request: FastifyRequest, reply: FastifyReply): Refusal {
  const refusal = noSuchRoute(request, reply)
  if (reply.hasHeader('allow')) return refusal
  return new Refusal(
    'not_found',
    'This node is a worker and serves only /livez, /readyz and /metrics: send the request to a node of the role web or all (PUBLIC_URL)'
  )
}

/** The refusal of a request that waited too long for a lock or a connection. */
export function tooBusy(): Busy {
  return new Busy('The service is busy, and nothing was changed; repeat the request after the seconds in Retry-After')
}

/**
 * The refusal of a request during which the database could not be reached, or refused to work: it stalls, restarts, is full or only
 * reads. If it was lost while a write was being committed, nobody knows on which side of that.
 */
function databaseAway(): Busy {
  return new Busy(
    'The database does not respond at the moment. Repeat the request after the seconds in Retry-After, a write with its Idempotency-Key: whether it was carried out is not known'
  )
}

/**
 * What to answer for something thrown: the refusal itself, an error of the framework in our words, or null for a bug of
 * ours.
 */
export function refusalOf(err: unknown, request: FastifyRequest): Refusal | RateLimited | null {
  if (err instanceof Refusal || err instanceof RateLimited) return err
  if (err instanceof TooManyExports) return new TooManyAtOnce(err)
  if (isBusy(err)) return tooBusy()
  if (isOutage(err)) return databaseAway()
  const { code, statusCode } = err as Partial<FastifyError>
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return invalidBody(`is larger than ${request.routeOptions.bodyLimit / 1024} KiB`)
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return invalidType(typesOf(request))
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return invalidBody('does not have the length that Content-Length says')
    case 'FST_ERR_BAD_URL':
      return new Refusal('invalid_request', 'The request names no path', [
        { field: 'URL', code: 'invalid', message: 'names no path' }
      ])
  }
  // The body ended early: the client is most likely gone, and only the log of a proxy sees the answer.
  if (code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ABORT_ERR') {
    return new Refusal('invalid_request', 'The request broke off')
  }
  if (statusCode && statusCode >= 400 && statusCode < 500 && code?.startsWith('FST_')) {
    return new Refusal('invalid_request', STATUS_CODES[statusCode] ?? 'Bad Request')
  }
  return null
}

const invalidType = (accepted: string[]) =>
  new Refusal('invalid_request', `A body must be sent with Content-Type: ${accepted.join(' or ')}`, [
    { field: 'Content-Type', code: 'invalid', message: `must be ${accepted.join(' or ')} for a body` }
  ])

/**
 * Refuses a write whose Content-Type is not one that the route accepts, also one without a body: a page of somebody else can have a browser send a form, or nothing at
 * all, with the customer's cookies, but no JSON.
 */
export function requireBodyType(request: FastifyRequest): void {
  if (request.is404 || request.method === 'GET' || request.method === 'HEAD') return
  const accepted = typesOf(request)
  const type = (request.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase()
  if (!accepted.includes(type)) throw invalidType(accepted)
}

/** The types of the body that the route accepts. */
const typesOf = ({ routeOptions: { schema } }: FastifyRequest): string[] =>
  schema?.consumes ? Object.keys(schema.consumes) : [schema?.bodyType ?? 'application/json']

/** Logs a bug, once; without the detail of a database error, which quotes the row. */
export function logBug(request: FastifyRequest, err: unknown): void {
  const { name, message, stack, code, constraint, table } = err as Error & Record<string, unknown>
  const caller = request.caller && { id: request.caller.storeId }
  request.log.error(
    { err: { type: name, message, code, constraint, table, stack }, store: caller, route: request.routeOptions.url },
    `${request.method} ${request.routeOptions.url ?? 'unknown route'} failed: ${message}`
  )
}

/** The token of an `Authorization: Bearer` header; null when there is none. */
export function bearerOf(request: FastifyRequest): string | null {
  return /^Bearer +([^\s]+) *$/i.exec(request.headers.authorization ?? '')?.[1] ?? null
}

/** The path of a URL. For the router a query begins at `#` as well as at `?`. */
export function pathOf(url: string): string {
  const end = url.search(/[?#]/)
  return end < 0 ? url : url.slice(0, end)
}
