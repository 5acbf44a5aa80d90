import type { FastifyInstance } from 'fastify'
import type { RatePlan } from '#stores'
import { BUDGETS, type Budget } from '../rate-limits/budgets.ts'
import { adminDocument } from './admin-document.ts'
import { collectionDocument } from './collection-document.ts'
import { dataDocument } from './data-document.ts'
import type { DocumentedRoute, OpenApiDocument, RestDocument } from './document-types.ts'
import { restDocument } from './rest-document.ts'
import { storefrontDocument } from './storefront-document.ts'

/** The document of each surface. Each is made when it is first asked for, once the server is ready. */
export type Documents = { rest: () => RestDocument } & Record<
  'storefront' | 'data' | 'collection' | 'admin',
  () => OpenApiDocument
>

/** Collects the routes that are registered after this, and makes the documents of the surfaces from them. */
export function collectDocuments(app: FastifyInstance, budgets: Record<RatePlan, Budget> = BUDGETS): Documents {
  const routes: DocumentedRoute[] = []
  app.addHook('onRoute', (route) => {
    if (route.method !== 'HEAD') routes.push(route)
  })
  return {
    rest: once(() => restDocument(routes, budgets)),
    storefront: once(() => storefrontDocument(routes)),
    data: once(() => dataDocument(routes)),
    collection: once(() => collectionDocument(routes)),
    admin: once(() => adminDocument(routes))
  }
}

function once<T>(make: () => T): () => T {
  let built: T | undefined
  return () => (built ??= make())
}
