import type { FastifyInstance } from 'fastify'
import { createExportWorkers, createPageCache, type ExportWorkers } from '#exports'
import { type CountAddress, createMemoryLimiter } from '../rate-limits/address-limiter.ts'
import { enforceRateLimits } from '../rate-limits/enforce-rate-limits.ts'
import { createShopFinder } from '../rate-limits/find-shop.ts'
import { answerInTime } from '../shared/deadline.ts'
import type { HttpDeps } from '../shared/deps.ts'
import { requireBodyType } from '../shared/errors.ts'
import { answerError, openSurface, type Route } from '../shared/surface.ts'
import { registerChurn } from './churn/index.ts'
import { createShownCounts } from './churn/shown-counts.ts'
import { registerCollection } from './collection/index.ts'
import { registerCustomerAccount } from './customer-account/index.ts'
import { registerData } from './data/index.ts'
import { errorBody, statusOf } from './errors.ts'
import * as routes from './routes.ts'
import { refuseVisitors, verifyShoppers } from './shoppers.ts'

export const STOREFRONT_PREFIX = '/apps/svc-api/v1'
const ERRORS = { statusOf, errorBody }
/** How long exports may take to end once the service stops. */
const CLOSING_MS = 5_000

/** What is reached through the platform's app proxy (spec 2): what shoppers may call, and the APIs for integrators with a key. */
export function registerStorefront(app: FastifyInstance, deps: HttpDeps, countAddress: CountAddress): void {
  const findShop = createShopFinder(deps.db, deps.vault)
  openSurface(app, {
    name: 'storefront',
    prefix: STOREFRONT_PREFIX,
    errors: ERRORS,
    routes: Object.values<Route<HttpDeps>>(routes),
    deps,
    hooks(storefront) {
      storefront.decorateRequest('proxied', null)
      answerInTime(storefront)
      storefront.addHook('onRequest', verifyShoppers(deps, countAddress, findShop))
      enforceRateLimits(storefront, countAddress, (err, at) => answerError(ERRORS, err, at))
      storefront.addHook('preHandler', async (request) => {
        refuseVisitors(request)
        requireBodyType(request)
      })
    }
  })
  const exports = createExportWorkers({ url: deps.db.url, ...deps.exportOptions })
  const pages = createPageCache({ db: deps.db, exports, ...deps.pageCacheOptions })
  endWithServer(app, exports)
  app.addHook('onClose', async () => pages.close())
  const shown = createShownCounts(deps)
  app.addHook('onClose', () => shown.close())
  const churnDeps = { ...deps, shown, reads: createMemoryLimiter((who) => who) }
  registerChurn(app, churnDeps, { countAddress, findShop })
  registerCustomerAccount(app, churnDeps, { countAddress, findShop })
  registerData(app, { ...deps, exports, pages }, { countAddress, findShop })
  registerCollection(app, { ...deps, exports }, { countAddress, findShop })
}

/** A server that stops waits for its responses, but not for a slow reader of an export. */
function endWithServer(app: FastifyInstance, exports: ExportWorkers): void {
  app.addHook('preClose', (done) => {
    setTimeout(() => void exports.close(), CLOSING_MS).unref()
    done()
  })
  app.addHook('onClose', () => exports.close())
}
