import type { FastifyRequest } from 'fastify'
import type { Actor } from '#subscriptions'
import type { Role, SignedIn } from '#team'

/**
 * Who calls the admin API: a program with the operator token, which may call every route; a person with a session; or one of the people of a shop,
 * in whose admin the interface is shown, who sees its store alone.
 */
export type Caller = {
  /** What the caller may do: a route runs for the roles that have its permission. */
  role: Role | 'operator' | 'staff'
  /** How the history of a subscription names the caller. */
  actor: Actor
  /** Null: nobody of those who sign in. */
  person: SignedIn | null
  /** Of the people of a shop; null: anybody else. */
  staff: Staff | null
}

/** One of the people of a shop, in the platform's admin; by `staffId` and `name` in histories and the log of changes. */
export type Staff = { storeId: number; shop: string; staffId: string; name: string }

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
export function nameOfCaller(request: Pick<FastifyRequest, 'adminCaller'>): string {
  const { person, staff } = callerOf(request)
  return staff?.name ?? person?.name ?? 'operator token'
}

/** How histories name the person who calls; null for the operator token. */
export function actorIdOf(request: Pick<FastifyRequest, 'adminCaller'>): string | null {
  const { person, staff } = callerOf(request)
  return staff?.staffId ?? person?.personId ?? null
}

/** The caller as the actor of a change. */
export const actorOf = (request: Pick<FastifyRequest, 'adminCaller'>): Actor => callerOf(request).actor
