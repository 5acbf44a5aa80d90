import { createHmac } from 'node:crypto'
import { equalInConstantTime } from '#kit/secrets'
import type { ProfileName } from '../wire/platform-profiles.ts'
import { type PlatformApps, shopDomain } from './apps.ts'

/** Whose page sent a session token, or why it proves nothing. */
export type SessionCheck =
  | {
      ok: true
      profile: ProfileName
      shop: string
      /** Who of the shop's people the page is shown to, by the platform's number; null where the token does not say. */
      userId: string | null
    }
  | { ok: false; reason: string }

/** How far the platform's clock and ours may be apart. */
const LEEWAY_SECONDS = 10
const MAX_LENGTH = 8_192

/**
 * Checks the session token that the platform's admin gives to our page in it: a JWT with HS256 under the secret of the app whose
 * client id is its `aud`, valid now, and issued by the admin of the shop that it is for (`iss` and `dest`).
 */
export function checkSessionToken(token: string, apps: PlatformApps, now: Temporal.Instant): SessionCheck {
  const signed = checkSigned(token, apps, now)
  if ('reason' in signed) return { ok: false, reason: signed.reason }
  const { profile, claims } = signed
  const shop = shopDomain(profile, hostOf(claims.dest))
  if (!shop) return { ok: false, reason: '`dest` names no shop' }
  if (hostOf(claims.iss) !== shop) return { ok: false, reason: '`iss` and `dest` are of different shops' }
  const userId = typeof claims.sub === 'string' && /^[1-9]\d{0,19}$/.test(claims.sub) ? claims.sub : null
  return { ok: true, profile, shop, userId }
}

/** Which customer of which shop an extension of ours in the customer accounts runs for, or why its token proves nothing. */
export type CustomerTokenCheck = { ok: true; shop: string; customerId: string } | { ok: false; reason: string }

/**
 * Checks the session token that the platform gives to our extension in its customer accounts: a JWT as that of the admin, of which `dest` is the domain of
 * the shop alone, and `sub` the global id of the customer who is logged in.
 */
export function checkCustomerToken(token: string, apps: PlatformApps, now: Temporal.Instant): CustomerTokenCheck {
  const signed = checkSigned(token, apps, now)
  if ('reason' in signed) return { ok: false, reason: signed.reason }
  const { profile, claims } = signed
  const shop = shopDomain(profile, typeof claims.dest === 'string' ? claims.dest : null)
  if (!shop) return { ok: false, reason: '`dest` names no shop' }
  const named = /^gid:\/\/[a-z]+\/Customer\/([1-9]\d{0,19})$/.exec(typeof claims.sub === 'string' ? claims.sub : '')
  return named
    ? { ok: true, shop, customerId: named[1]! }
    : { ok: false, reason: '`sub` names no customer who is logged in' }
}

/** The claims of a token that the platform has signed for an app of ours, and that is valid now. */
function checkSigned(
  token: string,
  apps: PlatformApps,
  now: Temporal.Instant
): { profile: ProfileName; claims: Claims } | { reason: string } {
  const [head, payload, signature, ...more] = token.length > MAX_LENGTH ? [] : token.split('.')
  const header = readPart(head)
  const claims = readPart(payload)
  if (!header || !claims || !signature || more.length > 0) return { reason: 'it is no session token' }
  // No other algorithm: one of these would be `none`, another would take the secret for a public key.
  if (header.alg !== 'HS256') return { reason: 'it is not signed with HS256' }
  const found = Object.entries(apps).find(([, app]) => app !== null && claims.aud === app.clientId)
  if (!found) return { reason: 'it is for another app: `aud` is not our client id' }
  const [profile, app] = found as [ProfileName, NonNullable<PlatformApps[ProfileName]>]
  const expected = createHmac('sha256', app.clientSecret).update(`${head}.${payload}`).digest('base64url')
  if (!equalInConstantTime(signature, expected)) return { reason: 'its signature is not of our client secret' }
  const seconds = now.epochMilliseconds / 1000
  if (!isNumber(claims.exp) || claims.exp + LEEWAY_SECONDS < seconds) return { reason: 'it has expired' }
  if (!isNumber(claims.nbf) || claims.nbf - LEEWAY_SECONDS > seconds) return { reason: 'it is not valid yet' }
  return { profile, claims }
}

type Claims = Record<string, unknown>

function readPart(part: string | undefined): Claims | null {
  if (!part || !/^[A-Za-z0-9_-]+$/.test(part)) return null
  try {
    const parsed: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return typeof parsed === 'object' && parsed !== null ? (parsed as Claims) : null
  } catch {
    return null
  }
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

const hostOf = (address: unknown): string | null => {
  const url = typeof address === 'string' ? URL.parse(address) : null
  return url?.protocol === 'https:' ? url.hostname : null
}
