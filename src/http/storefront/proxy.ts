import type { FastifyRequest } from 'fastify'
import { realNow } from '#kit/clock'
import type { Database } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { type ProxyCheck, verifyProxyQuery } from '#platform'
import { type StoreAccess, storeNow } from '#stores'
import type { CountAddress } from '../rate-limits/address-limiter.ts'
import { countForAddress, countForStore } from '../rate-limits/count-request.ts'
import { type FindShop, TooManyUnknownShops } from '../rate-limits/find-shop.ts'
import { inTime } from '../shared/deadline.ts'
import type { HttpDeps } from '../shared/deps.ts'
import { authenticationFailed } from '../shared/errors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The shop that the proxy signed for, and who is logged in there. */
    proxied: Proxied | null
  }
}

type Proxied = { store: StoreAccess; loggedInCustomerId: string | null }

/** The hook that accepts only what the platform's app proxy signed (spec 2, Authentication), and counts it for its store. */
export function verifyProxy(
  { db, limiter, realNow: now = realNow }: Pick<HttpDeps, 'db' | 'limiter' | 'realNow'>,
  countAddress: CountAddress,
  findShop: FindShop
) {
  return async (request: FastifyRequest): Promise<void> => {
    const { shop } = request.query as { shop?: unknown }
    const store = typeof shop === 'string' ? await inTime(request, findShop(request.ip, shop).catch(orUnknown)) : null
    const check = store && (await inTime(request, verify(db, store, queryOf(request.url), now())))
    if (!store?.isConnected || !check?.ok || check.shop !== store.domain) {
      countForAddress(countAddress, request)
      throw authenticationFailed('The request is not signed by the app proxy of a shop that is known here')
    }
    request.proxied = { store, loggedInCustomerId: check.loggedInCustomerId }
    countForStore(limiter, request, store, 'proxy')
  }
}

/** Such an address has used up its requests without a valid signature, and is answered so. */
function orUnknown(err: unknown): null {
  if (err instanceof TooManyUnknownShops) return null
  throw err
}

/** The signature must be recent: by real time, or by the test clock of a sandbox store. */
async function verify(
  db: Database,
  { storeId, sandbox, proxySecret }: StoreAccess,
  query: string,
  now: Temporal.Instant
): Promise<ProxyCheck> {
  const check = verifyProxyQuery(query, proxySecret, now)
  if (check.ok || check.reason !== 'stale' || !sandbox) return check
  return verifyProxyQuery(query, proxySecret, await storeNow(db, storeId))
}

/** Refuses a visitor who is not logged in, where a route is for customers. */
export function refuseVisitors({ proxied, routeOptions: { config, schema } }: FastifyRequest): void {
  if (config.allow !== 'customer' || proxied?.loggedInCustomerId) return
  const action = schema?.summary ?? 'Go on'
  throw new Refusal('forbidden', `Log in to ${action.charAt(0).toLowerCase()}${action.slice(1)}`)
}

/** The customer who is logged in, by the platform's number, and the store. Runs after the signature was checked. */
export function customerOf({ proxied }: { proxied: Proxied | null }): { store: StoreAccess; customerId: string } {
  if (!proxied?.loggedInCustomerId) throw new Error('The route ran without a customer')
  return { store: proxied.store, customerId: proxied.loggedInCustomerId }
}

function queryOf(url: string): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}
