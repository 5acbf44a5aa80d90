import type { FastifyInstance } from 'fastify'
import type { CountAddress } from '../../rate-limits/address-limiter.ts'
import { enforceRateLimits } from '../../rate-limits/enforce-rate-limits.ts'
import type { FindShop } from '../../rate-limits/find-shop.ts'
import { answerInTime } from '../../shared/deadline.ts'
import { answerError, openSurface } from '../../shared/surface.ts'
import { errorBody, statusOf } from '../errors.ts'
import { activateOfferRoute } from './activate-offer.ts'
import { identifyCallers } from './callers.ts'
import type { ChurnDeps } from './deps.ts'
import { listContractOffersRoute } from './list-contract-offers.ts'
import { listOffersRoute } from './list-offers.ts'
import { listReasonsRoute } from './list-reasons.ts'

const CHURN_PREFIX = '/apps/svc-api/v1/membership/churn'
const ERRORS = { statusOf, errorBody }

/**
 * The Churn API (spec 2): for programs with a key in the query, and without one for the customer who is logged in, on their own contracts. Both
 * come through the app proxy, whose signature says which shop it is.
 */
export function registerChurn(
  app: FastifyInstance,
  deps: ChurnDeps,
  { countAddress, findShop }: { countAddress: CountAddress; findShop: FindShop }
): void {
  openSurface(app, {
    name: 'churn',
    prefix: CHURN_PREFIX,
    errors: ERRORS,
    routes: [listReasonsRoute, listOffersRoute, listContractOffersRoute, activateOfferRoute],
    deps,
    hooks(churn) {
      churn.decorateRequest('proxied', null)
      answerInTime(churn)
      churn.addHook('onRequest', identifyCallers(deps, countAddress, findShop))
      enforceRateLimits(churn, countAddress, (err, at) => answerError(ERRORS, err, at))
    }
  })
}
