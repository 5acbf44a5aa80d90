import { publicId } from '#kit/ids'
import { holdName } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { checkSessionToken, type Grant, missingScopes, REQUESTED_SCOPES, requestToken, shopUrlOf } from '#platform'
import { findStore, findTokenState, type Store } from '#stores'
import { installStore, refuseOtherPlatform } from '#sync'
import type { HttpDeps } from '../shared/deps.ts'
import { authenticationFailed } from '../shared/errors.ts'
import type { ShopOfApp } from './apps.ts'

/** What the embedded page shows. */
export type Connected = {
  id: string
  domain: string
  name: string
  timezone: string
  currency: string
  /** Whether this request has connected it. */
  connected_now: boolean
  missing_scopes: { scope: string; without: string }[]
}

/** Connects the shop in whose admin the page is that has a session token, unless it is connected well. */
export function sessionConnector(deps: HttpDeps): (token: string, now: Temporal.Instant) => Promise<Connected> {
  const { apps } = deps.install
  // Pages of one shop that are opened at once share the answer.
  const underWay = new Map<string, Promise<Connected>>()

  return async (token, now) => {
    const checked = checkSessionToken(token, apps, now)
    if (!checked.ok) throw authenticationFailed(`The session token proves nothing: ${checked.reason}`)
    const { profile, shop } = checked
    // Another platform may have a shop of this domain.
    const key = `${profile} ${shop}`
    let connecting = underWay.get(key)
    if (!connecting) {
      const ofApp = { profile, shop, app: apps[profile]! }
      connecting = connectOnce(deps, ofApp, token).finally(() => underWay.delete(key))
      underWay.set(key, connecting)
    }
    return connecting
  }
}

async function connectOnce(deps: HttpDeps, shop: ShopOfApp, token: string): Promise<Connected> {
  const connected = await findConnected(deps, shop)
  if (connected) return present(deps, connected, false)
  return aloneIn(deps, shop, async () => {
    // Another node may have connected it meanwhile.
    const meanwhile = await findConnected(deps, shop)
    if (meanwhile) return present(deps, meanwhile, false)
    return present(deps, await connect(deps, shop, { kind: 'session_token', token }), true)
  })
}

/** The store of a shop that needs no other token: each one ends the one before. */
async function findConnected(deps: HttpDeps, { shop, profile }: ShopOfApp): Promise<Store | null> {
  const known = await findStore(deps.db, shop)
  if (known) refuseOtherPlatform(known, profile)
  return known && !(await needsToken(deps, known)) ? known : null
}

/** Connects the store of a shop with a token for which a person has brought something. */
export function connectWith(deps: HttpDeps, shop: ShopOfApp, grant: Grant): Promise<Store> {
  return aloneIn(deps, shop, () => connect(deps, shop, grant))
}

/**
 * One token at a time for each shop, over all nodes: of two that are asked for at once the later ends the earlier, whichever is
 * written last.
 */
function aloneIn<T>({ db }: HttpDeps, { profile, shop }: ShopOfApp, work: () => Promise<T>): Promise<T> {
  const busy = `The shop ${shop} is being connected by another request; open the app again in a minute`
  return holdName(db, `connect ${profile} ${shop}`, { waitMs: WAIT_FOR_OTHERS_MS, busy }, work)
}

/** Longer than a call of the token endpoint takes. */
const WAIT_FOR_OTHERS_MS = 30_000

async function connect(deps: HttpDeps, { profile, shop, app }: ShopOfApp, grant: Grant): Promise<Store> {
  const issued = await requestToken(shopUrlOf(profile, shop, deps.sandbox), app, grant)
  if (!issued.ok)
    throw new Refusal(issued.failure.kind === 'rejected' ? 'forbidden' : 'unavailable', issued.failure.message)
  const installation = { profile, shop, app, tokens: issued.value }
  const log = (storeId: number, message: string) => deps.logger.warn({ store: { id: storeId } }, message)
  const { storeId } = await installStore({ ...deps, connectors: deps.install.connectors, log }, installation)
  deps.wake(storeId)
  return (await findStore(deps.db, shop))!
}

async function needsToken(deps: HttpDeps, store: Store): Promise<boolean> {
  if (!store.connectedAt || store.status !== 'active' || store.tokenRefusedAt) return true
  const { expiresAt, refreshRefused, grantedScopes } = await deps.db.inStore(store.storeId, findTokenState)
  return !expiresAt || refreshRefused || missingOf(grantedScopes).length > 0
}

const missingOf = (granted: string[] | null) => (granted === null ? [] : missingScopes(granted))

async function present(deps: HttpDeps, store: Store, connectedNow: boolean): Promise<Connected> {
  const { grantedScopes } = await deps.db.inStore(store.storeId, findTokenState)
  return {
    id: publicId('store', store.storeId),
    domain: store.domain,
    name: store.name,
    timezone: store.timezone,
    currency: store.currency,
    connected_now: connectedNow,
    missing_scopes: missingOf(grantedScopes).map((scope) => ({ scope, without: REQUESTED_SCOPES[scope].without }))
  }
}
