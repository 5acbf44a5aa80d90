import { isTimezone } from '#kit/clock'
import type { Ctx, Database } from '#kit/postgres'
import { randomToken, type Vault } from '#kit/secrets'
import { ENDLESS, type IssuedToken, writeTokenTerms } from './access-tokens.ts'
import { checkPlatformUrl, checkSecret } from './check-store.ts'
import {
  type Credentials,
  evictPlatformAccess,
  openCredentials,
  type StoreAccess,
  sealCredentials,
  storeByDomain
} from './platform-access.ts'
import { databaseKnowsTimezone, lockConnection, writeConnection, writeShop } from './queries.ts'
import { storeNotFound, tokenNeeded } from './refusals.ts'

/** What became of a disconnection. `other_token`: nothing, since the store has another token than the one that was refused. */
export type Disconnection = 'done' | 'was_disconnected' | 'other_token'

/**
 * Disconnects a store, because its platform uninstalled the app or an operator wants it: the access token is erased, and the
 * platform is not called any more. The secrets that verify its webhooks stay. With `refusedToken` only a store that still has this token:
 * one that was issued meanwhile exists nowhere else.
 */
export async function disconnectStore(
  db: Database,
  vault: Vault,
  storeId: number,
  refusedToken: string | null = null
): Promise<Disconnection> {
  const disconnection = await db.inStore(storeId, async (ctx): Promise<Disconnection> => {
    const { domain, platformUrl, platformCredentials, isConnected } = await lockConnection(ctx)
    if (!isConnected) return 'was_disconnected'
    const credentials = openCredentials(vault, domain, platformCredentials)
    if (refusedToken !== null && credentials.accessToken !== refusedToken) return 'other_token'
    const remaining: Credentials = { ...credentials, accessToken: '', refreshToken: '' }
    await writeConnection(ctx, {
      credentials: sealCredentials(vault, domain, remaining),
      platformUrl,
      isConnected: false
    })
    await writeTokenTerms(ctx, ENDLESS)
    return 'done'
  })
  evictPlatformAccess(db, storeId)
  return disconnection
}

/** What a person gives when the app was installed again; what is left out stays. The token does not expire. */
export type NewConnection = Partial<Omit<Credentials, 'refreshToken'>> & { platformUrl?: string }

/**
 * Connects a store again with what a person gives, or gives it another token. `tryOut` uses the new credentials before
 * they are stored; when it throws, nothing changes. After a disconnection nothing is billed until the changes on the platform
 * are known (`markCaughtUp`). For a sandbox store that has no token any more one is made when none is given. Returns the token
 * that the store has now.
 */
export async function reconnectStore(
  db: Database,
  vault: Vault,
  { domain, sandbox }: { domain: string; sandbox: boolean },
  given: NewConnection,
  tryOut: (access: StoreAccess) => Promise<void>
): Promise<{ accessToken: string }> {
  const before = await storeByDomain(db, vault, domain)
  if (!before) throw storeNotFound(domain)
  const made = sandbox ? before.accessToken || `sbx_${randomToken()}` : null
  const accessToken = secretOf('access_token', given.accessToken) ?? made
  if (!accessToken) throw tokenNeeded()
  const isAnother = accessToken !== before.accessToken
  const credentials: Credentials = {
    accessToken,
    refreshToken: isAnother ? '' : before.refreshToken,
    appSecret: secretOf('app_secret', given.appSecret) ?? before.appSecret,
    proxySecret: secretOf('proxy_secret', given.proxySecret) ?? before.proxySecret
  }
  const url = given.platformUrl === undefined ? before.url : checkPlatformUrl(given.platformUrl)
  await tryOut({ ...before, ...credentials, url, isConnected: true })
  const sealed = sealCredentials(vault, domain, credentials)
  await db.inStore(before.storeId, async (ctx) => {
    await writeConnection(ctx, { credentials: sealed, platformUrl: url, isConnected: true })
    if (isAnother) await writeTokenTerms(ctx, ENDLESS)
  })
  evictPlatformAccess(db, before.storeId)
  return { accessToken }
}

/** What the platform has issued for a store that is known, with the secret of the app that it was issued to. */
export type IssuedConnection = { issued: IssuedToken; appSecret: string; platformUrl: string }

/**
 * Connects a store with a token that its platform has just issued, by which the token before has ended: so it is written before it
 * is used. The caller calls `evictPlatformAccess` after the transaction.
 */
export async function writeIssuedConnection(ctx: Ctx, vault: Vault, given: IssuedConnection): Promise<void> {
  const { domain } = await lockConnection(ctx)
  const { issued, appSecret, platformUrl } = given
  const { accessToken, refreshToken } = issued
  const credentials = { accessToken, refreshToken: refreshToken ?? '', appSecret, proxySecret: appSecret }
  await writeConnection(ctx, {
    credentials: sealCredentials(vault, domain, credentials),
    platformUrl,
    isConnected: true
  })
  await writeTokenTerms(ctx, issued)
}

const secretOf = (field: string, secret: string | undefined) =>
  secret === undefined ? null : checkSecret(field, secret)

/**
 * Updates the shop's name and time zone to those of the platform; the currency of a store never changes. Returns the previous
 * time zone when it changed, else null. An unknown time zone is ignored.
 */
export async function updateShop(
  ctx: Ctx,
  reported: { name: string; timezone: string }
): Promise<{ from: string } | null> {
  const before = await lockConnection(ctx)
  const isKnown = isTimezone(reported.timezone)
  const timezone = isKnown ? Temporal.Now.zonedDateTimeISO(reported.timezone).timeZoneId : before.timezone
  const name = reported.name.trim().slice(0, MAX_NAME) || before.name
  if (name === before.name && timezone === before.timezone) return null
  if (timezone !== before.timezone && !(await databaseKnowsTimezone(ctx.tx, timezone))) {
    throw new Error(`The database does not know the time zone ${timezone}`)
  }
  await writeShop(ctx, { name, timezone })
  return timezone === before.timezone ? null : { from: before.timezone }
}

const MAX_NAME = 200
