import { setTimeout as sleep } from 'node:timers/promises'
import type { ReadResponse } from './read-response.ts'

/** The access token of one client, which may be replaced while calls are under way. */
export type HeldToken = {
  readonly now: string
  /** Another token than the refused one, from now on used; null when there is none by `deadline`, a time of `performance.now()`. */
  replace(refused: string, deadline: number): Promise<string | null>
}

/** `renew` returns another token of the store, or the refused one or null when there is none. */
export function holdToken(first: string, renew: (refused: string) => Promise<string | null>): HeldToken {
  let token = first
  return {
    get now() {
      return token
    },
    async replace(refused, deadline) {
      // Another call of this client has found one meanwhile.
      if (token !== refused) return token
      const ended = new AbortController()
      const leftMs = Math.max(0, deadline - performance.now())
      const late = sleep(leftMs, null, { signal: ended.signal, ref: false }).catch(() => null)
      try {
        const renewed = await Promise.race([renew(refused), late])
        if (renewed === null || renewed === refused) return null
        token = renewed
        return renewed
      } finally {
        ended.abort()
      }
    }
  }
}

/** Not where only what was asked for was denied: another token would have the same scopes. */
export const isTokenRefused = ({ failure }: ReadResponse): boolean =>
  failure?.kind === 'unauthorized' && failure.code !== 'access_denied'
