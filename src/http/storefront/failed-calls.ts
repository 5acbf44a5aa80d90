import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '#kit/refusal'
import type { CountAddress } from '../rate-limits/address-limiter.ts'
import { rateLimitHeaders } from '../rate-limits/rate-limit-status.ts'
import { RateLimited } from '../rate-limits/rate-limited.ts'

/**
 * Runs the authentication of a surface whose requests are not counted otherwise: what is refused for its signature, its key or its
 * shop counts for its address.
 */
export async function countingFailures<T>(
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  countAddress: CountAddress,
  authenticate: () => Promise<T>
): Promise<T> {
  try {
    return await authenticate()
  } catch (err) {
    if (!(err instanceof Refusal) || !['authentication_failed', 'not_found'].includes(err.code)) throw err
    const status = countAddress(request.ip)
    reply.headers(rateLimitHeaders(status))
    throw status.admitted ? err : new RateLimited(status, 'requests without a valid key from this address')
  }
}
