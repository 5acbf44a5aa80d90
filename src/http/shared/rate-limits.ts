import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Budget, RateLimiter, RateLimitStatus } from '#kit/rate-limit'
import type { Caller, RatePlan } from '#stores'
import { logBug, RateLimited } from './errors.ts'
import type { ErrorDialect, Surface } from './surface.ts'

/** Requests per window by tariff (spec 1, Limits); days are UTC days. */
export const BUDGETS: Record<RatePlan, Budget> = {
  starter: { perMinute: 60, perDay: 10_000 },
  growth: { perMinute: 120, perDay: 50_000 },
  enterprise: { perMinute: 300, perDay: null }
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
    /** The rate limit that the request counts against; null until it is known whose that is. Never rejects. */
    counted: Promise<Counted> | null
  }
}

type Counted = { rateLimitStatus: RateLimitStatus } | { failure: unknown }

/** Counts a request without a valid credential, by the address it comes from. */
export type CountAddress = (address: string) => RateLimitStatus

/** Starts counting a request for its store. The response waits for the count; the work of a reading route does not. */
export function countForStore(
  limiter: RateLimiter,
  request: FastifyRequest,
  store: { storeId: number; ratePlan: RatePlan },
  family: 'rest' | 'proxy',
  budgets: Record<RatePlan, Budget> = BUDGETS
): void {
  request.counted = limiter.count(store.storeId, family, budgets[store.ratePlan]).then(
    (rateLimitStatus) => ({ rateLimitStatus }),
    (failure: unknown) => ({ failure })
  )
}

export function countForAddress(count: CountAddress, request: FastifyRequest): void {
  request.counted = Promise.resolve({ rateLimitStatus: count(request.ip) })
}

/**
 * Puts the rate limit's headers on every response of a surface, and replaces a response over the limit by 429. A reading
 * route works while its request is still being counted, and what it read is dropped when the limit was reached; a writing
 * route waits for the count.
 */
export function enforceRateLimits(
  surface: Surface,
  countAddress: CountAddress,
  errorBody: ErrorDialect['errorBody']
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

export function rateLimitHeaders({
  admitted,
  limit,
  remaining,
  resetAt,
  retryAfter
}: RateLimitStatus): Record<string, number> {
  return {
    'x-ratelimit-limit': limit,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': resetAt,
    ...(!admitted && { 'retry-after': retryAfter })
  }
}

function replaced(reply: FastifyReply, status: number, body: object): string {
  reply.code(status).type('application/json; charset=utf-8').removeHeader('content-length')
  return JSON.stringify(body)
}
