import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Budget, RateLimiter, Standing } from '#kit/rate-limit'
import type { Caller, RatePlan } from '#stores'
import { logBug, RateLimited } from './errors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
    /** Where the request stands in its budget; null until it is known whose budget that is. Never rejects. */
    counted: Promise<Counted> | null
  }
}

type Counted = { standing: Standing } | { failure: unknown }

/** Requests per window by tariff (spec 1, Limits); days are UTC days. */
export const BUDGETS: Record<RatePlan, Budget> = {
  starter: { perMinute: 60, perDay: 10_000 },
  growth: { perMinute: 120, perDay: 50_000 },
  enterprise: { perMinute: 300, perDay: null }
}

/** Starts counting a request for its store; the answer waits for it, the work need not. */
export function countForStore(
  limiter: RateLimiter,
  request: FastifyRequest,
  store: { storeId: number; ratePlan: RatePlan },
  family: 'rest' | 'proxy',
  budgets: Record<RatePlan, Budget> = BUDGETS
): void {
  request.counted = limiter.count(store.storeId, family, budgets[store.ratePlan]).then(
    (standing) => ({ standing }),
    (failure: unknown) => ({ failure })
  )
}

export function countForAddress(count: (address: string) => Standing, request: FastifyRequest): void {
  request.counted = Promise.resolve({ standing: count(request.ip) })
}

/**
 * Puts the budget's headers on every answer of a surface, and 429 in place of one that is over it. A reading route works
 * while its request is still being counted, and what it read is dropped when there was no room; a writing one waits.
 */
export function enforceBudgets(
  surface: FastifyInstance,
  countAddress: (address: string) => Standing,
  bodyOf: { rateLimited: (message: string) => object; internalError: () => object }
): void {
  surface.addHook('onRoute', (route) => {
    if (route.method === 'GET' || route.method === 'HEAD') return
    route.preHandler = [refuseOverBudget, ...[route.preHandler ?? []].flat()]
  })

  surface.addHook('onSend', async (request, reply, payload) => {
    const counted = await request.counted
    if (!counted || 'failure' in counted) {
      // Whose budget it is, or where it stands, could not be found out: the answer tells of the address, as without a key.
      reply.headers(budgetHeaders({ ...countAddress(request.ip), admitted: true }))
      if (!counted) return payload
      if (reply.statusCode >= 500) return payload
      logBug(request, counted.failure)
      return replaced(reply, 500, bodyOf.internalError())
    }
    const { standing } = counted
    reply.headers(budgetHeaders(standing))
    if (standing.admitted || reply.statusCode === 429) return payload
    return replaced(reply, 429, bodyOf.rateLimited(new RateLimited().message))
  })
}

async function refuseOverBudget(request: FastifyRequest): Promise<void> {
  const counted = await request.counted
  if (counted && 'failure' in counted) throw counted.failure
  if (counted && !counted.standing.admitted) throw new RateLimited()
}

export function budgetHeaders({ admitted, limit, remaining, resetAt, retryAfter }: Standing): Record<string, number> {
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
