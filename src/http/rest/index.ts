import type { FastifyInstance } from 'fastify'
import type { Ctx } from '#kit/postgres'
import type { Caller } from '#stores'
import type { CountAddress } from '../rate-limits/address-limiter.ts'
import { enforceRateLimits } from '../rate-limits/enforce-rate-limits.ts'
import { answerInTime } from '../shared/deadline.ts'
import type { HttpDeps } from '../shared/deps.ts'
import { errorBody, statusOf } from '../shared/error-body.ts'
import { naming } from '../shared/path-ids.ts'
import { answerError, type ErrorDialect, openSurface, type Route, refuseUnknownParameters } from '../shared/surface.ts'
import { authenticateKeys } from './authenticate.ts'
import { callerOf } from './caller.ts'
import type { RestDeps } from './deps.ts'
import * as routes from './routes.ts'
import { createChangeCredit } from './store-credits/change-credit.ts'
import { createReserveCredit } from './store-credits/reserve-credit-in-order.ts'

export const REST_PREFIX = '/v1'
const MAX_BODY_BYTES = 64 * 1024
const ERRORS: ErrorDialect = { complete: naming, statusOf, errorBody }

/** The direct API (spec 1): bearer key, envelope, one error shape, a rate limit's headers on every answer. */
export function registerRest(
  app: FastifyInstance,
  deps: Pick<HttpDeps, 'db' | 'connectorOf' | 'vault' | 'addresses' | 'limiter' | 'budgets' | 'wake'>,
  countAddress: CountAddress
): void {
  const { db, wake } = deps
  openSurface(app, {
    name: 'rest',
    prefix: REST_PREFIX,
    errors: ERRORS,
    routes: Object.values<Route<RestDeps>>(routes),
    deps: { ...deps, changeCredit: createChangeCredit(db), reserveCredit: createReserveCredit(db) },
    hooks(rest) {
      refuseUnknownParameters(rest)
      rest.addHook('onRoute', (route) => {
        route.bodyLimit ??= MAX_BODY_BYTES
      })
      rest.decorateRequest('inStore', function <T>(this: { caller: Caller | null }, work: (ctx: Ctx) => Promise<T>) {
        return db.inStore(callerOf(this).storeId, work)
      })
      answerInTime(rest)
      authenticateKeys(rest, deps, countAddress)
      // What was written may be work for an engine.
      rest.addHook('onResponse', (request, reply, done) => {
        if (request.method !== 'GET' && request.caller && reply.statusCode < 300) wake(request.caller.storeId)
        done()
      })
      enforceRateLimits(rest, countAddress, (err, at) => answerError(ERRORS, err, at))
    }
  })
}
