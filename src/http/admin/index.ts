import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { equalInConstantTime } from '#kit/secrets'
import type { HttpDeps } from '../shared/deps.ts'
import { authenticationFailed, bearerOf, logBug, noSuchRoute, refusalOf } from '../shared/errors.ts'
import { registerAlerts } from './alerts.ts'
import { registerClock } from './clock.ts'
import { registerConnectStore } from './connect-store.ts'
import { registerCreateSubscription } from './create-subscription.ts'
import { registerDoctor } from './doctor.ts'
import { errorBody, statusOf } from './errors.ts'
import { registerGifts } from './gifts.ts'
import { registerImports } from './imports.ts'
import { registerKeys } from './keys.ts'
import { registerPlans } from './plans.ts'
import { registerReconcile } from './reconcile.ts'
import { registerSandbox } from './sandbox.ts'
import { registerSandboxFaults } from './sandbox-faults.ts'
import { registerSeed } from './seed.ts'
import { registerSettings } from './settings.ts'
import { registerStores } from './stores.ts'
import { registerSubscriptions } from './subscriptions.ts'
import { registerWebhookDeliveries } from './webhook-deliveries.ts'
import { registerWebhookEndpoints } from './webhook-endpoints.ts'
import { registerWebhookListeners } from './webhook-listeners.ts'

const ADMIN_PREFIX = '/admin/api'

/** For the operator of the installation: every store, by the operator's token. The command line is its client. */
export function registerAdmin(app: FastifyInstance, deps: HttpDeps): void {
  const register = async (surface: FastifyInstance) => {
    const admin = surface.withTypeProvider<TypeBoxTypeProvider>()

    admin.addHook('onRoute', (route) => {
      route.schema = { querystring: Type.Object({}), ...route.schema }
    })
    admin.addHook('onRequest', async (request, reply) => {
      const presented = bearerOf(request)
      if (presented === null || !equalInConstantTime(presented, deps.operatorToken.reveal())) {
        reply.header('www-authenticate', 'Bearer')
        throw authenticationFailed('A valid operator token is needed')
      }
    })
    admin.setNotFoundHandler((request, reply) => {
      throw noSuchRoute(request, reply)
    })
    admin.setErrorHandler((err, request, reply) => {
      const refusal = refusalOf(err, request)
      if (!refusal) logBug(request, err)
      return reply.code(statusOf(refusal)).send(errorBody(refusal))
    })

    registerStores(admin, deps)
    registerConnectStore(admin, deps)
    registerReconcile(admin, deps)
    registerSettings(admin, deps)
    registerKeys(admin, deps)
    registerPlans(admin, deps)
    registerSubscriptions(admin, deps)
    registerCreateSubscription(admin, deps)
    registerGifts(admin, deps)
    registerWebhookEndpoints(admin, deps)
    registerWebhookDeliveries(admin, deps)
    registerWebhookListeners(admin, deps)
    registerImports(admin, deps)
    registerAlerts(admin, deps)
    registerClock(admin, deps)
    registerSandbox(admin, deps)
    registerSandboxFaults(admin, deps)
    registerSeed(admin, deps)
    registerDoctor(admin, deps)
  }
  app.register(register, { prefix: ADMIN_PREFIX })
}
