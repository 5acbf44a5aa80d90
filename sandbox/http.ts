import { timingSafeEqual } from 'node:crypto'
import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { GraphQLSchema } from 'graphql'
import { isTemporary } from '#kit/postgres'
import { SAFE_HEADERS } from '#kit/safe-headers'
import { DOMAIN_NAME } from '#kit/texts'
import { versionServed } from './admin/shop.ts'
import type { ChargeFaults } from './billing/charge-faults.ts'
import type { SandboxDatabase } from './report-queued.ts'
import { hashToken, headerWord, type Shop, type Shops } from './shop.ts'
import { noShopPage, notFoundPage } from './storefront/not-found-page.ts'
import { shopListPage } from './storefront/shop-list.ts'
import { apiFor } from './wire/api.ts'
import { Buckets } from './wire/buckets.ts'
import { GraphqlHandler, type GraphqlRequest } from './wire/graphql-response.ts'

export type Platform = {
  db: SandboxDatabase
  shops: Shops
  clock: (shopDomain: string) => Promise<Temporal.Instant>
  /** The faults of charges in shops that are created. */
  newShopFaults: ChargeFaults | null
  log: (message: string, fields: Record<string, unknown>) => void
}

/** The shop of a request, found before every route. */
export type ShopRequest = { shop: Shop; baseUrl: string }

const MAX_BODY_BYTES = 4 * 1024 * 1024
/** Where the database does not respond. */
const RETRY_AFTER_SECONDS = 2
/** Of every response. Pages show what is true now. */
const HEADERS = { ...SAFE_HEADERS, 'cache-control': 'no-store' }

/** Creates the HTTP server of all shops. */
export function makeApp(
  platform: Platform,
  schema: GraphQLSchema,
  routes: ((shopRoutes: FastifyInstance) => void)[]
): FastifyInstance {
  const app = Fastify({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: 60_000,
    routerOptions: { maxParamLength: 300 },
    // A URL without a readable path reaches no hook.
    frameworkErrors: (err, _request, reply: FastifyReply) =>
      void reply
        .code(err.statusCode ?? 400)
        .headers(HEADERS)
        .type('application/json; charset=utf-8')
        .send({ errors: err.message }),
    clientErrorHandler: answerBrokenRequest
  })
  app.decorateRequest('shopRequest')
  app.addHook('onRequest', async (_request, reply) => void reply.headers(HEADERS))
  app.setErrorHandler((err: Error & { statusCode?: number }, _request, reply) => {
    if (isTemporary(err)) {
      platform.log('sandbox request failed: the database is away or busy', { err })
      return reply.code(503).header('retry-after', RETRY_AFTER_SECONDS).send({ errors: 'Service Unavailable' })
    }
    const status = err.statusCode && err.statusCode < 500 ? err.statusCode : 500
    if (status === 500) platform.log('sandbox request failed', { err })
    return reply.code(status).send({ errors: status === 500 ? 'Internal Server Error' : err.message })
  })
  app.setNotFoundHandler((request, reply) => sendNotFound(platform, request, reply))

  const handleGraphql = new GraphqlHandler(schema, new Buckets(), (err) =>
    platform.log('sandbox resolver failed', { err })
  )
  const shopRoutes = async (scope: FastifyInstance) => {
    scope.addHook('onRequest', async (request, reply) => {
      const found = await findShop(platform.shops, request)
      if (!found && request.method === 'GET' && request.url === '/') {
        return reply.type('text/html; charset=utf-8').send(await shopListPage(platform.db))
      }
      if (!found) return sendNotFound(platform, request, reply)
      request.shopRequest = found
    })
    graphqlRoute(platform, handleGraphql, scope)
    for (const add of routes) add(scope)
  }
  // The real platform identifies a shop by host name. On one port of one machine the shop may also be the first part of the
  // path, which is then part of its base URL.
  app.register(shopRoutes, { prefix: '/:shop' })
  app.register(shopRoutes)
  return app
}

/** A page for a browser, JSON for everybody else. */
async function sendNotFound({ shops }: Platform, request: FastifyRequest, reply: FastifyReply) {
  if (request.method !== 'GET' || !request.headers.accept?.includes('text/html')) {
    return reply.code(404).send({ errors: 'Not Found' })
  }
  const first = request.url.split(/[/?]/)[1] ?? ''
  const inPath = await shops.findByDomain(first.toLowerCase())
  const shop = inPath ?? (await shops.findByDomain(request.hostname.toLowerCase()))
  const page =
    !shop && DOMAIN_NAME.test(first.toLowerCase())
      ? noShopPage(first.toLowerCase())
      : notFoundPage(shop, inPath ? `/${inPath.domain}` : '')
  return reply.code(404).type('text/html; charset=utf-8').send(page)
}

/** Answers bytes that are no HTTP request. */
function answerBrokenRequest(err: Error & { code?: string }, socket: Socket): void {
  if (err.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const body = JSON.stringify({ errors: 'Bad Request' })
  const headers = {
    ...HEADERS,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close'
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.join('')}\r\n${body}`)
}

declare module 'fastify' {
  interface FastifyRequest {
    shopRequest: ShopRequest
  }
}

async function findShop(shops: Shops, request: FastifyRequest): Promise<ShopRequest | null> {
  const { shop: inPath } = request.params as { shop?: string }
  const shop = await shops.findByDomain((inPath ?? request.hostname).toLowerCase())
  if (!shop) return null
  return { shop, baseUrl: `http://${request.host}${inPath === undefined ? '' : `/${shop.domain}`}` }
}

/** Checks the shop's token; sends the platform's error and returns false if it is wrong. */
export async function isAuthenticated(
  { shops }: Platform,
  request: FastifyRequest,
  reply: FastifyReply
): Promise<boolean> {
  const { shop } = request.shopRequest
  const token = request.headers[`x-${headerWord(shop).toLowerCase()}-access-token`]
  if (typeof token === 'string') {
    const hash = hashToken(token)
    if (accepts(shop, hash)) return true
    // Another process may have issued it a moment ago, and given the shop to a store with that.
    shops.forget(shop.storeId)
    const asItIs = await shops.findByDomain(shop.domain)
    if (asItIs && accepts(asItIs, hash)) {
      request.shopRequest = { ...request.shopRequest, shop: asItIs }
      return true
    }
  }
  reply.code(401).send({ errors: '[API] Invalid API key or access token (unrecognized login or wrong password)' })
  return false
}

/** A token that the token endpoint has issued is good until its end; any other one is the shop's own. */
function accepts({ accessTokenHash, issuedTokens }: Shop, hash: Buffer): boolean {
  const issued = issuedTokens.find((one) => one.hash === hash.toString('hex'))
  if (issued) return issued.until > Temporal.Now.instant().epochMilliseconds
  return timingSafeEqual(hash, accessTokenHash)
}

function graphqlRoute(platform: Platform, handleGraphql: GraphqlHandler, scope: FastifyInstance) {
  const { db, clock } = platform
  scope.post('/admin/api/:version/graphql.json', async (request, reply) => {
    if (!(await isAuthenticated(platform, request, reply))) return reply
    const { version } = request.params as { version: string }
    const served = versionServed(version)
    if (!served) return reply.code(404).send({ errors: 'Not Found' })
    const { shop, baseUrl } = request.shopRequest
    const body = request.body as GraphqlRequest | null
    if (typeof body?.query !== 'string') {
      return reply.code(400).send({ errors: { query: 'Required parameter missing or invalid' } })
    }
    const api = apiFor(db, shop, baseUrl, clock)
    const response = await handleGraphql.respond(api, body)
    if (api.connection.lost) {
      reply.hijack()
      request.raw.socket.destroy()
      return reply
    }
    return reply
      .header(`X-${headerWord(shop)}-API-Version`, served)
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(response))
  })
}
