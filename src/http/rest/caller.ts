import { publicId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import type { Caller } from '#stores'
import type { Actor } from '#subscriptions'

declare module 'fastify' {
  interface FastifyRequest {
    /** Runs `work` in one transaction of the caller's store. */
    inStore<T>(work: (ctx: Ctx) => Promise<T>): Promise<T>
  }
}

/** The API key that calls, with its store. Every route of the surface runs after authentication. */
export function callerOf(request: { caller: Caller | null }): Caller {
  if (!request.caller) throw new Error('The route ran without authentication')
  return request.caller
}

/** The caller as the actor of a change: the history of a subscription names the key. */
export function actorOf({ keyId }: Caller): Actor {
  return { actor: 'api', actorId: publicId('key', keyId) }
}
