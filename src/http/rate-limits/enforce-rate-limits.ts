import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CountAddress } from './address-limiter.ts'
import { rateLimitHeaders } from './rate-limit-status.ts'
import { RateLimited } from './rate-limited.ts'

/** How a surface words that the limit is exceeded (null: that the count has failed), and how it logs a failed count. */
type Answers = {
  errorBody(limited: RateLimited | null): object
  logBug(request: FastifyRequest, failure: unknown): void
}

/**
 * Puts the rate limit's headers on every response of a surface, and replaces a response over the limit by 429. A reading
 * route works while its request is still being counted, and what it read is dropped when the limit was reached; a writing
 * route waits for the count.
 */
export function enforceRateLimits(
  surface: Pick<FastifyInstance, 'addHook'>,
  countAddress: CountAddress,
  { errorBody, logBug }: Answers
): void {
  surface.addHook('onRoute', (route) => {
    if (route.method === 'GET' || route.method === 'HEAD') return
    route.preHandler = [refuseOverLimit, ...[route.preHandler ?? []].flat()]
  })

  surface.addHook('onSend', async (request, reply, payload) => {
    const counted = await request.counted
    if (!counted || 'failure' in counted) {
      // The store or its count is not known: the headers are those of the address, as without a key.
      reply.headers(rateLimitHeaders({ ...countAddress(request.ip), admitted: true }))
      if (!counted) return payload
      if (reply.statusCode >= 500) return payload
      logBug(request, counted.failure)
      return replaced(reply, 500, errorBody(null))
    }
    const { rateLimitStatus } = counted
    reply.headers(rateLimitHeaders(rateLimitStatus))
    if (rateLimitStatus.admitted || reply.statusCode === 429) return payload
    return replaced(reply, 429, errorBody(new RateLimited(rateLimitStatus)))
  })
}

async function refuseOverLimit(request: FastifyRequest): Promise<void> {
  const counted = await request.counted
  if (counted && 'failure' in counted) throw counted.failure
  if (counted && !counted.rateLimitStatus.admitted) throw new RateLimited(counted.rateLimitStatus)
}

function replaced(reply: FastifyReply, status: number, body: object): string {
  reply.code(status).type('application/json; charset=utf-8').removeHeader('content-length')
  return JSON.stringify(body)
}
