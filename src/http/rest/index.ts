import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '#kit/postgres'
import type { RateLimitStatus } from '#kit/rate-limit'
import { Refusal } from '#kit/refusal'
import { authenticateKey, type Caller } from '#stores'
import type { HttpDeps } from '../shared/deps.ts'
import { errorBody, statusOf } from '../shared/error-body.ts'
import { authenticationFailed, bearerOf, logBug, noSuchRoute, RateLimited, refusalOf } from '../shared/errors.ts'
import { countForAddress, countForStore, enforceRateLimits } from '../shared/rate-limit-hook.ts'
import { registerAnalytics } from './analytics.ts'
import { registerBillingAttempts } from './billing-attempts.ts'
import { callerOf } from './caller.ts'
import { registerChangeSubscription } from './change-subscription.ts'
import { registerGifts } from './gifts.ts'
import { registerMembers } from './members.ts'
import { registerRetryBillingAttempt } from './retry-billing-attempt.ts'
import { registerStoreCredits } from './store-credits.ts'
import { registerSubscriptionActions } from './subscription-actions.ts'
import { registerSubscriptionActivity } from './subscription-activity.ts'
import { registerSubscriptions } from './subscriptions.ts'
import { registerUpdateMember } from './update-member.ts'

export const REST_PREFIX = '/v1'
const MAX_BODY_BYTES = 64 * 1024

/** The direct API (spec 1): bearer key, envelope, one error shape, budgets on every answer. */
export function registerRest(
  app: FastifyInstance,
  { db, limiter, budgets, connectorOf, wake }: Pick<HttpDeps, 'db' | 'limiter' | 'budgets' | 'connectorOf' | 'wake'>,
  countAddress: (address: string) => RateLimitStatus
): void {
  const register = async (surface: FastifyInstance) => {
    const rest = surface.withTypeProvider<TypeBoxTypeProvider>()

    rest.addHook('onRoute', (route) => {
      route.bodyLimit ??= MAX_BODY_BYTES
      route.schema = { querystring: Type.Object({}), ...route.schema }
    })

    rest.decorateRequest('inStore', function <T>(this: { caller: Caller | null }, work: (ctx: Ctx) => Promise<T>) {
      return db.inStore(callerOf(this).storeId, work)
    })

    rest.addHook('onRequest', async (request, reply) => {
      const presented = bearerOf(request)
      const caller = presented === null ? null : await authenticateKey(db, presented)
      if (!caller) {
        countForAddress(countAddress, request)
        reply.header('www-authenticate', 'Bearer')
        throw authenticationFailed()
      }
      request.caller = caller
      countForStore(limiter, request, caller, 'rest', budgets)
      const { scope } = request.routeOptions.config
      if (scope && !caller.scopes.has(scope)) throw new Refusal('forbidden', `This key lacks the scope ${scope}`)
    })

    // What was written may be work for an engine.
    rest.addHook('onResponse', (request, reply, done) => {
      if (request.method !== 'GET' && request.caller && reply.statusCode < 300) wake(request.caller.storeId)
      done()
    })

    enforceRateLimits(rest, countAddress, {
      rateLimited: () => errorBody(new RateLimited()),
      internalError: () => errorBody(null)
    })

    rest.setNotFoundHandler((request, reply) => {
      throw noSuchRoute(request, reply)
    })
    rest.setErrorHandler((err, request, reply) => {
      const refusal = refusalOf(err, request)
      if (!refusal) logBug(request, err)
      return reply.code(statusOf(refusal)).send(errorBody(refusal))
    })

    registerMembers(rest, db)
    registerUpdateMember(rest)
    registerSubscriptions(rest, db)
    registerSubscriptionActions(rest)
    registerChangeSubscription(rest)
    registerSubscriptionActivity(rest, db)
    registerGifts(rest, { db, connectorOf })
    registerBillingAttempts(rest, db)
    registerRetryBillingAttempt(rest)
    registerAnalytics(rest, db)
    registerStoreCredits(rest, db)
  }
  app.register(register, { prefix: REST_PREFIX })
}
