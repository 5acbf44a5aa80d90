import { isTimezone } from '#kit/clock'
import { isCurrency } from '#kit/money'
import { invalidField } from '#kit/refusal'
import { HOST_NAME } from '#kit/texts'
import { PLATFORM_PROFILES, type PlatformProfileName, RATE_PLANS, type RatePlan } from './store.ts'

export function checkDomain(domain: string): string {
  const lower = domain.toLowerCase()
  if (!HOST_NAME.test(lower)) throw invalidField('domain', 'must be a host name such as shop.example.com')
  return lower
}

export function checkName(name: string): string {
  const trimmed = name.trim()
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (trimmed.length < 1 || trimmed.length > 200 || /[\u0000-\u001f\u007f]/.test(trimmed) || !trimmed.isWellFormed()) {
    throw invalidField('name', 'must have 1 to 200 characters on one line')
  }
  return trimmed
}

/** The time zone in its canonical spelling: America/New_York for `america/new_york`. */
export function checkTimezone(timezone: string): string {
  if (!isTimezone(timezone)) throw unknownTimezone()
  return Temporal.Now.zonedDateTimeISO(timezone).timeZoneId
}

export const unknownTimezone = () => invalidField('timezone', 'must be an IANA time zone such as Europe/Vienna')

export function checkCurrency(currency: string): string {
  const upper = currency.toUpperCase()
  if (!isCurrency(upper)) throw invalidField('currency', 'must be an ISO 4217 code such as USD')
  return upper
}

export function checkPlan(plan: string): RatePlan {
  const found = RATE_PLANS.find((name) => name === plan)
  if (!found) throw invalidField('plan', `must be one of ${RATE_PLANS.join(', ')}`)
  return found
}

export function checkProfile(profile: string): PlatformProfileName {
  const found = PLATFORM_PROFILES.find((name) => name === profile)
  if (!found) throw invalidField('profile', `must be one of ${PLATFORM_PROFILES.join(', ')}`)
  return found
}

/** The platform's base URL without a trailing slash. Secrets are sent to it, so http is accepted for this machine only. */
export function checkPlatformUrl(text: string): string {
  const url = URL.parse(text)
  const secure = url?.protocol === 'https:'
  const local = url?.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  if (!url || !(secure || local) || url.username || url.password || url.search || url.hash) {
    throw invalidField(
      'platform_url',
      'must be an https address (http only for this machine) without query or password'
    )
  }
  return url.href.replace(/\/+$/, '')
}

/** A secret is sent in headers, so it has only characters that a header can hold. */
export function checkSecret(field: string, secret: string): string {
  if (!/^[\x21-\x7e]{8,500}$/.test(secret))
    throw invalidField(field, 'must have 8 to 500 printable characters without spaces')
  return secret
}
