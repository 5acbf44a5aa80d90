import type { FastifyInstance } from 'fastify'
import type { HttpDeps } from './deps.ts'
import { pathOf } from './errors.ts'
import { PLATFORM_DOOR } from './platform-door.ts'

/** Parameters whose values tell nothing of a person and open nothing. Of every other one only the name is logged. */
const PLAIN = new Set([
  'limit',
  'offset',
  'page',
  'status',
  'type',
  'period',
  'plan_id',
  'since_id',
  'since_date',
  'since_updated',
  'created_after',
  'created_before',
  'date_from',
  'date_to',
  'timestamp',
  'cancellation_reason'
])

/** A URL as it may stand in a log: without `key`, `signature`, e-mail addresses and whatever else was not foreseen. */
export function loggedUrl(url: string): string {
  const path = pathOf(url)
  if (path === url) return url
  const shown = url
    .slice(path.length + 1)
    .split('&')
    .map((pair) => {
      const name = pair.split('=', 1)[0]!
      return PLAIN.has(name) || pair === name ? pair : `${name}=[hidden]`
    })
  return `${path}?${shown.join('&')}`
}

/** One line per answered request. The platform's messages come by the hundred: only those refused are worth a line. */
export function logRequests(app: FastifyInstance, { answered }: Pick<HttpDeps, 'answered'>): void {
  app.addHook('onResponse', (request, reply, done) => {
    answered?.({
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1000
    })
    const ms = Math.round(reply.elapsedTime * 10) / 10
    const url = loggedUrl(request.url)
    const quiet = request.routeOptions.url === PLATFORM_DOOR && reply.statusCode < 400
    request.log[quiet ? 'debug' : 'info'](
      {
        method: request.method,
        url,
        status: reply.statusCode,
        ms,
        store: request.caller && { id: request.caller.storeId }
      },
      `${request.method} ${url} ${reply.statusCode} in ${ms} ms`
    )
    done()
  })
}
