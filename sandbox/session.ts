import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Shop } from './shop.ts'
import { isNumericId } from './wire/gid.ts'

const SESSION = 'storefront_session'
const NOTICE = 'storefront_notice'
/** A browser keeps cookies of up to 4 KiB. */
const MAX_NOTICE_BYTES = 2_400
const NOTICE_SECONDS = 60

/** What a page says about the form that led to it. */
/** `detail`: several problems, or what another program has answered. */
export type Notice = { kind: 'done' | 'problem'; title: string; detail?: string | string[] | null }

function signatureOf(shop: Shop, use: string, value: string): string {
  return createHmac('sha256', shop.appSecret).update(`storefront ${use} ${value}`).digest('base64url')
}

/** The value of a cookie that this shop has signed; null without one. */
function readCookie(request: FastifyRequest, name: string): string | null {
  const { shop } = request.shopRequest
  const match = new RegExp(`(?:^|;\\s*)${name}=([\\w-]+)\\.([\\w-]+)`).exec(request.headers.cookie ?? '')
  const [, value, signature] = match ?? []
  if (!value || !signature) return null
  const expected = Buffer.from(signatureOf(shop, name, value))
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected) ? value : null
}

/** The customer of a session cookie; null for a visitor. A cookie is valid only in the shop that set it. */
export function loggedInCustomer(request: FastifyRequest): string | null {
  const customerId = readCookie(request, SESSION)
  return customerId !== null && isNumericId(customerId) ? customerId : null
}

/** SameSite=Strict, so that forms and links of other sites cannot act as this customer. */
function setCookie(request: FastifyRequest, reply: FastifyReply, name: string, value: string | null, seconds?: number) {
  const { shop, baseUrl } = request.shopRequest
  const path = new URL(baseUrl).pathname.startsWith(`/${shop.domain}`) ? `/${shop.domain}` : '/'
  const signed = value === null ? '' : `${value}.${signatureOf(shop, name, value)}`
  const age = value === null ? '; Max-Age=0' : seconds === undefined ? '' : `; Max-Age=${seconds}`
  reply.header('set-cookie', `${name}=${signed}; Path=${path}; HttpOnly; SameSite=Strict${age}`)
}

export function logIn(request: FastifyRequest, reply: FastifyReply, customerId: string) {
  setCookie(request, reply, SESSION, customerId)
}

const CART = 'storefront_cart'

/** The cart of a browser. It is the page's own, so it travels in a cookie like what a form led to. */
export function readCart(request: FastifyRequest): unknown {
  const value = readCookie(request, CART)
  return value === null ? null : JSON.parse(Buffer.from(value, 'base64url').toString())
}

export function keepCart(request: FastifyRequest, reply: FastifyReply, cart: object | null) {
  setCookie(request, reply, CART, cart && Buffer.from(JSON.stringify(cart)).toString('base64url'))
}

export function logOut(request: FastifyRequest, reply: FastifyReply) {
  setCookie(request, reply, SESSION, null)
}

/** Has the next page say this, once. A form is answered with a redirect, so what came of it travels in a cookie. */
export function keepNotice(request: FastifyRequest, reply: FastifyReply, { kind, title, detail }: Notice) {
  const text = JSON.stringify({ kind, title: title.slice(0, 300), detail: detail ?? null })
  const kept = Buffer.byteLength(text) <= MAX_NOTICE_BYTES ? text : JSON.stringify({ kind, title: title.slice(0, 300) })
  setCookie(request, reply, NOTICE, Buffer.from(kept).toString('base64url'), NOTICE_SECONDS)
}

/** What the page is to say, which it then says no more. */
export function takeNotice(request: FastifyRequest, reply: FastifyReply): Notice | null {
  const value = readCookie(request, NOTICE)
  if (value === null) return null
  setCookie(request, reply, NOTICE, null)
  return JSON.parse(Buffer.from(value, 'base64url').toString()) as Notice
}

/** Whether a form was sent from this site, by the browser's Origin and Sec-Fetch-Site headers; a login needs it too. */
export function isOwnForm(request: FastifyRequest): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  return origin === undefined || origin === `http://${request.host}` || origin === `https://${request.host}`
}
