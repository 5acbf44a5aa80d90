import { createHmac } from 'node:crypto'

/**
 * The signature of a proxied query: values of one name joined by commas, `name=value` sorted and joined by nothing, HMAC
 * in hex.
 */
export function signQuery(query: URLSearchParams, secret: string): string {
  const names = [...new Set(query.keys())].filter((name) => name !== 'signature')
  const canonical = names
    .map((name) => `${name}=${query.getAll(name).join(',')}`)
    .sort()
    .join('')
  return createHmac('sha256', secret).update(canonical).digest('hex')
}

/** What the platform adds to a query before it goes to the app. */
export function signedQuery(
  query: URLSearchParams,
  from: { shop: string; loggedInCustomerId: string | null; pathPrefix: string; now: Temporal.Instant },
  secret: string
): URLSearchParams {
  const signed = new URLSearchParams(query)
  // A visitor cannot bring these along: the platform's own take their place.
  signed.set('shop', from.shop)
  signed.set('logged_in_customer_id', from.loggedInCustomerId ?? '')
  signed.set('path_prefix', from.pathPrefix)
  signed.set('timestamp', String(Math.floor(from.now.epochMilliseconds / 1000)))
  signed.delete('signature')
  signed.set('signature', signQuery(signed, secret))
  return signed
}
