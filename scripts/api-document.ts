import fastify from 'fastify'
import { Database } from '#kit/postgres'
import { createRateLimiter } from '#kit/rate-limit'
import { registerDocs } from '../src/http/docs/index.ts'
import { registerRest } from '../src/http/rest/index.ts'
import { createAddressLimiter } from '../src/http/server/address-limiter.ts'
import { compileValidator } from '../src/http/shared/validation.ts'

/** The OpenAPI document of this checkout, as JSON. Nothing is asked of a database: only routes are registered. */
export async function apiDocument(): Promise<string> {
  const db = new Database({ url: 'postgres://nobody@127.0.0.1:1/none' })
  const app = fastify()
  app.setValidatorCompiler(compileValidator)
  const document = registerDocs(app)
  registerRest(
    app,
    { db, connectorOf: async () => unreachable(), limiter: createRateLimiter(db), wake: () => {} },
    createAddressLimiter()
  )
  await app.ready()
  const json = `${JSON.stringify(document(), null, 2)}\n`
  await app.close()
  await db.close()
  return json
}

function unreachable(): never {
  throw new Error('No request is made here')
}
