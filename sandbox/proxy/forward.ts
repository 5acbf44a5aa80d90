import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { type Dispatcher, request } from 'undici'
import type { Shop } from '../shop.ts'
import { signedQuery } from './sign.ts'

export const PATH_PREFIX = '/apps/svc-api'
/** The platform's limit for a whole response of the app, its last byte included. */
const TIMEOUT_MS = 10_000

/** Headers of a visitor that reach the app. Cookies do not: shop and app share a domain. */
const FORWARDED = ['accept', 'accept-encoding', 'accept-language', 'content-type', 'user-agent']
/** Headers of the app that do not reach the visitor: cookies, and those of a single connection. */
const DROPPED = new Set([
  'set-cookie',
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade'
])

export type Visit = {
  method: string
  /** Below the prefix, with its leading slash: /v1/loyalty/rules */
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  /** Where the visitor is. */
  address: string
  body: Buffer | null
  loggedInCustomerId: string | null
  /** Aborted when the visitor leaves. */
  left?: AbortSignal
}

export type Forwarded = { status: number; headers: Record<string, string | string[]>; body: Readable }

/**
 * Forwards a storefront's request to the app, signed. Null if the app could not be reached or does not answer in time; the platform then
 * responds itself. The time limit goes on while the body is read, which fails when it is over.
 */
export async function forwardToApp(
  agent: Dispatcher,
  shop: Pick<Shop, 'domain' | 'proxySecret' | 'appProxyUrl'>,
  visit: Visit,
  now: Temporal.Instant,
  timeoutMs = TIMEOUT_MS
): Promise<Forwarded | null> {
  if (!shop.appProxyUrl) return null
  const query = signedQuery(
    visit.query,
    { shop: shop.domain, loggedInCustomerId: visit.loggedInCustomerId, pathPrefix: PATH_PREFIX, now },
    shop.proxySecret
  )
  const forwarded = FORWARDED.flatMap((name) => {
    const value = visit.headers[name]
    return typeof value === 'string' ? [[name, value]] : []
  })
  const limit = AbortSignal.timeout(timeoutMs)
  try {
    const { statusCode, headers, body } = await request(`${shop.appProxyUrl}${visit.path}?${query}`, {
      method: visit.method as Dispatcher.HttpMethod,
      dispatcher: agent,
      signal: visit.left ? AbortSignal.any([limit, visit.left]) : limit,
      headers: {
        ...Object.fromEntries(forwarded),
        'x-forwarded-for': visit.address,
        'x-forwarded-host': shop.domain
      },
      body: visit.body
    })
    return { status: statusCode, headers: passedOn(headers), body }
  } catch (err) {
    // An app that is down or slow leads to an error response, not to an error of the platform.
    if (err instanceof Error) return null
    throw err
  }
}

function passedOn(headers: IncomingHttpHeaders): Forwarded['headers'] {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || DROPPED.has(name) ? [] : [[name, value]]
    )
  )
}
