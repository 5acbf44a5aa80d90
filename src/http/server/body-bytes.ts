import { finished, type Readable, Transform } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { Busy } from '#kit/refusal'
import type { BodyShare } from '../shared/body-share.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Its body, where one is counted. */
    heldBody: HeldBody | null
  }
  interface FastifyInstance {
    /** The bytes of all bodies that count at the moment. */
    bodyBytesInFlight(): number
  }
}

type HeldBody = {
  bytes: number
  shares: BodyShare[]
  /** `works`: its route has it, and gives it back. Before that a refusal does, or its end that never comes. */
  phase: 'arrives' | 'works' | 'over'
  /** It no longer fitted. What would follow has a known length: the sender can be heard out, and reads the answer. */
  isGivenUpInTime: boolean
  /** Stops reading it; what still comes of it is dropped. */
  drop(): void
}

/** Of all bodies that are held in memory at once, over all connections of the process. */
const MAX_BODY_BYTES_IN_FLIGHT = 64 * 1024 * 1024
const ALL: BodyShare = { of: 'all', part: 1 }

/**
 * Bounds the bytes of bodies in memory. A byte counts when it has arrived, so that nobody takes room by sending nothing, and until
 * the route of its request has ended, whether or not that was answered before; where no route begins, until the request is refused
 * or breaks off. A body that cannot fit is not read, and one that no longer fits is given up: the answer is 503 with `Retry-After`,
 * in the shape of its surface. Files that a route reads as a stream (`mayTakeLong`) are not held, and not counted.
 */
export function boundBodyBytes(app: FastifyInstance, maxBytes = MAX_BODY_BYTES_IN_FLIGHT): void {
  const held = new Map<string, number>()
  const heldBy = ({ of }: BodyShare) => held.get(of) ?? 0
  const fits = (shares: BodyShare[], bytes: number) =>
    shares.every((share) => heldBy(share) + bytes <= maxBytes * share.part)
  const take = (body: HeldBody, bytes: number) => {
    body.bytes += bytes
    for (const share of body.shares) held.set(share.of, heldBy(share) + bytes)
  }
  const giveBack = (body: HeldBody) => {
    if (body.phase === 'over') return
    body.phase = 'over'
    for (const share of body.shares) {
      const left = heldBy(share) - body.bytes
      if (left > 0) held.set(share.of, left)
      else held.delete(share.of)
    }
    body.drop()
  }
  app.decorate('bodyBytesInFlight', () => heldBy(ALL))

  app.decorateRequest('heldBody', null)
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const { headers, method, routeOptions } = request
    const length = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : null
    // The framework reads no body of these methods, and none that is too large.
    const isUnread = method === 'GET' || method === 'HEAD' || length === 0 || Number(length) > routeOptions.bodyLimit
    if (isUnread || routeOptions.config.mayTakeLong) return done(null, payload)
    const shares = [ALL, ...(routeOptions.config.bodyShares?.(request) ?? [])]
    if (!fits(shares, length ?? 0)) return done(tooManyBytes())

    const counted = new Transform({
      transform(chunk: Buffer, _encoding, passOn) {
        if (body.phase !== 'arrives') return passOn()
        if (fits(shares, chunk.length)) {
          take(body, chunk.length)
          return passOn(null, chunk)
        }
        body.isGivenUpInTime = length !== null
        passOn(tooManyBytes())
      }
    })
    const drop = () => {
      payload.unpipe(counted)
      payload.resume()
    }
    const body: HeldBody = { bytes: 0, shares, phase: 'arrives', isGivenUpInTime: false, drop }
    request.heldBody = body
    // Whoever reads it gets the error; once it is answered, nobody reads it.
    counted.on('error', () => {})
    // Also when its sender has left before this: then nothing more comes, not even an end.
    finished(payload as Readable, { writable: false }, (err) => {
      if (!err) return
      counted.destroy(err)
      giveBack(body)
    })
    done(null, payload.pipe(counted))
  })
  app.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = function (request, reply) {
      const body = request.heldBody
      if (!body) return handler.call(this, request, reply)
      body.phase = 'works'
      return Promise.try(() => handler.call(this, request, reply)).finally(() => giveBack(body))
    }
  })
  app.addHook('onSend', ({ heldBody }, reply, payload, done) => {
    if (heldBody && heldBody.phase !== 'works') {
      if (heldBody.isGivenUpInTime) reply.removeHeader('connection')
      giveBack(heldBody)
    }
    done(null, payload)
  })
}

const tooManyBytes = () =>
  new Busy(
    'The service is receiving too much at once, and nothing was changed; repeat the request after the seconds in Retry-After'
  )
