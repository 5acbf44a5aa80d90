import type { FastifyInstance } from 'fastify'
import type { CountAddress } from '../rate-limits/address-limiter.ts'
import { enforceRateLimits } from '../rate-limits/enforce-rate-limits.ts'
import { createShopFinder } from '../rate-limits/find-shop.ts'
import { answerInTime } from '../shared/deadline.ts'
import type { HttpDeps } from '../shared/deps.ts'
import { answerError, openSurface, type Route } from '../shared/surface.ts'
import { errorBody, statusOf } from './errors.ts'
import { refuseVisitors, verifyProxy } from './proxy.ts'
import * as routes from './routes.ts'

export const STOREFRONT_PREFIX = '/apps/svc-api/v1'
const ERRORS = { statusOf, errorBody }

/** What storefronts reach through the platform's app proxy (spec 2): the store is the shop that the proxy signed for. */
export function registerStorefront(app: FastifyInstance, deps: HttpDeps, countAddress: CountAddress): void {
  openSurface(app, {
    name: 'storefront',
    prefix: STOREFRONT_PREFIX,
    errors: ERRORS,
    routes: Object.values<Route<HttpDeps>>(routes),
    deps,
    hooks(storefront) {
      storefront.decorateRequest('proxied', null)
      answerInTime(storefront)
      storefront.addHook('onRequest', verifyProxy(deps, countAddress, createShopFinder(deps.db, deps.vault)))
      enforceRateLimits(storefront, countAddress, (err, at) => answerError(ERRORS, err, at))
      storefront.addHook('preHandler', async (request) => refuseVisitors(request))
    }
  })
}
