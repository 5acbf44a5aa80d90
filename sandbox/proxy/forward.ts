import { type Dispatcher, request } from 'undici'
import type { Shop } from '../shop.ts'
import { signedQuery } from './sign.ts'

export const PATH_PREFIX = '/apps/svc-api'
const TIMEOUT_MS = 10_000

export type Forwarded = { status: number; contentType: string | null; headers: Record<string, string>; body: Buffer }

/**
 * Forwards a storefront's request to the app, signed. Null if the app could not be reached; the platform then responds itself.
 */
export async function forwardToApp(
  agent: Dispatcher,
  shop: Shop,
  visit: {
    method: string
    /** Below the prefix, with its leading slash: /v1/loyalty/rules */
    path: string
    query: URLSearchParams
    contentType: string | null
    body: Buffer | null
    loggedInCustomerId: string | null
  },
  now: Temporal.Instant
): Promise<Forwarded | null> {
  if (!shop.appProxyUrl) return null
  const query = signedQuery(
    visit.query,
    { shop: shop.domain, loggedInCustomerId: visit.loggedInCustomerId, pathPrefix: PATH_PREFIX, now },
    shop.proxySecret
  )
  try {
    const response = await request(`${shop.appProxyUrl}${visit.path}?${query}`, {
      method: visit.method as Dispatcher.HttpMethod,
      dispatcher: agent,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        accept: 'application/json, text/html;q=0.9',
        'x-forwarded-host': shop.domain,
        ...(visit.contentType && { 'content-type': visit.contentType })
      },
      body: visit.body
    })
    const { headers } = response
    const passed = ['retry-after', 'cache-control', 'link', 'location'].filter(
      (name) => typeof headers[name] === 'string'
    )
    const limits = Object.keys(headers).filter((name) => name.startsWith('x-ratelimit'))
    return {
      status: response.statusCode,
      contentType: typeof headers['content-type'] === 'string' ? headers['content-type'] : null,
      headers: Object.fromEntries([...passed, ...limits].map((name) => [name, String(headers[name])])),
      body: Buffer.from(await response.body.arrayBuffer())
    }
  } catch (err) {
    // An app that is down or slow leads to an error response, not to an error of the platform.
    if (err instanceof Error) return null
    throw err
  }
}
