import { networkOf } from '#kit/addresses'
import { realNow } from '#kit/clock'
import type { RateLimitStatus } from './rate-limit-status.ts'

/** A caller without a valid key has the limit of the smallest plan. */
const PER_MINUTE = 60
/** More addresses than this in one minute share one counter, so that a flood cannot fill the memory. */
const MAX_ADDRESSES = 50_000
const MINUTE_MS = 60_000

/**
 * Counts a request without a valid credential, by the address it comes from. With 0 it tells how things stand, and counts
 * nothing.
 */
export type CountAddress = (address: string, requests?: 0 | 1) => RateLimitStatus

/** Counts requests without a valid credential by client address (IPv6: one /64), in the memory of this process. */
export const createAddressLimiter = (): CountAddress => createMemoryLimiter(networkOf)

/** Counts requests in the memory of this process, by what `keyOf` says of who makes them: of those no other record may be kept. */
export function createMemoryLimiter(keyOf: (who: string) => string): CountAddress {
  let minute = 0
  let counts = new Map<string, number>()

  return (address, requests = 1) => {
    const nowMs = realNow().epochMilliseconds
    const current = Math.floor(nowMs / MINUTE_MS)
    if (current !== minute) {
      minute = current
      counts = new Map()
    }
    const own = keyOf(address)
    const key = counts.has(own) || counts.size < MAX_ADDRESSES ? own : 'everyone else'
    const used = counts.get(key) ?? 0
    const admitted = used < PER_MINUTE
    if (admitted && requests > 0) counts.set(key, used + requests)
    const endMs = (minute + 1) * MINUTE_MS
    return {
      admitted,
      window: 'minute',
      limit: PER_MINUTE,
      remaining: admitted ? PER_MINUTE - used - requests : 0,
      resetAt: endMs / 1000,
      retryAfter: Math.max(1, Math.ceil((endMs - nowMs) / 1000))
    }
  }
}
