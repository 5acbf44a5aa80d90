import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '#kit/refusal'
import { equalInConstantTime, type Secret } from '#kit/secrets'
import { PERMISSIONS, PERMISSIONS_OF, type Permission, rolesWith, type SignIn, STAFF_PERMISSIONS } from '#team'
import { type GuessLimiter, TooManyGuesses } from '../rate-limits/guess-limiter.ts'
import { authenticationFailed, bearerOf } from '../shared/errors.ts'
import { refuseOtherSites } from '../shared/same-origin.ts'
import type { Surface } from '../shared/surface.ts'
import type { Caller } from './caller.ts'
import type { FindStaff } from './staff.ts'

/** Finds the caller by one kind of credential. Null when the request brings none of that kind, or one that is not valid. */
export type ResolveCaller = (request: FastifyRequest, reply: FastifyReply) => Caller | null | Promise<Caller | null>

/** Every kind of credential that the admin API accepts, in the order in which they are tried. */
export const callerResolvers = ({
  operatorToken,
  signIn,
  staffOf
}: {
  operatorToken: Secret
  signIn: SignIn
  staffOf: FindStaff
}): ResolveCaller[] => [byOperatorToken(operatorToken), byShopToken(staffOf), bySession(signIn)]

function byOperatorToken(token: Secret): ResolveCaller {
  return (request) => {
    const presented = bearerOf(request)
    const isOperator = presented !== null && equalInConstantTime(presented, token.reveal())
    return isOperator ? { role: 'operator', actor: 'operator', person: null, staff: null } : null
  }
}

/** The session token of the platform's admin, in which the interface is shown. */
function byShopToken(staffOf: FindStaff): ResolveCaller {
  return async (request) => {
    const token = bearerOf(request)
    const staff = token === null ? null : await staffOf(token)
    if (!staff) return null
    return { role: 'staff', actor: { actor: 'operator', actorId: staff.staffId }, person: null, staff }
  }
}

/** A cookie comes with every request of a browser, whoever's page it is from: one that changes something must be from ours. */
function bySession(signIn: SignIn): ResolveCaller {
  return async (request, reply) => {
    const { cookie } = request.headers
    if (!cookie) return null
    const found = await signIn.sessionOf(new Headers({ cookie }))
    if (!found) return null
    const { setCookies, ...person } = found
    refuseOtherSites(request)
    for (const renewed of setCookies) reply.header('set-cookie', renewed)
    return { role: person.role, actor: { actor: 'operator', actorId: person.personId }, person, staff: null }
  }
}

/**
 * Finds out who calls, and runs a route only for callers in a role that it allows. Unknown paths are 404 to every caller. Who
 * guesses at credentials is refused after a few wrong ones.
 */
export function authenticateCallers(admin: Surface, resolvers: ResolveCaller[], guesses: GuessLimiter): void {
  admin.decorateRequest('adminCaller', null)
  admin.addHook('onRequest', async (request, reply) => {
    const caller = await callerWithoutGuessing(resolvers, guesses, request, reply).catch((err) => {
      if (err instanceof TooManyGuesses) reply.header('retry-after', err.retryAfterSeconds)
      throw err
    })
    if (!caller) {
      reply.header('www-authenticate', 'Bearer')
      throw authenticationFailed('A valid operator token is needed, or a session of the admin interface')
    }
    request.adminCaller = caller
    const { allow } = request.routeOptions.config
    if (allow !== undefined && !mayCall(caller, allow as Permission)) {
      const roles = rolesWith(allow as Permission).join(', ')
      throw new Refusal('forbidden', `This is for the roles ${roles}; yours is ${caller.role}`)
    }
  })
}

/** A request without a bearer token is no guess. */
async function callerWithoutGuessing(
  resolvers: ResolveCaller[],
  guesses: GuessLimiter,
  request: FastifyRequest,
  reply: FastifyReply
) {
  if (bearerOf(request) === null) return firstCaller(resolvers, request, reply)
  guesses.refuseKnown(request.ip)
  const caller = await firstCaller(resolvers, request, reply)
  if (caller) await guesses.checkRight(request.ip)
  else await guesses.countWrong(request.ip)
  return caller
}

async function firstCaller(
  resolvers: ResolveCaller[],
  request: FastifyRequest,
  reply: FastifyReply
): Promise<Caller | null> {
  for (const resolve of resolvers) {
    const caller = await resolve(request, reply)
    if (caller) return caller
  }
  return null
}

/** What a caller may do. */
export function permissionsOf({ role }: Pick<Caller, 'role'>): readonly Permission[] {
  if (role === 'operator') return PERMISSIONS
  return role === 'staff' ? STAFF_PERMISSIONS : PERMISSIONS_OF[role]
}

const mayCall = (caller: Caller, permission: Permission): boolean => permissionsOf(caller).includes(permission)
