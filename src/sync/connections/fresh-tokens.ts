import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import type { Vault } from '#kit/secrets'
import { type PlatformApps, type Renewal, requestToken } from '#platform'
import {
  claimRefresh,
  evictPlatformAccess,
  failRefresh,
  finishRefresh,
  notify,
  platformAccess,
  REFRESH_AHEAD_MS,
  type StoreAccess
} from '#stores'
import { noteScopes } from './follow-scopes.ts'

/** A call that begins now must not find its token expired: with less left it waits for the refresh. */
const WAIT_BELOW_MS = 60_000
/** After a try without an answer; the platform takes the same refresh token again. */
const RETRY_UNANSWERED_MS = 15_000
/** After a definite refusal: only a person can help, who connects the store anew. */
const RETRY_REFUSED_MS = 600_000
/** How often a process looks whether another one has refreshed, and how long: no longer than that one's lease. */
const LOOK_AGAIN_MS = 300
const WAIT_FOR_OTHERS_MS = 45_000
/** A stop waits so long for an answer. One that is lost is asked for again. */
const STOP_AFTER_MS = 3_000

export type FreshTokensOptions = {
  db: Database
  vault: Vault
  apps: PlatformApps
  /** A refresh has brought a token for the store. */
  onTokenTaken: (storeId: number) => Promise<void>
  /** A sentence for the log. */
  log: (storeId: number, message: string) => void
}

/** Where a refresh has brought no token: one may come later, with the reason; or null, also where it has brought one. */
type Ended = { later: string } | null

/** The access tokens of stores, refreshed before they end: by one process at a time, so that each refresh token is used once. */
export type FreshTokens = {
  /** How the store's platform is called, with a token that is good for a while. Refuses a store that is disconnected. */
  accessOf(storeId: number): Promise<StoreAccess>
  /** What there is instead of the token that the platform has refused. */
  renew(storeId: number, refused: string): Promise<Renewal>
  /** Waits for refreshes that are under way: what they bring must be written. */
  stop(): Promise<void>
}

export function createFreshTokens({ db, vault, apps, onTokenTaken, log }: FreshTokensOptions): FreshTokens {
  const underWay = new Map<number, Promise<Ended>>()
  const calls = new Set<() => void>()

  /** Those who need it at once share it. */
  const refresh = (storeId: number, refused: string | null): Promise<Ended> => {
    let running = underWay.get(storeId)
    if (!running) {
      running = refreshOnce(storeId, refused).finally(() => underWay.delete(storeId))
      underWay.set(storeId, running)
    }
    return running
  }

  async function refreshOnce(storeId: number, refused: string | null): Promise<Ended> {
    const { profile, url } = await platformAccess(db, vault, storeId)
    const patience = performance.now() + WAIT_FOR_OTHERS_MS
    for (;;) {
      const claim = await db.inStore(storeId, (ctx) => claimRefresh(ctx, vault, refused))
      if (claim.kind === 'claimed') return useClaim(storeId, { ...claim, profile, url, isRefused: refused !== null })
      if (claim.kind === 'waits') return claim.isRefused ? null : { later: claim.error }
      if (claim.kind !== 'busy') {
        evictPlatformAccess(db, storeId)
        return null
      }
      // Until the other one is done the token is good, unless it was refused.
      if (refused === null || performance.now() > patience) return { later: 'another process refreshes it' }
      await sleep(LOOK_AGAIN_MS)
    }
  }

  async function useClaim(
    storeId: number,
    claim: { lease: number; refreshToken: string; isRefused: boolean } & Pick<StoreAccess, 'profile' | 'url'>
  ): Promise<Ended> {
    const app = apps[claim.profile]
    if (!app) return refuse(storeId, claim, NO_APP)
    const issued = await requestToken(
      claim.url,
      app,
      { kind: 'refresh_token', token: claim.refreshToken },
      { underWay: calls }
    )
    if (issued.ok) {
      const { scopes } = issued.value
      const isWritten = await db.inStore(storeId, async (ctx) => {
        if (!(await finishRefresh(ctx, vault, claim.lease, issued.value))) return false
        if (scopes !== null) await noteScopes(ctx, scopes)
        return true
      })
      evictPlatformAccess(db, storeId)
      if (isWritten) await onTokenTaken(storeId)
      return null
    }
    const { kind, message } = issued.failure
    if (kind === 'rejected') return refuse(storeId, claim, message)
    await db.inStore(storeId, (ctx) =>
      failRefresh(ctx, claim.lease, { error: message, isRefused: false, retryInMs: RETRY_UNANSWERED_MS })
    )
    log(storeId, `The access token is not refreshed, which is tried again: ${message}`)
    return { later: message }
  }

  async function refuse(
    storeId: number,
    { lease, isRefused }: { lease: number; isRefused: boolean },
    message: string
  ): Promise<null> {
    const isOurs = await db.inStore(storeId, async (ctx) => {
      if (!(await failRefresh(ctx, lease, { error: message, isRefused: true, retryInMs: RETRY_REFUSED_MS })))
        return false
      // That the token is refused is an alert of its own.
      if (isRefused) return true
      await notify(ctx, {
        kind: 'token_not_refreshed',
        subject: 'The access token of the store cannot be refreshed',
        message:
          `${message}. When the present token ends, at most an hour after it was issued, nothing can be billed any more. ` +
          "Open the app in the shop's admin, or the link of `perennial platform install-link`: either brings a new token.",
        atMostEveryHours: 24
      })
      return true
    })
    if (isOurs) log(storeId, `The access token cannot be refreshed: ${message}`)
    return null
  }

  const inBackground = (storeId: number) =>
    void refresh(storeId, null).catch((err: Error) => log(storeId, `The access token is not refreshed: ${err.message}`))

  return {
    async accessOf(storeId) {
      const access = await platformAccess(db, vault, storeId)
      const leftMs = access.tokenEndsAt === null ? Number.POSITIVE_INFINITY : access.tokenEndsAt - performance.now()
      if (leftMs > REFRESH_AHEAD_MS) return access
      if (leftMs > WAIT_BELOW_MS) {
        inBackground(storeId)
        return access
      }
      await refresh(storeId, null)
      return platformAccess(db, vault, storeId)
    },

    async renew(storeId, refused) {
      try {
        const ended = await refresh(storeId, refused)
        evictPlatformAccess(db, storeId)
        const { accessToken } = await platformAccess(db, vault, storeId)
        return accessToken === refused ? ended : { token: accessToken }
      } catch (err) {
        // Disconnected or deleted meanwhile.
        if (err instanceof Refusal) return null
        throw err
      }
    },

    async stop() {
      const patience = setTimeout(() => {
        for (const end of calls) end()
      }, STOP_AFTER_MS)
      await Promise.allSettled(underWay.values())
      clearTimeout(patience)
    }
  }
}

const NO_APP =
  'PLATFORM_CLIENT_ID and PLATFORM_CLIENT_SECRET are not set, without which the platform refreshes no token'
