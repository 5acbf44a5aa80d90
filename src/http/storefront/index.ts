import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import type { RateLimitStatus } from '#kit/rate-limit'
import type { HttpDeps } from '../shared/deps.ts'
import { logBug, noSuchRoute, RateLimited, refusalOf } from '../shared/errors.ts'
import { enforceRateLimits } from '../shared/rate-limit-hook.ts'
import { registerCancellation } from './cancellation.ts'
import { errorBody, statusOf } from './errors.ts'
import { verifyProxy } from './proxy.ts'

const STOREFRONT_PREFIX = '/apps/svc-api/v1'

/** What storefronts reach through the platform's app proxy (spec 2): the tenant is the shop that the proxy signed for. */
export function registerStorefront(
  app: FastifyInstance,
  deps: Pick<HttpDeps, 'db' | 'vault' | 'limiter' | 'wake'>,
  countAddress: (address: string) => RateLimitStatus
): void {
  const register = async (surface: FastifyInstance) => {
    const storefront = surface.withTypeProvider<TypeBoxTypeProvider>()

    storefront.decorateRequest('proxied', null)
    storefront.addHook('onRequest', verifyProxy(deps, countAddress))
    enforceRateLimits(storefront, countAddress, {
      rateLimited: () => errorBody(new RateLimited()),
      internalError: () => errorBody(null)
    })
    storefront.setNotFoundHandler((request, reply) => {
      throw noSuchRoute(request, reply)
    })
    storefront.setErrorHandler((err, request, reply) => {
      const refusal = refusalOf(err, request)
      if (!refusal) logBug(request, err)
      return reply.code(statusOf(refusal)).send(errorBody(refusal))
    })

    registerCancellation(storefront, deps)
  }
  app.register(register, { prefix: STOREFRONT_PREFIX })
}
