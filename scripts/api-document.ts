import fastify from 'fastify'
import { Database } from '#kit/postgres'
import { openVault, Secret } from '#kit/secrets'
import type { SignIn } from '#team'
import * as sections from '../src/app/settings-sections.ts'
import { registerAdmin } from '../src/http/admin/index.ts'
import { collectDocuments } from '../src/http/openapi/collect-documents.ts'
import type { OpenApiDocument } from '../src/http/openapi/document-types.ts'
import { createAddressLimiter } from '../src/http/rate-limits/address-limiter.ts'
import { createRateLimiter } from '../src/http/rate-limits/rate-limiter.ts'
import { registerRest } from '../src/http/rest/index.ts'
import type { HttpDeps } from '../src/http/shared/deps.ts'
import { compileValidator } from '../src/http/shared/validation.ts'
import { registerStorefront } from '../src/http/storefront/index.ts'

export type SurfaceName = 'rest' | 'storefront' | 'data' | 'collection' | 'admin'

/** The OpenAPI documents of this checkout. Nothing is asked of a database: routes are registered and never called. */
export async function apiDocuments(): Promise<Record<SurfaceName, OpenApiDocument>> {
  const db = new Database({ url: 'postgres://nobody@127.0.0.1:1/none' })
  const app = fastify()
  app.setValidatorCompiler(compileValidator)
  app.removeAllContentTypeParsers()
  const documents = collectDocuments(app)
  const deps = {
    db,
    vault: openVault(Buffer.alloc(32)),
    limiter: createRateLimiter(db),
    operatorToken: new Secret('none'),
    settings: Object.values(sections)
  } as unknown as HttpDeps
  const countAddress = createAddressLimiter()
  app.decorateRequest('caller', null)
  app.decorateRequest('counted', null)
  registerRest(app, deps, countAddress)
  registerStorefront(app, deps, countAddress)
  // No request is made, so that nobody signs in.
  const signIn = {} as SignIn
  registerAdmin(app, { ...deps, adminDocument: documents.admin, signIn })
  await app.ready()
  const created = {
    rest: documents.rest(),
    storefront: documents.storefront(),
    data: documents.data(),
    collection: documents.collection(),
    admin: documents.admin()
  }
  await app.close()
  await db.close()
  return created
}

/** A document as it is written to a file. */
export const jsonOf = (document: OpenApiDocument): string => `${JSON.stringify(document, null, 2)}\n`
