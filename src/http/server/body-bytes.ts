import { Transform } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Busy } from '#kit/refusal'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The part of `MAX_BODY_BYTES_IN_FLIGHT` that bodies of this route may hold together; all of it when left out. */
    bodyShare?: number
  }
  interface FastifyRequest {
    /** Bytes of its body that are counted as in flight. */
    bodyBytes: number
  }
}

/** Of all bodies that are held in memory at once, over all connections of the process. */
const MAX_BODY_BYTES_IN_FLIGHT = 64 * 1024 * 1024

/**
 * Bounds the bytes of bodies in memory, from before the first byte is read until the request is answered. A body that does not
 * fit is not read: its request is answered 503 with `Retry-After`, in the shape of its surface. Authentication comes first, so
 * that a stranger's request takes no room. Files that a route reads as a stream (`mayTakeLong`) are not held, and not counted.
 */
export function boundBodyBytes(app: FastifyInstance, maxBytes = MAX_BODY_BYTES_IN_FLIGHT): void {
  let inFlight = 0
  const take = (request: FastifyRequest, bytes: number) => {
    if (inFlight + bytes > maxBytes * (request.routeOptions.config.bodyShare ?? 1)) throw tooManyBytes()
    inFlight += bytes
    request.bodyBytes += bytes
  }

  app.decorateRequest('bodyBytes', 0)
  app.addHook('preParsing', async (request, _reply, payload) => {
    const { headers, routeOptions } = request
    if (routeOptions.config.mayTakeLong) return payload
    if (headers['transfer-encoding'] === undefined) {
      const bytes = Number(headers['content-length'] ?? 0)
      // What is larger is refused before it is read.
      if (bytes <= routeOptions.bodyLimit) take(request, bytes)
      return payload
    }
    // Without a length, bytes are counted as they arrive.
    const counted = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        try {
          take(request, chunk.length)
          done(null, chunk)
        } catch (err) {
          // The rest is read and dropped until the connection ends: unread, it could cost the sender the answer.
          payload.unpipe(counted)
          payload.resume()
          done(err as Error)
        }
      }
    })
    payload.once('error', (err) => counted.destroy(err))
    return payload.pipe(counted)
  })
  // Also for a request that broke off: it is answered too, although nobody reads that.
  app.addHook('onSend', (request, _reply, payload, done) => {
    inFlight -= request.bodyBytes
    request.bodyBytes = 0
    done(null, payload)
  })
}

const tooManyBytes = () =>
  new Busy(
    'The service is receiving too much at once, and nothing was changed; repeat the request after the seconds in Retry-After'
  )
