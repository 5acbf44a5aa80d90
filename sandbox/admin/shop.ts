import { ACCESS_SCOPES } from '../wire/access.ts'
import type { Api, Resolvers } from '../wire/api.ts'
import { gid } from '../wire/gid.ts'
import { userError } from './user-errors.ts'

/** The only app that these shops have installed. */
const APP = {
  __typename: 'App',
  id: '2525000003',
  handle: 'membership',
  title: 'membership',
  apiKey: 'sandbox-app'
} as const

export const API_VERSION = '2026-07'
const VERSIONS = ['2026-01', '2026-04', '2026-07'].map((handle) => ({
  handle,
  displayName: `${handle}${handle === API_VERSION ? ' (Latest)' : ''}`,
  supported: true
}))

/** A namespace that only this app may write: `$app` is its own, `$app:x` a part of it. */
export function ownNamespace(namespace: string): string {
  return namespace.replace(/^\$app(?=$|:)/, `app--${APP.id}`).replace(/^(app--\d+):/, '$1--')
}

export function theApp() {
  return APP
}

/**
 * The version that a request of this version gets. One that is no longer served gets the oldest that is; null for one that never was, or
 * is not yet.
 */
export function versionServed(version: string): string | null {
  if (version === 'unstable') return version
  const [oldest, latest] = [VERSIONS[0]!.handle, API_VERSION]
  if (!/^20\d\d-(01|04|07|10)$/.test(version) || version > latest) return null
  return version < oldest ? oldest : version
}

async function offsetOf(_shop: unknown, _args: unknown, api: Api): Promise<string> {
  return (await api.now()).toZonedDateTimeISO(api.shop.timezone).offset.replace(':', '')
}

async function abbreviationOf(_shop: unknown, _args: unknown, api: Api): Promise<string> {
  const at = new Date((await api.now()).epochMilliseconds)
  const parts = new Intl.DateTimeFormat('en-US', { timeZone: api.shop.timezone, timeZoneName: 'short' }).formatToParts(
    at
  )
  return parts.find((part) => part.type === 'timeZoneName')?.value ?? 'UTC'
}

/** Takes scopes back. The app of these shops requires all that it has, so that none can be. */
function revokeScopes(_root: unknown, { scopes }: { scopes: string[] }) {
  const isUnknown = scopes.some((scope) => !(ACCESS_SCOPES as readonly string[]).includes(scope))
  const wrong = isUnknown
    ? userError(['scopes'], 'The requested list of scopes to revoke includes invalid handles.', 'UNKNOWN_SCOPES')
    : userError(['scopes'], 'Scopes that are declared as required cannot be revoked.', 'CANNOT_REVOKE_REQUIRED_SCOPES')
  return { revoked: null, userErrors: [wrong] }
}

export const shopResolvers: Resolvers = {
  QueryRoot: {
    shop: (_root: unknown, _args: unknown, { shop }: Api) => ({ __typename: 'Shop', id: shop.id }),
    currentAppInstallation: (_root: unknown, _args: unknown, { shop }: Api) => ({
      __typename: 'AppInstallation',
      id: shop.id
    }),
    publicApiVersions: () => VERSIONS
  },
  Mutation: { appRevokeAccessScopes: revokeScopes },
  AccessScope: { description: ({ handle }: { handle: string }) => handle.replaceAll('_', ' ') },
  Shop: {
    name: (_shop: unknown, _args: unknown, { shop }: Api) => shop.name,
    email: (_shop: unknown, _args: unknown, { shop }: Api) => shop.email,
    contactEmail: (_shop: unknown, _args: unknown, { shop }: Api) => shop.email,
    myshopifyDomain: (_shop: unknown, _args: unknown, { shop }: Api) => shop.domain,
    url: (_shop: unknown, _args: unknown, { baseUrl }: Api) => baseUrl,
    primaryDomain: (_shop: unknown, _args: unknown, { shop }: Api) => ({
      __typename: 'Domain',
      id: shop.id,
      host: shop.domain
    }),
    ianaTimezone: (_shop: unknown, _args: unknown, { shop }: Api) => shop.timezone,
    timezoneAbbreviation: abbreviationOf,
    timezoneOffset: offsetOf,
    currencyCode: (_shop: unknown, _args: unknown, { shop }: Api) => shop.currency,
    enabledPresentmentCurrencies: (_shop: unknown, _args: unknown, { shop }: Api) => [shop.currency],
    plan: () => ({ publicDisplayName: 'Development', partnerDevelopment: true, shopifyPlus: false }),
    features: () => ({
      sellsSubscriptions: true,
      eligibleForSubscriptions: true,
      eligibleForSubscriptionMigration: true
    })
  },
  AppInstallation: {
    app: theApp,
    accessScopes: (_root: unknown, _args: unknown, { shop }: Api) => shop.accessScopes.map((handle) => ({ handle }))
  },
  App: {
    id: (_app: unknown, _args: unknown, { shop }: Api) => gid(shop, 'App', APP.id)
  }
}
