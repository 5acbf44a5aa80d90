import { bool, bytes, type Ctx, instant, int, nullable, type RowOf, row, sql, text, textList } from '#kit/postgres'
import type { Vault } from '#kit/secrets'
import { openCredentials, sealCredentials } from './platform-access.ts'

/** How long an access token is good for, and what it was issued for; all null or empty for one that does not expire. */
export type TokenTerms = {
  expiresInSeconds: number | null
  refreshToken: string | null
  refreshExpiresInSeconds: number | null
  /** Null: the platform has not said. */
  scopes: string[] | null
}

export const ENDLESS: TokenTerms = {
  expiresInSeconds: null,
  refreshToken: null,
  refreshExpiresInSeconds: null,
  scopes: null
}

export type IssuedToken = TokenTerms & { accessToken: string }

/** A token is refreshed when this is left of it: long enough for some tries that get no answer. */
export const REFRESH_AHEAD_MS = 10 * 60_000
/** Nobody else uses the refresh token for so long: longer than a call of the token endpoint takes. */
const LEASE_MS = 45_000

/**
 * Whether this process may refresh a store's token.
 * - `current`: there is no need to; the stored token is another than the refused one, or good for a while.
 * - `claimed`: it may, with this refresh token, until the lease ends.
 * - `busy`: another process does.
 * - `waits`: it failed a moment ago, with this error.
 * - `impossible`: there is no refresh token.
 */
export type RefreshClaim =
  | { kind: 'current' }
  | { kind: 'claimed'; lease: number; refreshToken: string }
  | { kind: 'busy' }
  | { kind: 'waits'; error: string; isRefused: boolean }
  | { kind: 'impossible' }

const Tokens = row({
  domain: text,
  status: text,
  platformCredentials: bytes,
  tokenExpiresAt: nullable(instant),
  refreshLeasedUntil: nullable(instant),
  refreshRetryAt: nullable(instant),
  refreshError: nullable(text),
  refreshRefused: bool
})

/** Claims the refresh of a store's access token, if it is near its end or is `refused`. One process has it at a time. */
export async function claimRefresh(ctx: Ctx, vault: Vault, refused: string | null): Promise<RefreshClaim> {
  const stored = await ctx.tx.one(
    Tokens,
    sql`select domain, status, platform_credentials, token_expires_at, refresh_leased_until, refresh_retry_at, refresh_error,
               refresh_refused
          from stores where store_id = ${ctx.storeId} for no key update`
  )
  const { accessToken, refreshToken } = openCredentials(vault, stored.domain, stored.platformCredentials)
  const isAfter = (at: Temporal.Instant | null) => at !== null && at.epochMilliseconds > ctx.realNowMs
  if (stored.status !== 'active') return { kind: 'impossible' }
  const endsAt = stored.tokenExpiresAt?.epochMilliseconds ?? Number.POSITIVE_INFINITY
  if (accessToken !== refused && endsAt - ctx.realNowMs > REFRESH_AHEAD_MS) return { kind: 'current' }
  if (!refreshToken) return { kind: 'impossible' }
  if (isAfter(stored.refreshLeasedUntil)) return { kind: 'busy' }
  if (isAfter(stored.refreshRetryAt)) {
    return { kind: 'waits', error: stored.refreshError ?? '', isRefused: stored.refreshRefused }
  }
  const { refreshLease } = await ctx.tx.one(
    row({ refreshLease: int }),
    sql`update stores set refresh_lease = refresh_lease + 1, refresh_leased_until = ${inMs(ctx, LEASE_MS)}
         where store_id = ${ctx.storeId} returning refresh_lease`
  )
  return { kind: 'claimed', lease: refreshLease, refreshToken }
}

/**
 * Writes what a refresh returned, whole: an access token without its refresh token could not be refreshed again. Not the scopes: what follows
 * from other ones than before is the caller's. False when the store got another token meanwhile.
 */
export async function finishRefresh(ctx: Ctx, vault: Vault, lease: number, issued: IssuedToken): Promise<boolean> {
  const stored = await ctx.tx.maybeOne(
    row({ domain: text, platformCredentials: bytes }),
    sql`select domain, platform_credentials from stores
         where store_id = ${ctx.storeId} and refresh_lease = ${lease} and status = 'active' for no key update`
  )
  if (!stored) return false
  const credentials = openCredentials(vault, stored.domain, stored.platformCredentials)
  const { accessToken, refreshToken } = issued
  const sealed = sealCredentials(vault, stored.domain, {
    ...credentials,
    accessToken,
    refreshToken: refreshToken ?? ''
  })
  await ctx.tx.run(
    sql`update stores set platform_credentials = ${sealed}, updated_at = statement_timestamp()
         where store_id = ${ctx.storeId}`
  )
  await writeTokenTerms(ctx, { ...issued, scopes: null })
  return true
}

/** Gives the claim back after a try that came to nothing. False when the store got another token meanwhile. */
export async function failRefresh(
  ctx: Ctx,
  lease: number,
  { error, isRefused, retryInMs }: { error: string; isRefused: boolean; retryInMs: number }
): Promise<boolean> {
  const given = await ctx.tx.run(
    sql`update stores
           set refresh_leased_until = null, refresh_retry_at = ${inMs(ctx, retryInMs)}, refresh_error = ${error.slice(0, 1000)},
               refresh_refused = ${isRefused}
         where store_id = ${ctx.storeId} and refresh_lease = ${lease}`
  )
  return given > 0
}

/** Writes how long the token is good for that is stored in the same transaction. A refresh that is under way counts no more. */
export async function writeTokenTerms(
  ctx: Pick<Ctx, 'tx' | 'storeId' | 'realNowMs'>,
  terms: TokenTerms
): Promise<void> {
  const endOf = (seconds: number | null) => (seconds === null ? null : inMs(ctx, seconds * 1000))
  await ctx.tx.run(
    sql`update stores
           set token_expires_at = ${endOf(terms.expiresInSeconds)}, refresh_token_expires_at = ${endOf(terms.refreshExpiresInSeconds)},
               refresh_lease = refresh_lease + 1, refresh_leased_until = null, refresh_retry_at = null, refresh_error = null, refresh_refused = false,
               granted_scopes = coalesce(${terms.scopes}, granted_scopes)
         where store_id = ${ctx.storeId}`
  )
}

const TokenState = row({
  /** When the access token ends; null for one that does not, and where there is none. */
  expiresAt: nullable(instant),
  refreshExpiresAt: nullable(instant),
  /** Why the last refresh came to nothing; null after one that worked. */
  refreshError: nullable(text),
  /** Whether that was the platform's definite refusal. */
  refreshRefused: bool,
  /** The access scopes that the platform listed last; null when it was never asked. */
  grantedScopes: nullable(textList),
  /** When the app proxy last passed on a signed request. */
  proxyUsedAt: nullable(instant)
})
type TokenState = RowOf<typeof TokenState>

/** What is known of a store's access token, in real time. */
export function findTokenState(ctx: Ctx): Promise<TokenState> {
  return ctx.tx.one(
    TokenState,
    sql`select token_expires_at as expires_at, refresh_token_expires_at as refresh_expires_at, refresh_error, refresh_refused,
               granted_scopes, proxy_used_at
          from stores where store_id = ${ctx.storeId}`
  )
}

/** Whether the app may read orders of any age. In a shop that is no sandbox it needs a scope for those older than 60 days. */
export async function seesAllOrders(ctx: Ctx): Promise<boolean> {
  const { seesAll } = await ctx.tx.one(
    row({ seesAll: bool }),
    sql`select sandbox or coalesce('read_all_orders' = any(granted_scopes), true) as sees_all
          from stores where store_id = ${ctx.storeId}`
  )
  return seesAll
}

/** Writes the access scopes that the platform lists. Returns those that it listed before. */
export async function writeGrantedScopes(ctx: Ctx, scopes: string[]): Promise<string[] | null> {
  const { grantedScopes: before } = await findTokenState(ctx)
  const sorted = scopes.toSorted()
  if (before?.toSorted().join() === sorted.join()) return before
  await ctx.tx.run(
    sql`update stores set granted_scopes = ${sorted}, updated_at = statement_timestamp() where store_id = ${ctx.storeId}`
  )
  return before
}

const inMs = ({ realNowMs }: Pick<Ctx, 'realNowMs'>, ms: number) =>
  Temporal.Instant.fromEpochMilliseconds(Math.round(realNowMs + ms))
