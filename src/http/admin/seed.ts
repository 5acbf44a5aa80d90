import { PassThrough } from 'node:stream'
import { Type } from 'typebox'
import type { HttpDeps } from '../shared/deps.ts'
import { logBug, refusalOf } from '../shared/errors.ts'
import type { Surface } from '../shared/surface.ts'
import { errorBody } from './errors.ts'
import { StoreParams } from './fields.ts'
import { sandboxStore } from './sandbox.ts'

/**
 * Fills a sandbox store with a life. Answers line by line (NDJSON): {"progress": …} while it goes on, then one
 * {"result": …}, or {"error": …} since the status is sent before the end is known. A client that leaves does not stop it.
 */
export function registerSeed(admin: Surface, { db, seed }: Pick<HttpDeps, 'db' | 'seed'>): void {
  admin.post(
    '/stores/:store/seed',
    {
      schema: {
        params: StoreParams,
        body: Type.Object({
          members: Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'an integer from 1 to 1000000' }),
          months: Type.Integer({ minimum: 0, maximum: 120, description: 'an integer from 0 to 120' })
        })
      }
    },
    async (request, reply) => {
      const { storeId } = await sandboxStore(db, request.params.store)
      const lines = new PassThrough()
      const write = (line: object) => {
        if (!lines.destroyed) lines.write(`${JSON.stringify(line)}\n`)
      }
      seed(storeId, request.body, (progress) => write({ progress }))
        .then((result) => write({ result }))
        .catch((err: unknown) => {
          const refusal = refusalOf(err, request)
          if (!refusal) logBug(request, err)
          write(errorBody(refusal))
        })
        .finally(() => lines.end())
      return reply.type('application/x-ndjson').send(lines)
    }
  )
}
