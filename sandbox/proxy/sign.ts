import { createHmac } from 'node:crypto'

/**
 * The signature of a proxied query: values of the same name joined with commas, `name=value` pairs sorted and concatenated, HMAC
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

/** Adds the platform's parameters to a query before it is sent to the app. */
export function signedQuery(
  query: URLSearchParams,
  from: { shop: string; loggedInCustomerId: string | null; pathPrefix: string; now: Temporal.Instant },
  secret: string
): URLSearchParams {
  const signed = new URLSearchParams(query)
  // The platform's values replace any that a visitor sent.
  signed.set('shop', from.shop)
  signed.set('logged_in_customer_id', from.loggedInCustomerId ?? '')
  signed.set('path_prefix', from.pathPrefix)
  signed.set('timestamp', String(Math.floor(from.now.epochMilliseconds / 1000)))
  signed.delete('signature')
  signed.set('signature', signQuery(signed, secret))
  return signed
}
