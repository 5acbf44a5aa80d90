import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CountAddress } from './address-limiter.ts'
import { rateLimitHeaders } from './rate-limit-status.ts'
import { RateLimited } from './rate-limited.ts'

/** The body of a refusal, as a surface words it; sets the response's status. */
type AnswerError = (err: unknown, at: { request: FastifyRequest; reply: FastifyReply }) => object

/**
 * Puts the rate limit's headers on every response of a surface, and replaces a response over the limit by 429. A reading
 * route works while its request is still being counted, and what it read is dropped when the limit was reached; a writing
 * route waits for the count.
 */
export function enforceRateLimits(
  surface: Pick<FastifyInstance, 'addHook'>,
  countAddress: CountAddress,
  answerError: AnswerError
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
      return replaced(reply, answerError(counted.failure, { request, reply }))
    }
    const { rateLimitStatus } = counted
    reply.headers(rateLimitHeaders(rateLimitStatus))
    if (rateLimitStatus.admitted || reply.statusCode === 429) return payload
    return replaced(reply, answerError(new RateLimited(rateLimitStatus), { request, reply }))
  })
}

async function refuseOverLimit(request: FastifyRequest): Promise<void> {
  const counted = await request.counted
  if (counted && 'failure' in counted) throw counted.failure
  if (counted && !counted.rateLimitStatus.admitted) throw new RateLimited(counted.rateLimitStatus)
}

function replaced(reply: FastifyReply, body: object): string {
  reply.type('application/json; charset=utf-8').removeHeader('content-length')
  return JSON.stringify(body)
}
