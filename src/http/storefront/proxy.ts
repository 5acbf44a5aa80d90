import type { FastifyRequest } from 'fastify'
import { realNow } from '#kit/clock'
import type { Database } from '#kit/postgres'
import { type ProxyCheck, verifyProxyQuery } from '#platform'
import { noteProxyUse, type StoreAccess, storeNow } from '#stores'
import { type FindShop, TooManyUnknownShops } from '../rate-limits/find-shop.ts'
import { inTime } from '../shared/deadline.ts'
import type { HttpDeps } from '../shared/deps.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The shop that the proxy signed for, and who is logged in there. */
    proxied: Proxied | null
  }
}

export type Proxied = { store: StoreAccess; loggedInCustomerId: string | null }

/** Why a request is not one that the app proxy of a known shop signed. */
export type Unproxied = 'unknown_shop' | 'not_signed'

export const NOT_SIGNED = 'The request is not signed by the app proxy of a shop that is known here'

/** Accepts only what the platform's app proxy signed (spec 2, Authentication): the store is the shop that it signed for. */
export async function proxiedBy(
  request: FastifyRequest,
  { db, realNow: now = realNow }: Pick<HttpDeps, 'db' | 'realNow'>,
  findShop: FindShop
): Promise<Proxied | Unproxied> {
  const { shop } = request.query as { shop?: unknown }
  if (typeof shop !== 'string') return 'not_signed'
  const store = await inTime(request, findShop(request.ip, shop).catch(orUnknown))
  if (!store?.isConnected) return 'unknown_shop'
  const check = await inTime(request, verify(db, store, queryOf(request.url), now()))
  if (!check.ok || check.shop !== store.domain) return 'not_signed'
  noteProxyUse(db, store.storeId)
  return { store, loggedInCustomerId: check.loggedInCustomerId }
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

function queryOf(url: string): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}
