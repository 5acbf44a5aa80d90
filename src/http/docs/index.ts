import type { FastifyInstance } from 'fastify'
import type { RatePlan } from '#stores'
import type { Documents } from '../openapi/collect-documents.ts'
import { guideOf } from '../openapi/guide.ts'
import { BUDGETS, type Budget } from '../rate-limits/budgets.ts'
import { page } from './page.ts'
import { CSS } from './style.ts'

const OPEN = { config: { allow: 'anyone' } } as const

const POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * The documents that everybody may read: `/openapi.json` of the direct API, those of what is reached through the app proxy
 * (`/openapi/storefront.json`, `data.json`, `collection.json`), and the page at `/docs`, which is made from the first. No page asks another host for anything.
 */
export function registerDocs(
  app: FastifyInstance,
  documents: Omit<Documents, 'admin'>,
  budgets: Record<RatePlan, Budget> = BUDGETS
): void {
  app.get('/', OPEN, (_request, reply) => reply.redirect('/docs'))
  app.get('/openapi.json', OPEN, (_request, reply) => reply.header('cache-control', 'no-cache').send(documents.rest()))
  for (const name of ['storefront', 'data', 'collection'] as const) {
    app.get(`/openapi/${name}.json`, OPEN, (_request, reply) =>
      reply.header('cache-control', 'no-cache').send(documents[name]())
    )
  }
  app.get('/docs', OPEN, (request, reply) =>
    reply
      .headers({ 'content-security-policy': POLICY, 'cache-control': 'no-cache' })
      .type('text/html; charset=utf-8')
      .send(page(documents.rest(), guideOf(budgets), `${request.protocol}://${request.host}`))
  )
  app.get('/docs/style.css', OPEN, (_request, reply) =>
    reply.header('cache-control', 'no-cache').type('text/css; charset=utf-8').send(CSS)
  )
}
