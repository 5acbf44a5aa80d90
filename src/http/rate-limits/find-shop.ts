import type { Database } from '#kit/postgres'
import type { Vault } from '#kit/secrets'
import { isDomainCached, type StoreAccess, storeByDomain } from '#stores'
import { createAddressLimiter } from './address-limiter.ts'
import { RateLimited } from './rate-limited.ts'

/** An address has named too many unknown shops in this minute, and this one is not known here either. */
export class TooManyUnknownShops extends RateLimited {
  readonly retryAfterSeconds: number

  constructor(limit: number, retryAfterSeconds: number) {
    super({ limit, window: 'minute' }, 'unknown shops from this address')
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** The store of the shop that a request names, before anything proves it; null when there is none. Throws TooManyUnknownShops. */
export type FindShop = (address: string, domain: string) => Promise<StoreAccess | null>

const BELIEVED_MS = 5_000
const MAX_UNKNOWN = 10_000

/**
 * Anybody may name a shop, and each unknown name costs a transaction: it is believed to be unknown for five seconds, and an address
 * may name sixty a minute. Shops that were found before are never refused: behind a proxy their platform may have the same
 * address as a stranger.
 */
export function createShopFinder(db: Database, vault: Vault): FindShop {
  const countUnknown = createAddressLimiter()
  /** Until when each is believed, in milliseconds of `performance.now()`. */
  const unknown = new Map<string, number>()
  return async (address, domain) => {
    const lower = domain.toLowerCase()
    if ((unknown.get(lower) ?? 0) > performance.now()) return null
    if (!isDomainCached(db, lower)) {
      const { admitted, limit, retryAfter } = countUnknown(address, 0)
      if (!admitted) throw new TooManyUnknownShops(limit, retryAfter)
    }
    const store = await storeByDomain(db, vault, lower)
    if (!store) {
      countUnknown(address)
      if (unknown.size >= MAX_UNKNOWN) unknown.clear()
      unknown.set(lower, performance.now() + BELIEVED_MS)
    }
    return store
  }
}
