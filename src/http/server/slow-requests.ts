import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Accepts large files, which may arrive slowly: see `refuseSlowRequests`. */
    mayTakeLong?: true
    /** The time for a whole request to arrive; half a minute when left out. */
    arrivesWithinMs?: number
  }
}

/** The time for a whole request to arrive, unless its route gives less. */
const REQUEST_TIMEOUT_MS = 30_000
/** The limit of the server, which no route can raise; it applies to files. */
export const FILE_TIMEOUT_MS = 6 * 60 * 60_000

/**
 * Ends requests whose body does not arrive in time. Node's own timeout cannot be set per route: a file gets more time, from
 * the moment when its sender and type are known until it is answered.
 */
export function refuseSlowRequests(
  app: FastifyInstance,
  respondToBrokenRequest: (err: Error, socket: Socket) => void
): void {
  const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>()
  const watch = (raw: IncomingMessage, withinMs = REQUEST_TIMEOUT_MS) => {
    const timer = setTimeout(() => {
      // A request that a test hands over has no connection that could be ended.
      if (raw.complete || raw.readableEnded || !(raw.socket instanceof Socket)) return
      respondToBrokenRequest(
        Object.assign(new Error('The request took too long to arrive'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
        raw.socket
      )
    }, withinMs).unref()
    timers.set(raw, timer)
    // Not when it is answered: a client that was answered early must not send for ever either.
    raw.once('close', () => clearTimeout(timer))
  }
  app.addHook('onRequest', ({ raw, routeOptions }, _reply, done) => {
    if (raw.headers['content-length'] !== undefined || raw.headers['transfer-encoding'] !== undefined) {
      watch(raw, routeOptions.config.arrivesWithinMs)
    }
    done()
  })
  app.addHook('preHandler', ({ raw, routeOptions }, reply, done) => {
    if (routeOptions.config.mayTakeLong && !raw.complete) {
      clearTimeout(timers.get(raw))
      reply.raw.once('finish', () => {
        if (!raw.complete) watch(raw)
      })
    }
    done()
  })
}
