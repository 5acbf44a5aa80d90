import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Shop } from './shop.ts'
import { isNumericId } from './wire/gid.ts'

const NAME = 'storefront_session'

function signatureOf(shop: Shop, customerId: string): string {
  return createHmac('sha256', shop.appSecret).update(`storefront session ${customerId}`).digest('base64url')
}

/** The customer of a session cookie; null for a visitor. A cookie is valid only in the shop that set it. */
export function loggedInCustomer(request: FastifyRequest): string | null {
  const { shop } = request.shopRequest
  const match = new RegExp(`(?:^|;\\s*)${NAME}=(\\d+)\\.([\\w-]+)`).exec(request.headers.cookie ?? '')
  const [, customerId, signature] = match ?? []
  if (!customerId || !signature || !isNumericId(customerId)) return null
  const expected = Buffer.from(signatureOf(shop, customerId))
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected) ? customerId : null
}

/** SameSite=Strict, so that forms and links of other sites cannot act as this customer. */
function setCookie(request: FastifyRequest, reply: FastifyReply, value: string, more = '') {
  const { shop, baseUrl } = request.shopRequest
  const path = new URL(baseUrl).pathname.startsWith(`/${shop.domain}`) ? `/${shop.domain}` : '/'
  reply.header('set-cookie', `${NAME}=${value}; Path=${path}; HttpOnly; SameSite=Strict${more}`)
}

export function logIn(request: FastifyRequest, reply: FastifyReply, customerId: string) {
  setCookie(request, reply, `${customerId}.${signatureOf(request.shopRequest.shop, customerId)}`)
}

export function logOut(request: FastifyRequest, reply: FastifyReply) {
  setCookie(request, reply, '', '; Max-Age=0')
}

/** Whether a form was sent from this site, by the browser's Origin and Sec-Fetch-Site headers; a login needs it too. */
export function isOwnForm(request: FastifyRequest): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  return origin === undefined || origin === `http://${request.host}` || origin === `https://${request.host}`
}
