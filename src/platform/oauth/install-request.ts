import { createHmac } from 'node:crypto'
import { equalInConstantTime } from '#kit/secrets'
import type { PlatformApp } from './apps.ts'

/** Where a person agrees that our app gets these scopes in their shop, and is sent back from with a code and `state`. */
export function consentUrl(
  shopUrl: string,
  app: PlatformApp,
  { scopes, redirectUri, state }: { scopes: readonly string[]; redirectUri: string; state: string }
): string {
  const url = new URL(`${shopUrl.replace(/\/+$/, '')}/admin/oauth/authorize`)
  url.search = new URLSearchParams({
    client_id: app.clientId,
    scope: scopes.join(','),
    redirect_uri: redirectUri,
    state
  }).toString()
  return url.href
}

/** A link of the platform that is older than this was kept by somebody. */
const MAX_AGE_SECONDS = 24 * 3600

/**
 * Whether the platform has signed this query with the secret of our app, lately: `hmac` is over the other parameters, sorted and
 * joined as a query. A parameter that occurs twice could be read in two ways, and is refused.
 */
export function isSignedQuery(query: URLSearchParams, app: PlatformApp, now: Temporal.Instant): boolean {
  const given = query.get('hmac')
  const names = [...query.keys()]
  if (!given || new Set(names).size !== names.length) return false
  const signed = [...query]
    .filter(([name]) => name !== 'hmac' && name !== 'signature')
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&')
  const expected = createHmac('sha256', app.clientSecret).update(signed).digest('hex')
  const ageSeconds = now.epochMilliseconds / 1000 - Number(query.get('timestamp') ?? Number.NaN)
  return equalInConstantTime(given.toLowerCase(), expected) && Math.abs(ageSeconds) <= MAX_AGE_SECONDS
}
