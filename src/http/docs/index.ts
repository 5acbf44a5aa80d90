import type { FastifyInstance } from 'fastify'
import type { Budget } from '#kit/rate-limit'
import type { RatePlan } from '#stores'
import { type OpenApiDocument, openApiDocument } from '../openapi/document.ts'
import { guideOf } from '../openapi/guide.ts'
import type { Route } from '../openapi/route.ts'
import { REST_PREFIX } from '../rest/index.ts'
import { BUDGETS } from '../shared/rate-limit-hook.ts'
import { page } from './page.ts'
import { CSS } from './style.ts'

const POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * The reference of the direct API as it is now: `/openapi.json` is made from the routes that are registered after this,
 * and the page at `/docs` from that document. Neither asks another host for anything. Returns the way to the document,
 * which is there once the server is ready.
 */
export function registerDocs(app: FastifyInstance, budgets: Record<RatePlan, Budget> = BUDGETS): () => OpenApiDocument {
  const routes: Route[] = []
  app.addHook('onRoute', (route) => {
    if (route.url.startsWith(`${REST_PREFIX}/`) && route.method !== 'HEAD') routes.push(route)
  })
  let made: OpenApiDocument | undefined
  const document = () => (made ??= openApiDocument(routes, budgets))

  app.get('/', (_request, reply) => reply.redirect('/docs'))
  app.get('/openapi.json', (_request, reply) => reply.header('cache-control', 'no-cache').send(document()))
  app.get('/docs', (request, reply) =>
    reply
      .headers({ 'content-security-policy': POLICY, 'cache-control': 'no-cache' })
      .type('text/html; charset=utf-8')
      .send(page(document(), guideOf(budgets), `${request.protocol}://${request.host}`))
  )
  app.get('/docs/style.css', (_request, reply) =>
    reply.header('cache-control', 'no-cache').type('text/css; charset=utf-8').send(CSS)
  )
  return document
}
