import { createHmac } from 'node:crypto'
import { equalInConstantTime } from '#kit/secrets'

/** The outcome of checking a request that came through the platform's app proxy. */
export type ProxyCheck =
  | { ok: true; shop: string; loggedInCustomerId: string | null; pathPrefix: string }
  | { ok: false; reason: ProxyRefusal }

export type ProxyRefusal = 'unsigned' | 'repeated_parameter' | 'malformed' | 'bad_signature' | 'stale'

/** How far the signed time may be from now, in either direction. */
const MAX_AGE_SECONDS = 90

/** Parameters that identify the caller and the place. Each may occur once, since a second value would be joined to the first. */
const SINGLE = ['signature', 'shop', 'timestamp', 'logged_in_customer_id', 'path_prefix']

/**
 * Checks the query string of a proxied request: without `signature`, repeated values joined with a comma, `key=value`
 * sorted and joined without a separator, HMAC-SHA256 in hex. Without a separator one signed text can be split into parameters
 * in several ways, so each part must have its form: no `=` in a key, digits in customer and time. `rawQuery` is the part after
 * the question mark, not decoded.
 */
export function verifyProxyQuery(rawQuery: string, secret: string, now: Temporal.Instant): ProxyCheck {
  const parameters = parametersOf(rawQuery)
  if (!parameters) return { ok: false, reason: 'malformed' }
  if (!parameters.has('signature')) return { ok: false, reason: 'unsigned' }
  if (SINGLE.some((key) => (parameters.get(key)?.length ?? 0) > 1)) return { ok: false, reason: 'repeated_parameter' }

  const canonical = [...parameters]
    .filter(([key]) => key !== 'signature')
    .map(([key, values]) => `${key}=${values.join(',')}`)
    .sort(byBytes)
    .join('')
  const single = (key: string) => parameters.get(key)?.[0] ?? ''
  const expected = createHmac('sha256', secret).update(canonical).digest('hex')
  if (!equalInConstantTime(single('signature'), expected)) return { ok: false, reason: 'bad_signature' }

  const customerId = single('logged_in_customer_id')
  const timestamp = single('timestamp')
  const wellFormed = single('shop') !== '' && /^[0-9]{1,12}$/.test(timestamp) && /^[0-9]{0,20}$/.test(customerId)
  if (!wellFormed) return { ok: false, reason: 'malformed' }
  const ageSeconds = now.epochMilliseconds / 1000 - Number(timestamp)
  if (Math.abs(ageSeconds) > MAX_AGE_SECONDS) return { ok: false, reason: 'stale' }
  return {
    ok: true,
    shop: single('shop').toLowerCase(),
    loggedInCustomerId: customerId || null,
    pathPrefix: single('path_prefix')
  }
}

/** Decoded parameters with all their values, in order; null when an escape is invalid or a key contains `=`. */
function parametersOf(rawQuery: string): Map<string, string[]> | null {
  const parameters = new Map<string, string[]>()
  for (const pair of rawQuery.split('&')) {
    if (pair === '') continue
    const cut = pair.indexOf('=')
    const key = decoded(cut < 0 ? pair : pair.slice(0, cut))
    const value = decoded(cut < 0 ? '' : pair.slice(cut + 1))
    if (key === null || value === null || key.includes('=')) return null
    const values = parameters.get(key)
    if (values) values.push(value)
    else parameters.set(key, [value])
  }
  return parameters
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}

/** The platform sorts bytes; JavaScript's own order differs beyond the basic plane. */
function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
