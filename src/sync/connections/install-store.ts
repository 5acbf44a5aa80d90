import { Refusal } from '#kit/refusal'
import { type Connectors, type IssuedTokens, type PlatformApp, type ProfileName, shopUrlOf } from '#platform'
import {
  evictPlatformAccess,
  findStore,
  type IssuedConnection,
  platformAccess,
  type Store,
  storeDeleting,
  writeIssuedConnection
} from '#stores'
import { noteScopes } from './follow-scopes.ts'
import { type OpenStoreDeps, openStore } from './open-store.ts'
import { readEverythingNow } from './reconnect-and-reconcile.ts'
import { noteTokenTaken } from './token-answers.ts'

export type InstallStoreDeps = OpenStoreDeps & {
  connectors: Pick<Connectors, 'tryOut'>
  /** A sentence for the log. */
  log: (storeId: number, message: string) => void
}

export type Installation = { profile: ProfileName; shop: string; app: PlatformApp; tokens: IssuedTokens }

/** The tariff of a store that its shop's people install. */
const RATE_PLAN = 'starter'
/** No store has it: the shop is asked for its facts before there is one. */
const NO_STORE = 0

/**
 * Connects the store of a shop whose people have installed the app, with the token that the platform has issued: creates the store,
 * or gives the existing one its new token and has everything read there. Safe to repeat with another token.
 */
export async function installStore(deps: InstallStoreDeps, installation: Installation): Promise<Store> {
  const { shop, profile, app, tokens } = installation
  const { accessToken, ...terms } = tokens
  const platformUrl = shopUrlOf(profile, shop, deps.sandbox)
  const appSecret = app.clientSecret
  const known = await findStore(deps.db, shop)
  if (known?.connectedAt) {
    refuseOtherPlatform(known, profile)
    await connectAgain(deps, known, { issued: tokens, appSecret, platformUrl })
    return known
  }

  const facts = await deps.connectors.tryOut({ storeId: NO_STORE, profile, url: platformUrl, accessToken }).shop.read()
  if (!facts.ok) throw new Refusal('unavailable', `The shop ${shop} cannot be read. ${facts.failure.message}`)
  const { name, timezone, currency } = facts.value
  const created = await openStore(deps, {
    domain: shop,
    name: name.trim() || shop,
    timezone,
    currency,
    plan: RATE_PLAN,
    sandbox: profile === 'platform',
    profile,
    accessToken,
    appSecret,
    proxySecret: appSecret,
    terms,
    platformUrl
  })
  evictPlatformAccess(deps.db, created.store.storeId)
  return created.store
}

/**
 * Gives a known store the token that was issued for it, and has everything read there. The platform has ended the token before, so
 * whatever comes next must not lose this one: registering the webhooks may fail, and is tried again by the check of the connection.
 */
async function connectAgain(deps: InstallStoreDeps, store: Store, given: IssuedConnection): Promise<void> {
  const { db, vault } = deps
  const { storeId, status, domain } = store
  if (status === 'deleting') throw storeDeleting(domain)
  await db.inStore(storeId, async (ctx) => {
    // Before they are overwritten: what was denied until now is read in.
    if (given.issued.scopes) await noteScopes(ctx, given.issued.scopes)
    await writeIssuedConnection(ctx, vault, given)
    await readEverythingNow(ctx)
    await noteTokenTaken(ctx)
  })
  evictPlatformAccess(db, storeId)
  const access = await platformAccess(db, vault, storeId)
  // The sandbox signs with what it shares with us, which may be another secret now.
  if (store.sandbox) await deps.sandbox.createShop({ ...access, name: store.name })
  try {
    await deps.connectStore(access)
  } catch (err) {
    if (!(err instanceof Refusal)) throw err
    deps.log(storeId, `${err.message}. It is tried again by the check of the connection`)
  }
}

/** Refuses to take the shop of one platform for a store of the same domain on another. */
export function refuseOtherPlatform({ domain, connectedAt, platformProfile }: Store, profile: ProfileName): void {
  if (!connectedAt || platformProfile === profile) return
  throw new Refusal('conflict', `There already is a store ${domain} on another platform (${platformProfile})`)
}
