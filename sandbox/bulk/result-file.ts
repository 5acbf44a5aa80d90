import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { SandboxDatabase } from '../report-queued.ts'
import type { Shop } from '../shop.ts'
import { bulkResult, findBulkOperation } from '../state/bulk-operations.ts'
import { isNumericId } from '../wire/gid.ts'

/** The link needs no token, so it is signed. */
export function signFile(shop: Shop, id: string): string {
  return createHmac('sha256', shop.appSecret).update(`bulk ${id}`).digest('hex')
}

/** The file of a finished bulk operation: one JSON object per line. */
export function resultFileRoute(db: SandboxDatabase, clock: (shopDomain: string) => Promise<Temporal.Instant>) {
  return (scope: FastifyInstance) => {
    scope.get('/bulk/:file', async (request, reply) => {
      const { shop } = request.shopRequest
      const { file } = request.params as { file: string }
      const { signature } = request.query as { signature?: unknown }
      const id = file.replace(/\.jsonl$/, '')
      const expected = Buffer.from(isNumericId(id) ? signFile(shop, id) : '')
      const given = Buffer.from(String(signature))
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
        return reply.code(403).send({ errors: 'Forbidden' })
      }
      const operation = await findBulkOperation(db.direct, shop.storeId, id, await clock(shop.domain))
      if (operation?.fileSize == null) return reply.code(404).send({ errors: 'Not Found' })
      const result = await bulkResult(db.direct, shop.storeId, id)
      if (result === null) return reply.code(404).send({ errors: 'Not Found' })
      return reply.type('application/jsonl').send(result)
    })
  }
}
