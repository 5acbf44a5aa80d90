import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Busy } from '#kit/refusal'

declare module 'fastify' {
  interface FastifyRequest {
    /** When it has to be answered; null where nothing was begun. */
    deadline: Deadline | null
  }
  interface FastifyInstance {
    /** The requests that still have a deadline. */
    openRequests(): number
  }
}

type Deadline = {
  /** The end of `work`, or a refusal once the time is over; `work` goes on then. */
  race<T>(work: Promise<T>): Promise<T>
}

/** The contract's promise is ten seconds. */
const ANSWERED_WITHIN_MS = 9_500
const LOOKS = 50

/**
 * Gives each request a deadline. What it waits for has limits of its own, but a request waits for several things one after the
 * other: its key, its count, its transaction. The time in which its body arrives is the client's, and does not count. One timer
 * looks at all requests, since a timer for each would cost more.
 */
export function limitRequests(app: FastifyInstance, withinMs = ANSWERED_WITHIN_MS): void {
  const open = new Map<FastifyRequest, { endsAtMs: number; arrivesSinceMs: number | null; end: () => void }>()
  const look = () => {
    const now = performance.now()
    for (const [request, { endsAtMs, arrivesSinceMs, end }] of open) {
      if (arrivesSinceMs !== null || now < endsAtMs) continue
      open.delete(request)
      end()
    }
  }
  const timer = setInterval(look, withinMs / LOOKS).unref()
  app.addHook('onClose', async () => clearInterval(timer))

  app.decorate('openRequests', () => open.size)
  app.decorateRequest('deadline', null)
  app.addHook('onRequest', (request, reply, done) => {
    const over = Promise.withResolvers<never>()
    // A request that waits for nothing when its time is over.
    over.promise.catch(() => {})
    request.deadline = { race: (work) => Promise.race([work, over.promise]) }
    const end = () => over.reject(tooLate())
    open.set(request, { endsAtMs: performance.now() + withinMs, arrivesSinceMs: null, end })
    // Nobody waits for the answer any more. Then it is not sent, and `onResponse` not called.
    reply.raw.once('close', () => open.delete(request))
    request.raw.once('close', () => {
      if (!request.raw.readableEnded) open.delete(request)
    })
    done()
  })
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    const found = open.get(request)
    if (found) found.arrivesSinceMs = performance.now()
    done()
  })
  app.addHook('preValidation', (request, _reply, done) => {
    const found = open.get(request)
    if (found?.arrivesSinceMs) {
      found.endsAtMs += performance.now() - found.arrivesSinceMs
      found.arrivesSinceMs = null
    }
    done()
  })
  app.addHook('onResponse', (request, _reply, done) => {
    open.delete(request)
    done()
  })
}

/** Makes the routes of a surface answer by the deadline of the request. Its hooks use `inTime` themselves. */
export function answerInTime(surface: Pick<FastifyInstance, 'addHook'>): void {
  surface.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = function (request, reply) {
      const result: unknown = handler.call(this, request, reply)
      return result instanceof Promise ? inTime(request, result) : result
    }
  })
}

/** The end of `work`, or a refusal once the request has to be answered. */
export function inTime<T>({ deadline }: FastifyRequest, work: Promise<T>): Promise<T> {
  return deadline ? deadline.race(work) : work
}

const tooLate = () =>
  new Busy(
    'The request was not finished in time. Repeat it after the seconds in Retry-After, a write with its Idempotency-Key: whether it was carried out is not known'
  )
