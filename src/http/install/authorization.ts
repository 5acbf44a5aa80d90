import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '#kit/refusal'
import { randomToken } from '#kit/secrets'
import {
  APP_PATHS,
  consentUrl,
  isSignedQuery,
  OPTIONAL_SCOPES,
  type ProfileName,
  requestedScopes,
  shopUrlOf
} from '#platform'
import type { HttpDeps } from '../shared/deps.ts'
import { shopOfApp } from './apps.ts'
import { connectWith } from './session.ts'

const COOKIE = 'perennial_install'
/** How long a person may take to agree. */
const STATE_SECONDS = 600

const notAShop = ({ apps }: HttpDeps['install']) =>
  new Refusal(
    'invalid_request',
    apps.shopify
      ? 'The address must name a shop as ?shop=NAME.myshopify.com'
      : 'The address must name a shop of the sandbox as ?shop=DOMAIN. No app is configured for other shops: PLATFORM_CLIENT_ID and PLATFORM_CLIENT_SECRET are not set'
  )

/** GET /app/install?shop=…: sends a person to the page of their shop on which they agree. */
export function beginInstall(deps: HttpDeps, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const found = shopOfApp(deps.install, (request.query as { shop?: string }).shop)
  if (!found) throw notAShop(deps.install)
  const { profile, shop, app } = found
  const state = randomToken()
  const publicUrl = deps.install.publicUrl()
  const to = consentUrl(shopUrlOf(profile, shop, deps.sandbox), app, {
    scopes: scopesOf(profile, deps.install),
    redirectUri: `${publicUrl}${APP_PATHS.callback}`,
    state
  })
  return reply.header('set-cookie', cookie(`${state}.${shop}`, STATE_SECONDS, publicUrl)).redirect(to, 302)
}

/** The sandbox shows all orders without a scope for it. */
const scopesOf = (profile: ProfileName, { allOrders }: HttpDeps['install']): string[] =>
  profile === 'shopify' && allOrders ? [...requestedScopes, ...Object.keys(OPTIONAL_SCOPES)] : [...requestedScopes]

/** States that were used, with the end of their life in milliseconds of `performance.now()`. */
const used = new Map<string, number>()

/** A state is good once; on another node the code is, which the platform takes only once. */
function useState(state: string): boolean {
  const now = performance.now()
  for (const [old, until] of used) if (until < now) used.delete(old)
  if (used.has(state)) return false
  used.set(state, now + STATE_SECONDS * 1000)
  return true
}

/**
 * GET /app/callback: the platform sends a person back who has agreed. The query must be signed by the platform, and the state the one
 * that this browser was given for this shop: otherwise somebody could have another's browser connect a shop.
 */
export async function finishInstall(
  deps: HttpDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  now: Temporal.Instant
): Promise<FastifyReply> {
  const query = new URL(request.url, 'http://service').searchParams
  const found = shopOfApp(deps.install, query.get('shop'))
  if (!found) throw notAShop(deps.install)
  if (!isSignedQuery(query, found.app, now)) {
    throw new Refusal('authentication_failed', 'The platform has not signed this address, or more than a day ago')
  }
  const [state, code] = [query.get('state') ?? '', query.get('code') ?? '']
  reply.header('set-cookie', cookie('', 0, deps.install.publicUrl()))
  if (!state || cookieOf(request) !== `${state}.${found.shop}` || !useState(state)) {
    throw new Refusal(
      'forbidden',
      `This browser did not begin the installation, or more than ten minutes ago. Begin again at ${APP_PATHS.install}?shop=${found.shop}`
    )
  }
  await connectWith(deps, found, { kind: 'code', code })
  const { profile, shop, app } = found
  return reply.redirect(`${shopUrlOf(profile, shop, deps.sandbox)}/admin/apps/${app.clientId}`, 302)
}

const cookie = (value: string, seconds: number, publicUrl: string) =>
  `${COOKIE}=${value}; Path=${APP_PATHS.callback}; Max-Age=${seconds}; HttpOnly; SameSite=Lax` +
  (publicUrl.startsWith('https:') ? '; Secure' : '')

const cookieOf = ({ headers }: FastifyRequest): string | null =>
  new RegExp(`(?:^|; )${COOKIE}=([^;]*)`).exec(headers.cookie ?? '')?.[1] ?? null
