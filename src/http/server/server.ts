import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import fastify, { type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import { withRequestId } from '#kit/outbox'
import { invalidBody } from '#kit/refusal'
import { writeKeyUses, writeProxyUses } from '#stores'
import { createSignIn } from '#team'
import { registerAdmin } from '../admin/index.ts'
import { registerAdminPages } from '../admin-pages/index.ts'
import { registerAssets } from '../assets/index.ts'
import { registerDocs } from '../docs/index.ts'
import { registerInboundWebhooks } from '../inbound/inbound-webhooks.ts'
import { registerWalletDevices } from '../inbound/wallet-devices.ts'
import { registerInstall } from '../install/index.ts'
import { collectDocuments } from '../openapi/collect-documents.ts'
import { createAddressLimiter } from '../rate-limits/address-limiter.ts'
import { registerRest } from '../rest/index.ts'
import { ALLOWED, requireAllow } from '../shared/access.ts'
import { limitRequests } from '../shared/deadline.ts'
import type { HttpDeps } from '../shared/deps.ts'
import { errorBody, statusOf } from '../shared/error-body.ts'
import { noSuchRoute, servedElsewhere } from '../shared/errors.ts'
import { handleErrors, refuseUnknownPaths } from '../shared/surface.ts'
import { compileValidator } from '../shared/validation.ts'
import { registerSignIn } from '../sign-in/index.ts'
import { registerStorefront } from '../storefront/index.ts'
import { boundBodyBytes } from './body-bytes.ts'
import { registerHealth } from './health.ts'
import { keepRequests } from './keep-requests.ts'
import { trackKnownPaths } from './known-paths.ts'
import { logRequests } from './request-log.ts'
import { FILE_TIMEOUT_MS, refuseSlowRequests } from './slow-requests.ts'
import { parseStrictJson } from './strict-json.ts'
import {
  handleBrokenRequest,
  handleUnrouted,
  ownHeaders,
  refuseUnreadableUrls,
  refuseUnsupportedExpectations,
  routableUrl,
  watchConnections
} from './unroutable.ts'

/** Far more than an operator sends. Checking a body blocks every other request, so that a surface may set less. */
const MAX_BODY_BYTES = 256 * 1024
const MAX_HEADER_BYTES = 16 * 1024
const HEADERS_TIMEOUT_MS = 10_000
const USES_EVERY_MS = 10_000
/** Some surfaces read files when the server starts, for which a machine that is busy or has a slow disk takes its time. */
const PLUGIN_TIMEOUT_MS = 120_000

/**
 * The HTTP server with its surfaces, each encapsulated: its own authentication, error body and limits; or, for a node that
 * serves nobody, with its health and metrics only. It does not listen; the app does.
 */
export function buildHttp(deps: HttpDeps, { healthOnly = false } = {}): FastifyInstance {
  const countAddress = createAddressLimiter()
  const refusePath = healthOnly ? servedElsewhere : noSuchRoute
  const respondToBrokenRequest = (err: Error, socket: Socket) =>
    handleBrokenRequest(err, socket, countAddress, MAX_HEADER_BYTES)
  const app: FastifyInstance = fastify({
    loggerInstance: deps.logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    bodyLimit: MAX_BODY_BYTES,
    pluginTimeout: PLUGIN_TIMEOUT_MS,
    requestTimeout: FILE_TIMEOUT_MS,
    http: { headersTimeout: HEADERS_TIMEOUT_MS, maxHeaderSize: MAX_HEADER_BYTES, requireHostHeader: false },
    return503OnClosing: false,
    trustProxy: deps.trustedProxies ?? false,
    // An id may have any length: one that is too long is an unknown id, not a bad route.
    routerOptions: { maxParamLength: 16_384 },
    rewriteUrl: routableUrl,
    frameworkErrors: (err, request, reply) => handleUnrouted(err, request, reply, countAddress),
    clientErrorHandler: respondToBrokenRequest
  })

  app.setValidatorCompiler(compileValidator)
  app.setSerializerCompiler(() => JSON.stringify)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    const charset = /;\s*charset="?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1]
    if (charset && !/^utf-?8$/i.test(charset)) throw invalidBody('must be in UTF-8')
    if (body.length === 0) return undefined
    const parsed = parseStrictJson(body)
    // After this, null stands for a missing body.
    if (parsed === null) throw invalidBody('must be a JSON object')
    return parsed
  })

  app.decorateRequest('caller', null)
  app.decorateRequest('counted', null)
  app.decorateRequest('isUntraced', false)
  watchConnections(app, respondToBrokenRequest)
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(ownHeaders(request.id))
    done()
  })
  // Behind the body: who reads it from the socket knows no request.
  app.addHook('preHandler', (request, _reply, done) => withRequestId(request.id, done))
  limitRequests(app, deps.answeredWithinMs)
  refuseSlowRequests(app, respondToBrokenRequest)
  refuseUnsupportedExpectations(app)
  refuseUnreadableUrls(app)
  refuseUnknownPaths(app, refusePath)
  boundBodyBytes(app, deps.maxBodyBytesInFlight)
  hangUpWhenClosing(app)
  handleErrors(app, { statusOf, errorBody })
  logRequests(app, deps)
  app.addHook('onRoute', (route) => requireAllow(route, Object.values(ALLOWED).flat()))
  trackKnownPaths(app)
  registerHealth(app, deps)
  if (healthOnly) return app

  recordUses(app, deps)
  keepRequests(app, deps)
  const documents = collectDocuments(app, deps.budgets)
  registerDocs(app, documents, deps.budgets)
  registerInboundWebhooks(app, deps)
  registerWalletDevices(app, deps, countAddress)
  registerInstall(app, deps, countAddress)
  registerRest(app, deps, countAddress)
  registerStorefront(app, deps, countAddress)
  registerAssets(app, deps)
  const signIn = createSignIn({
    ...deps,
    publicUrl: deps.install.publicUrl,
    warn: (message) => deps.logger.warn(message)
  })
  registerAdminPages(app, deps)
  registerSignIn(app, { ...deps, signIn })
  registerAdmin(app, { ...deps, adminDocument: documents.admin, signIn })
  return app
}

/** Ends the connection with the last response: a client that keeps it alive would hold the stop for more than a minute. */
function hangUpWhenClosing(app: FastifyInstance) {
  let isClosing = false
  app.addHook('preClose', (done) => {
    isClosing = true
    done()
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isClosing) reply.header('connection', 'close')
    done(null, payload)
  })
}

/** Writes the last uses of API keys and app proxies, apart from the requests, and once more at the end. */
function recordUses(app: FastifyInstance, { db, logger }: HttpDeps) {
  const written = (what: string, writing: Promise<unknown>) =>
    writing.catch((err: Error) => logger.warn({ err }, `Last uses of ${what} not written: ${err.message}`))
  const write = (all: boolean) =>
    Promise.all([written('API keys', writeKeyUses(db, { all })), written('app proxies', writeProxyUses(db, { all }))])
  const timer = setInterval(() => void write(false), USES_EVERY_MS).unref()
  app.addHook('onClose', async () => {
    clearInterval(timer)
    await write(true)
  })
}
