import type { FastifyInstance, FastifyRequest } from 'fastify'
import { realNow } from '#kit/clock'
import { Refusal } from '#kit/refusal'
import { checkCustomerToken } from '#platform'
import type { CountAddress } from '../../rate-limits/address-limiter.ts'
import { countForAddress } from '../../rate-limits/count-request.ts'
import { enforceRateLimits } from '../../rate-limits/enforce-rate-limits.ts'
import type { FindShop } from '../../rate-limits/find-shop.ts'
import { answerInTime, inTime } from '../../shared/deadline.ts'
import { authenticationFailed, bearerOf, requireBodyType } from '../../shared/errors.ts'
import { answerError, openSurface } from '../../shared/surface.ts'
import { activateOfferRoute } from '../churn/activate-offer.ts'
import { countCustomer } from '../churn/callers.ts'
import { cancelContractRoute } from '../churn/cancel-contract.ts'
import type { ChurnDeps } from '../churn/deps.ts'
import { listContractOffersRoute } from '../churn/list-contract-offers.ts'
import { listOffersRoute } from '../churn/list-offers.ts'
import { listReasonsRoute } from '../churn/list-reasons.ts'
import { errorBody, statusOf } from '../errors.ts'
import { getAccountRoute } from '../membership/get-account.ts'
import { pauseContractRoute } from '../membership/pause-contract.ts'
import { reactivateContractRoute } from '../membership/reactivate-contract.ts'
import { resumeContractRoute } from '../membership/resume-contract.ts'
import { skipPaymentRoute } from '../membership/skip-payment.ts'
import { belowChurn } from './below-churn.ts'

/** Below it the paths are those of the storefront: `/membership/account`, `/membership/churn/offers` and so on. */
const CUSTOMER_ACCOUNT_PREFIX = '/customer-account/v1'
const ERRORS = { statusOf, errorBody }

/**
 * What our extension in the platform's new customer accounts calls, where no theme and no app proxy is: the same operations for the customer whom the session token of
 * the extension names. Extensions run on an origin of the platform without credentials of the browser, so any origin may ask.
 */
export function registerCustomerAccount(
  app: FastifyInstance,
  deps: ChurnDeps,
  { countAddress, findShop }: { countAddress: CountAddress; findShop: FindShop }
): void {
  openSurface(app, {
    name: 'customer_account',
    prefix: CUSTOMER_ACCOUNT_PREFIX,
    errors: ERRORS,
    routes: [
      getAccountRoute,
      pauseContractRoute,
      resumeContractRoute,
      skipPaymentRoute,
      reactivateContractRoute,
      cancelContractRoute,
      ...[listReasonsRoute, listOffersRoute, listContractOffersRoute, activateOfferRoute].map(belowChurn)
    ],
    deps,
    hooks(account) {
      account.decorateRequest('proxied', null)
      answerInTime(account)
      account.addHook('onRequest', async (request, reply) => {
        reply.header('access-control-allow-origin', '*')
        if (request.method === 'OPTIONS') return
        await identifyCustomer(request, deps, countAddress, findShop)
      })
      account.options('/*', { config: { allow: 'customer' } }, (_request, reply) =>
        reply
          .code(204)
          .header('access-control-allow-methods', 'GET, POST')
          .header('access-control-allow-headers', 'authorization, content-type')
          .header('access-control-max-age', '600')
          .send()
      )
      enforceRateLimits(account, countAddress, (err, at) => answerError(ERRORS, err, at))
      account.addHook('preHandler', async (request) => {
        if (request.method !== 'OPTIONS') requireBodyType(request)
      })
    }
  })
}

async function identifyCustomer(
  request: FastifyRequest,
  deps: Pick<ChurnDeps, 'install' | 'limiter' | 'realNow' | 'reads'>,
  countAddress: CountAddress,
  findShop: FindShop
): Promise<void> {
  const token = bearerOf(request)
  const check = token === null ? null : checkCustomerToken(token, deps.install.apps, (deps.realNow ?? realNow)())
  const refuse = (message: string): never => {
    countForAddress(countAddress, request)
    throw authenticationFailed(message)
  }
  if (!check) return refuse('Send the session token of the extension as a bearer')
  if (!check.ok) return refuse(`The session token proves nothing: ${check.reason}`)
  const store = await inTime(request, findShop(request.ip, check.shop))
  if (!store?.isConnected) throw new Refusal('not_found', 'The shop is not known here')
  request.proxied = { store, loggedInCustomerId: check.customerId }
  countCustomer(deps, request, { storeId: store.storeId, customerId: check.customerId })
}
