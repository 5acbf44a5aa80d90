import { Refusal } from '#kit/refusal'
import { type Connectors, type IssuedTokens, type PlatformApp, type ProfileName, shopUrlOf } from '#platform'
import { evictPlatformAccess, findStore, markTokenTaken, type Store } from '#stores'
import { type OpenStoreDeps, openStore } from './open-store.ts'
import { reconnectAndReconcile } from './reconnect-and-reconcile.ts'

export type InstallStoreDeps = OpenStoreDeps & { connectors: Pick<Connectors, 'tryOut'> }

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
  const credentials = { accessToken, appSecret: app.clientSecret, proxySecret: app.clientSecret, terms, platformUrl }
  const known = await findStore(deps.db, shop)
  if (known?.connectedAt) {
    if (known.platformProfile !== profile) throw otherPlatform(known)
    await reconnectAndReconcile(deps, known, credentials, async (access) => {
      // The sandbox signs with what it shares with us, which may be another secret now.
      if (known.sandbox) await deps.sandbox.createShop({ ...access, name: known.name })
      await deps.connectStore(access)
    })
    await deps.db.inStore(known.storeId, markTokenTaken)
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
    ...credentials
  })
  evictPlatformAccess(deps.db, created.store.storeId)
  return created.store
}

const otherPlatform = ({ domain, platformProfile }: Store) =>
  new Refusal('conflict', `There already is a store ${domain} on another platform (${platformProfile})`)
