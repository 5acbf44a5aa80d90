import type { FastifyInstance } from 'fastify'
import type { CountAddress } from '../../rate-limits/address-limiter.ts'
import type { FindShop } from '../../rate-limits/find-shop.ts'
import { answerInTime } from '../../shared/deadline.ts'
import { authenticationFailed } from '../../shared/errors.ts'
import { openSurface } from '../../shared/surface.ts'
import type { PageDeps } from '../deps.ts'
import { errorBody, statusOf } from '../errors.ts'
import { countingFailures } from '../failed-calls.ts'
import { callerOfKey } from '../keys.ts'
import { NOT_SIGNED, proxiedBy } from '../proxy.ts'
import { listRowsRoutes } from './list-rows.ts'

const DATA_PREFIX = '/apps/svc-api/v1/data'

/**
 * The Data API (spec 2): the key in the query, the signature of the app proxy and the shop that it signed for must agree. Requests
 * are not counted by minute and day; only exports under way at once are limited.
 */
export function registerData(
  app: FastifyInstance,
  deps: PageDeps,
  { countAddress, findShop }: { countAddress: CountAddress; findShop: FindShop }
): void {
  openSurface(app, {
    name: 'data',
    prefix: DATA_PREFIX,
    errors: { statusOf, errorBody },
    routes: listRowsRoutes,
    deps,
    hooks(data) {
      data.decorateRequest('proxied', null)
      answerInTime(data)
      data.addHook('onRequest', (request, reply) =>
        countingFailures({ request, reply }, countAddress, async () => {
          const proxied = await proxiedBy(request, deps, findShop)
          if (typeof proxied === 'string') throw authenticationFailed(NOT_SIGNED)
          request.proxied = proxied
          const { key } = request.query as { key?: unknown }
          request.caller = await callerOfKey(request, deps.db, {
            key,
            proxied,
            scope: request.routeOptions.config.allow
          })
        })
      )
    }
  })
}
