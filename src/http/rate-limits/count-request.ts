import type { FastifyRequest } from 'fastify'
import type { RatePlan } from '#stores'
import type { CountAddress } from './address-limiter.ts'
import { BUDGETS, type Budget } from './budgets.ts'
import type { RateLimitStatus } from './rate-limit-status.ts'
import type { RateLimiter } from './rate-limiter.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The rate limit that the request counts against; null until it is known whose that is. Never rejects. */
    counted: Promise<Counted> | null
  }
}

type Counted = { rateLimitStatus: RateLimitStatus } | { failure: unknown }

/** Starts counting a request for its store. The response waits for the count; the work of a reading route does not. */
export function countForStore(
  limiter: RateLimiter,
  request: FastifyRequest,
  store: { storeId: number; ratePlan: RatePlan },
  family: 'rest' | 'proxy',
  budgets: Record<RatePlan, Budget> = BUDGETS
): void {
  countFamily(limiter, request, { storeId: store.storeId, family, budget: budgets[store.ratePlan] })
}

/** Starts counting a request in one of a store's families of requests. */
export function countFamily(
  limiter: RateLimiter,
  request: FastifyRequest,
  { storeId, family, budget }: { storeId: number; family: string; budget: Budget }
): void {
  const counting = limiter.count(storeId, family, budget)
  request.counted = (request.deadline?.race(counting) ?? counting).then(
    (rateLimitStatus) => ({ rateLimitStatus }),
    (failure: unknown) => ({ failure })
  )
}

/** Counts a request without a valid credential for the address that it comes from. */
export function countForAddress(count: CountAddress, request: FastifyRequest): void {
  request.counted = Promise.resolve({ rateLimitStatus: count(request.ip) })
}
