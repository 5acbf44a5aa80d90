import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Takes large files, which arrive as fast as they are worked off: see `refuseSlowRequests`. */
    mayTakeLong?: true
  }
}

/** For the whole request to arrive; what arrives slower is not a client of ours. */
const REQUEST_TIMEOUT_MS = 30_000
/** The server's own limit, which no route can lift; it holds for files. */
export const FILE_TIMEOUT_MS = 6 * 60 * 60_000

/**
 * Breaks off requests whose body does not come to its end in time, as Node would, if it could be told for which routes. A file
 * has longer from when it is let in, its sender and its type known, until it is answered.
 */
export function refuseSlowRequests(
  app: FastifyInstance,
  respondToBrokenRequest: (err: Error, socket: Socket) => void
): void {
  const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>()
  const watch = (raw: IncomingMessage) => {
    const timer = setTimeout(() => {
      if (raw.complete || raw.readableEnded) return
      respondToBrokenRequest(
        Object.assign(new Error('The request took too long to arrive'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
        raw.socket
      )
    }, REQUEST_TIMEOUT_MS).unref()
    timers.set(raw, timer)
    // Not with the answer: one who was answered early must not go on for ever either.
    raw.once('close', () => clearTimeout(timer))
  }
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    if (raw.headers['content-length'] !== undefined || raw.headers['transfer-encoding'] !== undefined) watch(raw)
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
