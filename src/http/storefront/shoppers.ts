import type { FastifyRequest } from 'fastify'
import { Refusal } from '#kit/refusal'
import type { StoreAccess } from '#stores'
import type { CountAddress } from '../rate-limits/address-limiter.ts'
import { countForAddress } from '../rate-limits/count-request.ts'
import type { FindShop } from '../rate-limits/find-shop.ts'
import { countForShopper } from '../rate-limits/shopper-budget.ts'
import type { HttpDeps } from '../shared/deps.ts'
import { authenticationFailed } from '../shared/errors.ts'
import { NOT_SIGNED, type Proxied, proxiedBy } from './proxy.ts'

/** The hook that accepts only what the platform's app proxy signed, and counts it for the shopper. */
export function verifyShoppers(
  deps: Pick<HttpDeps, 'db' | 'limiter' | 'realNow'>,
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
    countForShopper(deps.limiter, request, { storeId: store.storeId, customerId: loggedInCustomerId })
  }
}

/** Refuses a visitor who is not logged in, where a route is for customers. */
export function refuseVisitors({ proxied, routeOptions: { config, schema } }: FastifyRequest): void {
  if (config.allow !== 'customer' || proxied?.loggedInCustomerId) return
  const action = schema?.summary ?? 'Go on'
  throw new Refusal('forbidden', `Log in to ${action.charAt(0).toLowerCase()}${action.slice(1)}`)
}

/** The store of the shop that the proxy signed for. Runs after the signature was checked. */
export function shopOf({ proxied }: { proxied: Proxied | null }): StoreAccess {
  if (!proxied) throw new Error('The route ran without a shop')
  return proxied.store
}

/** The customer who is logged in, by the platform's number, and the store. Runs after the signature was checked. */
export function customerOf({ proxied }: { proxied: Proxied | null }): { store: StoreAccess; customerId: string } {
  if (!proxied?.loggedInCustomerId) throw new Error('The route ran without a customer')
  return { store: proxied.store, customerId: proxied.loggedInCustomerId }
}
