import type { FastifyRequest } from 'fastify'
import { realNow } from '#kit/clock'
import type { Database } from '#kit/postgres'
import type { RateLimitStatus } from '#kit/rate-limit'
import { type ProxyCheck, verifyProxyQuery } from '#platform'
import { type StoreAccess, storeByDomain, storeNow } from '#stores'
import type { HttpDeps } from '../shared/deps.ts'
import { authenticationFailed } from '../shared/errors.ts'
import { countForAddress, countForStore } from '../shared/rate-limit-hook.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The shop that the proxy signed for, and who is logged in there. */
    proxied: Proxied | null
  }
}

export type Proxied = { store: StoreAccess; loggedInCustomerId: string | null }

/** The hook that takes only what the platform's app proxy signed (spec 2, Authentication), and counts it for its store. */
export function verifyProxy(
  { db, vault, limiter }: Pick<HttpDeps, 'db' | 'vault' | 'limiter'>,
  countAddress: (address: string) => RateLimitStatus
) {
  return async (request: FastifyRequest): Promise<void> => {
    const { shop } = request.query as { shop?: unknown }
    const store = typeof shop === 'string' ? await storeByDomain(db, vault, shop) : null
    const check = store && (await verify(db, store, queryOf(request.url)))
    if (!store?.isConnected || !check?.ok || check.shop !== store.domain) {
      countForAddress(countAddress, request)
      throw authenticationFailed('The request is not signed by the app proxy of a shop that is known here')
    }
    request.proxied = { store, loggedInCustomerId: check.loggedInCustomerId }
    countForStore(limiter, request, store, 'proxy')
  }
}

/** Signed just now: by real time, or by the test clock that a sandbox store's people may live by. */
async function verify(
  db: Database,
  { storeId, sandbox, proxySecret }: StoreAccess,
  query: string
): Promise<ProxyCheck> {
  const check = verifyProxyQuery(query, proxySecret, realNow())
  if (check.ok || check.reason !== 'stale' || !sandbox) return check
  return verifyProxyQuery(query, proxySecret, await storeNow(db, storeId))
}

/** Who calls; every route of the surface runs after the signature was checked. */
export function proxiedOf(request: { proxied: Proxied | null }): Proxied {
  if (!request.proxied) throw new Error('The route ran without a checked signature')
  return request.proxied
}

function queryOf(url: string): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}
