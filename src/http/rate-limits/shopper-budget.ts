import type { FastifyRequest } from 'fastify'
import { networkOf } from '#kit/addresses'
import { BUDGETS } from './budgets.ts'
import { countFamily } from './count-request.ts'
import type { RateLimiter } from './rate-limiter.ts'
import { shopperAddress } from './shopper-address.ts'

/** A caller without a key has the limits of the smallest plan, as one without credentials. */
const SHOPPER_BUDGET = BUDGETS.starter

/**
 * Starts counting a request of a storefront without a key: for the customer who is logged in, else for the shopper's address. Shoppers can
 * neither use up the budget of the store's integrators nor be kept from cancelling by them.
 */
export function countForShopper(
  limiter: RateLimiter,
  request: FastifyRequest,
  { storeId, customerId }: { storeId: number; customerId: string | null }
): void {
  const family = customerId === null ? `visitor:${networkOf(shopperAddress(request))}` : `shopper:${customerId}`
  countFamily(limiter, request, { storeId, family, budget: SHOPPER_BUDGET })
}
