import type { FastifyRequest } from 'fastify'
import type { CountAddress } from '../../rate-limits/address-limiter.ts'
import { countForAddress, countForStore } from '../../rate-limits/count-request.ts'
import type { FindShop } from '../../rate-limits/find-shop.ts'
import { countForShopper } from '../../rate-limits/shopper-budget.ts'
import { authenticationFailed, requireBodyType } from '../../shared/errors.ts'
import { callerOfKey } from '../keys.ts'
import { NOT_SIGNED, proxiedBy } from '../proxy.ts'
import type { ChurnDeps } from './deps.ts'

const NO_CALLER = 'Give the API key of the store as key, or log in'

/**
 * The hook that accepts a key of the store, else the customer who is logged in; a key wins. What a customer reads without a key leaves no trace of them: whether somebody
 * who cancels has looked at offers before says which way of cancelling they saw, and nothing may record that.
 */
export function identifyCallers(
  deps: Pick<ChurnDeps, 'db' | 'limiter' | 'budgets' | 'realNow' | 'reads'>,
  countAddress: CountAddress,
  findShop: FindShop
) {
  return async (request: FastifyRequest): Promise<void> => {
    const proxied = await proxiedBy(request, deps, findShop)
    if (typeof proxied === 'string') {
      countForAddress(countAddress, request)
      throw authenticationFailed(NOT_SIGNED)
    }
    request.proxied = proxied
    const { store, loggedInCustomerId } = proxied
    const { key } = request.query as { key?: unknown }
    if (request.is404) {
      countForShopper(deps.limiter, request, { storeId: store.storeId, customerId: loggedInCustomerId })
      return
    }
    if (key !== undefined) {
      const scope = request.routeOptions.config.allow
      try {
        request.caller = await callerOfKey(request, deps.db, { key, proxied, scope })
      } catch (err) {
        countForAddress(countAddress, request)
        throw err
      }
      countForStore(deps.limiter, request, request.caller, 'proxy', deps.budgets)
      // Programs name the type of a form also where they send nothing.
      if (request.headers['content-length'] === '0') delete request.headers['content-type']
      return
    }
    if (loggedInCustomerId === null) {
      countForAddress(countAddress, request)
      throw authenticationFailed(NO_CALLER)
    }
    requireBodyType(request)
    countCustomer(deps, request, { storeId: store.storeId, customerId: loggedInCustomerId })
  }
}

/** Counts a request of a customer for them. What they read of the Churn API is counted in the memory of this process alone, and leaves no trace. */
export function countCustomer(
  { limiter, reads }: Pick<ChurnDeps, 'limiter' | 'reads'>,
  request: FastifyRequest,
  { storeId, customerId }: { storeId: number; customerId: string }
): void {
  if (!isChurnRead(request)) {
    countForShopper(limiter, request, { storeId, customerId })
    return
  }
  request.isUntraced = true
  // Without the id of the request.
  request.log = request.server.log
  request.counted = Promise.resolve({ rateLimitStatus: reads(`${storeId}:${customerId}`) })
}

const isChurnRead = ({ method, routeOptions: { config } }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && config.allow === 'read:churn'
