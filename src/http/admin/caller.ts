import type { FastifyRequest } from 'fastify'
import type { Actor } from '#subscriptions'
import type { Role, SignedIn } from '#team'

/** Who calls the admin API: a program with the operator token, which may call every route, or a person with a session. */
export type Caller = {
  /** What the caller may do: a route runs for the roles that have its permission. */
  role: Role | 'operator'
  /** How the history of a subscription names the caller. */
  actor: Actor
  /** Null: a program. */
  person: SignedIn | null
}

declare module 'fastify' {
  interface FastifyRequest {
    adminCaller: Caller | null
  }
}

/** Who calls. Every route of the surface runs after authentication. */
export function callerOf({ adminCaller }: Pick<FastifyRequest, 'adminCaller'>): Caller {
  if (!adminCaller) throw new Error('The route ran without authentication')
  return adminCaller
}

/** The caller by name. */
export const nameOfCaller = (request: Pick<FastifyRequest, 'adminCaller'>): string =>
  callerOf(request).person?.name ?? 'operator token'

/** The caller as the actor of a change. */
export const actorOf = (request: Pick<FastifyRequest, 'adminCaller'>): Actor => callerOf(request).actor
