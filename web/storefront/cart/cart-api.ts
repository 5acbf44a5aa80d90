import type { ThemeCart } from './theme-data.ts'

const LIMIT_MS = 10_000

/** A change of the cart that the shop has refused, or that was not answered. The message is the shop's own, or empty. */
export class CartFailure extends Error {}

/** The cart of the visitor, as it is now. */
export const readCart = (root: string): Promise<ThemeCart> => askForCart(`${root}cart.js`)

/** A page of the shop. */
export async function readPage(address: string): Promise<Document> {
  const response = await fetch(address, { headers: { accept: 'text/html' }, signal: AbortSignal.timeout(LIMIT_MS) })
  if (!response.ok) throw new CartFailure()
  return new DOMParser().parseFromString(await response.text(), 'text/html')
}

/** The numbers are written as they are: as JavaScript's numbers the longest could change. Answered with the line alone. */
export const addMembership = (root: string, offer: { variantId: string; sellingPlanId: string }): Promise<unknown> =>
  ask(`${root}cart/add.js`, `{"items":[{"id":${offer.variantId},"quantity":1,"selling_plan":${offer.sellingPlanId}}]}`)

// The shop answers these with the cart as it is then.

export const removeLine = (root: string, key: string): Promise<ThemeCart> =>
  askForCart(`${root}cart/change.js`, JSON.stringify({ id: key, quantity: 0 }))

/** Has a line bought by a selling plan, or once for ''. */
export const subscribeLine = (root: string, line: number, quantity: number, plan: string): Promise<ThemeCart> =>
  askForCart(`${root}cart/change.js`, `{"line":${line},"quantity":${quantity},"selling_plan":${plan || null}}`)

/** What is noted on the order; '' takes it away. */
export const setAttribute = (root: string, name: string, value: string): Promise<ThemeCart> =>
  askForCart(`${root}cart/update.js`, JSON.stringify({ attributes: { [name]: value } }))

async function askForCart(address: string, body?: string): Promise<ThemeCart> {
  const cart = await ask<ThemeCart>(address, body)
  if (!Array.isArray(cart.items)) throw new CartFailure()
  return cart
}

async function ask<T>(address: string, body?: string): Promise<T> {
  const response = await fetch(address, {
    headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
    ...(body && { method: 'POST', body }),
    signal: AbortSignal.timeout(LIMIT_MS)
  }).catch(() => null)
  const answer = await response?.json().catch(() => null)
  if (response?.ok && answer) return answer as T
  throw new CartFailure(answer?.description ?? '')
}
