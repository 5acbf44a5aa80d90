import type { FastifyInstance } from 'fastify'
import { createGuessLimiter } from '../rate-limits/guess-limiter.ts'
import { openSurface, type Route, refuseUnknownParameters } from '../shared/surface.ts'
import { authenticateCallers, callerResolvers } from './authenticate.ts'
import type { AdminDeps } from './deps.ts'
import { errorBody, statusOf } from './errors.ts'
import { noteChanges } from './note-changes.ts'
import * as routes from './routes.ts'
import { staffFinder } from './staff.ts'
import { readStores } from './store.ts'

export const ADMIN_PREFIX = '/admin/api'

/** The admin API: everything that operators do, in every store. The command line is its client. */
export function registerAdmin(app: FastifyInstance, deps: AdminDeps): void {
  openSurface(app, {
    name: 'admin',
    prefix: ADMIN_PREFIX,
    errors: { statusOf, errorBody },
    routes: Object.values<Route<AdminDeps>>(routes),
    deps,
    hooks(admin) {
      refuseUnknownParameters(admin)
      authenticateCallers(
        admin,
        callerResolvers({ ...deps, staffOf: staffFinder(deps) }),
        createGuessLimiter(deps.limiter)
      )
      readStores(admin, deps.db)
      // What was written may be work for an engine.
      admin.addHook('onResponse', (request, reply, done) => {
        if (request.method !== 'GET' && request.store && reply.statusCode < 300) deps.wake(request.store.storeId)
        done()
      })
      noteChanges(admin, deps.db)
    }
  })
}
