import { publicId } from '#kit/ids'
import type { Database, Queries } from '#kit/postgres'
import { concealed, type Vault } from '#kit/secrets'
import { findSealedAccess, findStoreIdByDomain, writePlatformUrl } from './queries.ts'
import { storeDisconnected, storeNotFound } from './refusals.ts'
import type { PlatformProfileName, RatePlan } from './store.ts'

/** How a store's platform is called, and how its calls to us are verified. When logged, it hides its secrets. */
export type StoreAccess = Credentials & {
  storeId: number
  domain: string
  timezone: string
  currency: string
  ratePlan: RatePlan
  sandbox: boolean
  profile: PlatformProfileName
  url: string
  /** Whether the app is installed: otherwise there is no access token, and the platform is not called. */
  isConnected: boolean
  /** Whether it is on hold since a restore, so that nothing may be changed on the platform. */
  isRestored: boolean
  /** When the access token ends, as a time of `performance.now()`; null for one that does not expire. */
  tokenEndsAt: number | null
}

export type Credentials = {
  /** For our calls to the platform's Admin API. */
  accessToken: string
  /** Signs the platform's webhooks. */
  appSecret: string
  /** Signs requests through the platform's app proxy. */
  proxySecret: string
  /** Brings the next access token; left out or empty where that does not expire. */
  refreshToken?: string
}

const SECRET_FIELDS = ['accessToken', 'appSecret', 'proxySecret', 'refreshToken'] as const

/** Encrypts credentials for one domain: copied into the row of another store, they cannot be decrypted. */
export function sealCredentials(vault: Vault, domain: string, credentials: Credentials): Buffer {
  return vault.seal(`stores.platform_credentials:${domain}`, JSON.stringify(credentials))
}

export function openCredentials(vault: Vault, domain: string, sealed: Buffer): Credentials {
  return JSON.parse(vault.open(`stores.platform_credentials:${domain}`, sealed)) as Credentials
}

/** Long enough that a busy store saves the query, short enough that a change by another process is seen soon. */
const CACHED_MS = 5_000
const MAX_CACHED = 10_000

type Cached = { access: Promise<StoreAccess | null>; until: number }
type Cache = { byId: Map<number, Cached>; idByDomain: Map<string, number> }

/** One for each database, whatever kind of work it is used for: all of them share its direct statements. */
const caches = new WeakMap<Queries, Cache>()

function cacheOf(db: Database): Cache {
  let cache = caches.get(db.direct)
  if (!cache) caches.set(db.direct, (cache = { byId: new Map(), idByDomain: new Map() }))
  return cache
}

/**
 * The store's credentials, which are cached for five seconds. Refuses an unknown store, and one that is disconnected.
 */
export async function platformAccess(db: Database, vault: Vault, storeId: number): Promise<StoreAccess> {
  const access = await findAccess(db, vault, storeId)
  if (!access) throw storeNotFound(publicId('store', storeId))
  if (!access.isConnected) throw storeDisconnected(access.domain)
  return access
}

/** Whether a store of this domain was found before: `storeByDomain` does not look for the domain in the database then. */
export function isDomainCached(db: Database, domain: string): boolean {
  return cacheOf(db).idByDomain.has(domain.toLowerCase())
}

/**
 * Whether the store's platform may be changed: not while the store is on hold. The beginning of a hold is seen after five seconds
 * at the latest, its end at once.
 */
export async function mayChangePlatform(db: Database, vault: Vault, storeId: number): Promise<boolean> {
  const known = await findAccess(db, vault, storeId)
  // Others may have asked before the hold has ended, and share their answer.
  return !known?.isRestored || !(await readAccess(db, vault, storeId))?.isRestored
}

/** The store of a domain with its credentials, also when it is disconnected; null when there is none. */
export async function storeByDomain(db: Database, vault: Vault, domain: string): Promise<StoreAccess | null> {
  const { idByDomain } = cacheOf(db)
  const lower = domain.toLowerCase()
  const known = idByDomain.get(lower)
  if (known !== undefined) {
    const access = await findAccess(db, vault, known)
    if (access) return access
    // The store was deleted; another one may have its domain now.
    idByDomain.delete(lower)
  }
  const storeId = await db.inInstallation((tx) => findStoreIdByDomain(tx, lower))
  if (storeId === null) return null
  if (idByDomain.size >= MAX_CACHED) idByDomain.clear()
  idByDomain.set(lower, storeId)
  return findAccess(db, vault, storeId)
}

/** Removes a store from the cache; called after a change, so that this process sees it immediately. */
export function evictPlatformAccess(db: Database, storeId: number): void {
  cacheOf(db).byId.delete(storeId)
}

/** Those who ask while the store is looked up share the look-up: webhooks of the platform arrive by the hundred. */
async function findAccess(db: Database, vault: Vault, storeId: number): Promise<StoreAccess | null> {
  const { byId } = cacheOf(db)
  const cached = byId.get(storeId)
  if (cached && cached.until > performance.now()) return cached.access

  const looking = { access: readAccess(db, vault, storeId), until: performance.now() + CACHED_MS }
  if (byId.size >= MAX_CACHED) byId.clear()
  byId.set(storeId, looking)
  let found: StoreAccess | null = null
  try {
    found = await looking.access
  } finally {
    // The end of a hold is seen at once, for what waited for it is done at once.
    if ((!found || found.isRestored) && byId.get(storeId) === looking) byId.delete(storeId)
  }
  return found
}

async function readAccess(db: Database, vault: Vault, storeId: number): Promise<StoreAccess | null> {
  const found = await findSealedAccess(db.direct, storeId)
  if (!found) return null
  const { platformCredentials, platformProfile: profile, platformUrl: url, tokenLeftMs, ...store } = found
  const tokenEndsAt = tokenLeftMs === null ? null : performance.now() + tokenLeftMs
  return concealed<StoreAccess>(
    { ...store, profile, url, tokenEndsAt, ...openCredentials(vault, store.domain, platformCredentials) },
    SECRET_FIELDS
  )
}

/** Changes the URL of a store's platform. */
export async function movePlatform(db: Database, storeId: number, url: string): Promise<void> {
  await db.inStore(storeId, (ctx) => writePlatformUrl(ctx, url))
  evictPlatformAccess(db, storeId)
}
