import { realNowMs } from '#kit/clock'
import type { Database } from '#kit/postgres'
import { invalidField } from '#kit/refusal'
import { randomToken, type Vault } from '#kit/secrets'
import { ENDLESS, type TokenTerms, writeTokenTerms } from './access-tokens.ts'
import {
  checkCurrency,
  checkDomain,
  checkName,
  checkPlan,
  checkPlatformUrl,
  checkProfile,
  checkSecret,
  checkTimezone,
  unknownTimezone
} from './check-store.ts'
import { type Credentials, evictPlatformAccess, openCredentials, sealCredentials } from './platform-access.ts'
import { databaseKnowsTimezone, insertStore, lockStoreByDomain, rewriteStore } from './queries.ts'
import { domainTaken, storeDeleting } from './refusals.ts'
import type { Store } from './store.ts'

export type NewStore = {
  domain: string
  name: string
  timezone: string
  currency: string
  plan: string
  sandbox: boolean
  /** Where a sandbox store's clock starts; without it the store has real time. */
  clockAt?: Temporal.Instant | null
  /** When left out: `platform` for a sandbox store, else `shopify`. */
  profile?: string
  platformUrl: string
  /** Secrets are made for a sandbox store; a live one has those of its app. */
  accessToken?: string
  appSecret?: string
  /** When left out: the app secret, with which Shopify signs proxy requests too. */
  proxySecret?: string
  /** Of the access token that is given; one without them does not expire. */
  terms?: TokenTerms
}

export type CreatedStore = { store: Store; credentials: Credentials }

/**
 * Creates a store. It is unfinished until `markStoreConnected`: creating an unfinished one again replaces its facts and keeps
 * the secrets that were made for it, so that a caller may repeat everything after a failure. Refuses the domain of a
 * finished store.
 */
export async function createStore(db: Database, vault: Vault, input: NewStore): Promise<CreatedStore> {
  const domain = checkDomain(input.domain)
  const facts = {
    domain,
    name: checkName(input.name),
    timezone: checkTimezone(input.timezone),
    currency: checkCurrency(input.currency),
    ratePlan: checkPlan(input.plan),
    sandbox: input.sandbox,
    clockAt: checkClock(input),
    platformProfile: checkProfile(input.profile ?? (input.sandbox ? 'platform' : 'shopify')),
    platformUrl: checkPlatformUrl(input.platformUrl)
  }

  const created = await db.inInstallation(async (tx) => {
    if (!(await databaseKnowsTimezone(tx, facts.timezone))) throw unknownTimezone()
    const unfinished = await lockStoreByDomain(tx, domain)
    if (unfinished?.isDeleting) throw storeDeleting(domain)
    if (unfinished?.connectedAt) throw domainTaken(domain)

    const existing = unfinished && openCredentials(vault, domain, unfinished.platformCredentials)
    const terms = input.terms ?? ENDLESS
    const secrets = input.sandbox ? sandboxCredentials(input, existing) : liveCredentials(input)
    const credentials = { ...secrets, ...(terms.refreshToken && { refreshToken: terms.refreshToken }) }
    const sealed = { ...facts, credentials: sealCredentials(vault, domain, credentials) }
    const store = unfinished ? await rewriteStore(tx, unfinished.storeId, sealed) : await insertStore(tx, sealed)
    if (!store) throw domainTaken(domain)
    await writeTokenTerms({ tx, storeId: store.storeId, realNowMs: realNowMs() }, terms)
    return { store, credentials }
  })
  evictPlatformAccess(db, created.store.storeId)
  return created
}

const EARLIEST_CLOCK = Date.UTC(1970)
const LATEST_CLOCK = Date.UTC(2200)

function checkClock({ sandbox, clockAt }: NewStore): Temporal.Instant | null {
  if (clockAt && !sandbox) throw invalidField('clock', 'can only be set for a sandbox store')
  if (clockAt && (clockAt.epochMilliseconds < EARLIEST_CLOCK || clockAt.epochMilliseconds > LATEST_CLOCK)) {
    throw invalidField('clock', 'must be an instant from 1970 to 2200')
  }
  return clockAt?.round({ smallestUnit: 'millisecond', roundingMode: 'floor' }) ?? null
}

function sandboxCredentials(input: NewStore, existing: Credentials | null): Credentials {
  return {
    accessToken: given('access_token', input.accessToken) ?? existing?.accessToken ?? `sbx_${randomToken()}`,
    appSecret: given('app_secret', input.appSecret) ?? existing?.appSecret ?? randomToken(),
    proxySecret: given('proxy_secret', input.proxySecret) ?? existing?.proxySecret ?? randomToken()
  }
}

function liveCredentials(input: NewStore): Credentials {
  const accessToken = given('access_token', input.accessToken)
  const appSecret = given('app_secret', input.appSecret)
  if (!accessToken) throw invalidField('access_token', 'is required for a store that is not a sandbox')
  if (!appSecret) throw invalidField('app_secret', 'is required for a store that is not a sandbox')
  return { accessToken, appSecret, proxySecret: given('proxy_secret', input.proxySecret) ?? appSecret }
}

const given = (field: string, secret: string | undefined) =>
  secret === undefined ? undefined : checkSecret(field, secret)
