import { setTimeout as sleep } from 'node:timers/promises'
import type { ReadResponse } from './read-response.ts'

/** What there is instead of a refused token: another one, perhaps one later, with the reason why not now; or none, null. */
export type Renewal = { token: string } | { later: string } | null

/** The access token of one client, which may be replaced while calls are under way. */
export type HeldToken = {
  readonly now: string
  /** Another token than the refused one, from now on used. It is waited for until `deadline`, a time of `performance.now()`. */
  replace(refused: string, deadline: number): Promise<Renewal>
}

/** `renew` returns what there is instead of the refused token. */
export function holdToken(first: string, renew: (refused: string) => Promise<Renewal>): HeldToken {
  let token = first
  return {
    get now() {
      return token
    },
    async replace(refused, deadline) {
      // Another call of this client has found one meanwhile.
      if (token !== refused) return { token }
      const ended = new AbortController()
      const leftMs = Math.max(0, deadline - performance.now())
      const late = sleep(leftMs, TOO_LATE, { signal: ended.signal, ref: false }).catch(() => TOO_LATE)
      try {
        const renewal = await Promise.race([renew(refused), late])
        if (renewal && 'token' in renewal) token = renewal.token
        return renewal
      } finally {
        ended.abort()
      }
    }
  }
}

const TOO_LATE: Renewal = { later: 'its refresh takes too long' }

/** Not where only what was asked for was denied: another token would have the same scopes. */
export const isTokenRefused = ({ failure }: ReadResponse): boolean =>
  failure?.kind === 'unauthorized' && failure.code !== 'access_denied'

/** The outcome of a call whose token has ended and cannot be refreshed at the moment. It was not executed. */
export const noTokenYet = (why: string): ReadResponse => ({
  failure: { kind: 'unavailable', code: 'token_not_refreshed', message: `The access token has ended: ${why}` }
})
