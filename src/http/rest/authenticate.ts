import type { FastifyRequest } from 'fastify'
import { Refusal } from '#kit/refusal'
import { authenticateKey } from '#stores'
import type { CountAddress } from '../rate-limits/address-limiter.ts'
import { countForAddress, countForStore } from '../rate-limits/count-request.ts'
import { inTime } from '../shared/deadline.ts'
import type { HttpDeps } from '../shared/deps.ts'
import { authenticationFailed, bearerOf } from '../shared/errors.ts'
import type { Surface } from '../shared/surface.ts'

/**
 * Finds the API key of each request and starts counting the request for its store, or for its address when it has no
 * valid key. A route runs only for keys with the scope that it allows.
 */
export function authenticateKeys(
  rest: Surface,
  { db, limiter, budgets }: Pick<HttpDeps, 'db' | 'limiter' | 'budgets'>,
  countAddress: CountAddress
): void {
  rest.addHook('onRequest', async (request, reply) => {
    const presented = bearerOf(request)
    const caller = presented === null ? null : await inTime(request, authenticateKey(db, presented))
    if (!caller) {
      countForAddress(countAddress, request)
      reply.header('www-authenticate', 'Bearer')
      throw authenticationFailed()
    }
    request.caller = caller
    countForStore(limiter, request, caller, 'rest', budgets)
    refuseWithoutScope(request, caller.scopes)
  })
}

/** An unknown path has no scope: it is answered 404 to every key. */
function refuseWithoutScope({ routeOptions: { config } }: FastifyRequest, scopes: ReadonlySet<string>): void {
  const scope = config.allow
  if (scope && !scopes.has(scope)) throw new Refusal('forbidden', `This key lacks the scope ${scope}`)
}
