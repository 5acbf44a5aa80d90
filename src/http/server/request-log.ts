import type { FastifyInstance } from 'fastify'
import { INBOUND_WEBHOOKS_PATH } from '../inbound/inbound-webhooks.ts'
import type { HttpDeps } from '../shared/deps.ts'
import { loggedUrl } from '../shared/logged-url.ts'
import { requestDuration } from './metrics.ts'

/** Logs one line per request. Of the platform's many messages only those that are refused are logged. */
export function logRequests(app: FastifyInstance, { measure }: Pick<HttpDeps, 'measure'>): void {
  app.addHook('onResponse', (request, reply, done) => {
    measure?.(requestDuration, reply.elapsedTime / 1000, {
      'http.request.method': request.method,
      'http.route': request.routeOptions.url ?? 'none',
      'http.response.status_code': reply.statusCode
    })
    const ms = Math.round(reply.elapsedTime * 10) / 10
    const url = request.isUntraced ? (request.routeOptions.url ?? 'none') : loggedUrl(request.originalUrl)
    const store = request.caller ?? request.store ?? request.proxied?.store
    const quiet = request.routeOptions.url === INBOUND_WEBHOOKS_PATH && reply.statusCode < 400
    request.log[quiet ? 'debug' : 'info'](
      {
        method: request.method,
        url,
        status: reply.statusCode,
        ms,
        store: store && { id: store.storeId }
      },
      `${request.method} ${url} ${reply.statusCode} in ${ms} ms`
    )
    done()
  })
}
