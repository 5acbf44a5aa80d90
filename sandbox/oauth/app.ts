import { createHmac } from 'node:crypto'

/** The one app of this platform: what its developer was given, and where it is. */
export type SandboxApp = {
  clientId: string
  clientSecret: string
  /** Its public address; read at each use, because ports may be chosen late. */
  url: () => string
}

/** For sandboxes that nobody installs an app in. */
export const NO_APP: SandboxApp = { clientId: 'sandbox-app', clientSecret: 'secret-of-no-app', url: () => '' }

const SESSION_SECONDS = 60

/** The session token with which the page of the app proves in whose admin it is: a JWT with HS256. */
export function sessionToken({ clientId, clientSecret }: SandboxApp, domain: string, now: Temporal.Instant): string {
  const seconds = Math.floor(now.epochMilliseconds / 1000)
  const head = encoded({ alg: 'HS256', typ: 'JWT' })
  const claims = encoded({
    iss: `https://${domain}/admin`,
    dest: `https://${domain}`,
    aud: clientId,
    sub: '1',
    exp: seconds + SESSION_SECONDS,
    nbf: seconds,
    iat: seconds
  })
  const signature = createHmac('sha256', clientSecret).update(`${head}.${claims}`).digest('base64url')
  return `${head}.${claims}.${signature}`
}

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

/** The parameters with the platform's time and its signature over all of them. */
export function signedQuery(
  { clientSecret }: SandboxApp,
  parameters: Record<string, string>,
  now: Temporal.Instant
): URLSearchParams {
  const all = { ...parameters, timestamp: `${Math.floor(now.epochMilliseconds / 1000)}` }
  const text = Object.entries(all)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&')
  const hmac = createHmac('sha256', clientSecret).update(text).digest('hex')
  return new URLSearchParams({ ...all, hmac })
}

/** How the platform's admin names a shop to the app. */
export const hostOf = (domain: string): string => Buffer.from(`${domain}/admin`).toString('base64url')
