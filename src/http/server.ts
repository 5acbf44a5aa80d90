import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { Refusal } from '#kit/refusal'
import { writeKeyUses } from '#stores'
import { createAddressLimiter } from './address-limiter.ts'
import { registerAdmin } from './admin/index.ts'
import { setBudgetHeaders } from './counting.ts'
import type { HttpDeps } from './deps.ts'
import { registerDocs } from './docs/index.ts'
import { logBug, noSuchRoute, refusalOf } from './errors.ts'
import { registerHealth } from './health.ts'
import { keepKnownPaths } from './known-paths.ts'
import { registerPlatformDoor } from './platform-door.ts'
import { logRequests } from './request-log.ts'
import { errorBody, statusOf } from './rest/errors.ts'
import { REST_PREFIX, registerRest } from './rest/index.ts'
import { registerStorefront, STOREFRONT_PREFIX } from './storefront/index.ts'
import { parseStrictJson } from './strict-json.ts'
import { compileValidator } from './validation.ts'

const MAX_BODY_BYTES = 1024 * 1024
/** For the whole request to arrive; what arrives slower is not a client of ours. */
const REQUEST_TIMEOUT_MS = 30_000
const HEADERS_TIMEOUT_MS = 10_000
const KEY_USES_EVERY_MS = 10_000

/**
 * The HTTP server with its surfaces, each encapsulated: its own authentication, error body and limits. It does not
 * listen; the app does.
 */
export function buildHttp(deps: HttpDeps): FastifyInstance {
  const countAddress = createAddressLimiter()
  const app: FastifyInstance = fastify({
    loggerInstance: deps.logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: { headersTimeout: HEADERS_TIMEOUT_MS },
    return503OnClosing: false,
    trustProxy: deps.trustedProxies ?? false,
    // An id may be of any length: one that is too long is an unknown one, not a bad route.
    routerOptions: { maxParamLength: 16_384 },
    frameworkErrors: (err, request, reply) => answerUnrouted(err, request, reply, countAddress),
    clientErrorHandler: answerBrokenRequest
  })

  app.setValidatorCompiler(compileValidator)
  app.setSerializerCompiler(() => JSON.stringify)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    const charset = /;\s*charset="?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1]
    if (charset && !/^utf-?8$/i.test(charset)) throw new Refusal('invalid_request', 'The body must be in UTF-8')
    if (body.length === 0) return undefined
    const parsed = parseStrictJson(body)
    // Further on null stands for a body that is missing.
    if (parsed === null) throw new Refusal('invalid_request', 'The body must be a JSON object')
    return parsed
  })

  app.decorateRequest('caller', null)
  app.decorateRequest('counted', null)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  app.addHook('preValidation', (request, _reply, done) => done(unreadableQuery(request.url)))
  app.setNotFoundHandler((request, reply) => {
    throw noSuchRoute(request, reply)
  })
  app.setErrorHandler((err, request, reply) => {
    const refusal = refusalOf(err)
    if (!refusal) logBug(request, err)
    return reply.code(statusOf(refusal)).send(errorBody(refusal))
  })
  logRequests(app, deps)
  noteKeyUses(app, deps)

  keepKnownPaths(app)
  registerDocs(app, deps.budgets)
  registerHealth(app, deps)
  registerPlatformDoor(app, deps)
  registerRest(app, deps, countAddress)
  registerStorefront(app, deps, countAddress)
  registerAdmin(app, deps)
  return app
}

/** PostgreSQL keeps no NUL, and a broken escape reads as something else than was meant. */
function unreadableQuery(url: string): Refusal | undefined {
  const start = url.indexOf('?')
  if (start < 0 || !url.includes('%', start)) return
  try {
    const hasNul = decodeURIComponent(url.slice(start + 1)).includes('\0')
    return hasNul ? new Refusal('invalid_request', 'The query string holds a NUL character') : undefined
  } catch {
    return new Refusal('invalid_request', 'The query string holds a broken percent escape')
  }
}

/** A path that cannot be decoded reaches no surface; it is answered in the shape of the one it was meant for. */
function answerUnrouted(
  err: Error,
  request: FastifyRequest,
  reply: FastifyReply,
  countAddress: ReturnType<typeof createAddressLimiter>
) {
  const refusal = refusalOf(err)
  if (!refusal) logBug(request, err)
  const isStorefront = request.url.startsWith(STOREFRONT_PREFIX)
  if (isStorefront || request.url.startsWith(REST_PREFIX)) setBudgetHeaders(reply, countAddress(request.ip))
  const body = isStorefront ? { message: refusal?.message ?? 'Internal error' } : errorBody(refusal)
  reply.header('x-request-id', request.id).code(statusOf(refusal)).type('application/json').send(body)
}

/** Bytes that are no HTTP request. Node has no request and no response then, only the connection. */
function answerBrokenRequest(err: Error & { code?: string }, socket: Socket) {
  if (err.code === 'ECONNRESET' || !socket.writable) return socket.destroy()
  const [status, message] =
    err.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? ['408 Request Timeout', 'The request took too long to arrive']
      : err.code === 'HPE_HEADER_OVERFLOW'
        ? ['431 Request Header Fields Too Large', 'The headers are too large']
        : ['400 Bad Request', 'This is not an HTTP request']
  const body = JSON.stringify({ error: { code: 'invalid_request', message } })
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nX-Request-Id: ${randomUUID()}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
  )
}

/** Brings the last uses of API keys to the table, beside the requests and once more at the end. */
function noteKeyUses(app: FastifyInstance, { db, logger }: HttpDeps) {
  const write = (all: boolean) =>
    writeKeyUses(db, { all }).catch((err: Error) =>
      logger.warn({ err }, `Last uses of API keys not written: ${err.message}`)
    )
  const timer = setInterval(() => write(false), KEY_USES_EVERY_MS).unref()
  app.addHook('onClose', async () => {
    clearInterval(timer)
    await write(true)
  })
}
