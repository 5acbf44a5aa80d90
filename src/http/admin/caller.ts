import type { FastifyRequest } from 'fastify'
import type { Actor } from '#subscriptions'
import type { Role } from '../shared/access.ts'

/** Who calls the admin API: a program with the operator token, later also a person with a session. */
export type Caller = {
  /** What the caller may do: a route runs for the roles that it allows. */
  role: Role
  /** How the history of a subscription names the caller. */
  actor: Actor
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

/** The caller as the actor of a change. */
export const actorOf = (request: Pick<FastifyRequest, 'adminCaller'>): Actor => callerOf(request).actor
