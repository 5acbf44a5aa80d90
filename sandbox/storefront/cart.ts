import { randomBytes } from 'node:crypto'
import { currencyDecimals, decimalOf } from '#kit/money'
import { invalidField } from '#kit/refusal'
import type { NewTestOrder } from '../controls/place-order.ts'
import type { Shop } from '../shop.ts'
import { isNumericId } from '../wire/gid.ts'

/** What a browser has in its cart, and what its customer has said at the checkout so far. */
export type BrowserCart = {
  /** Tells this cart from others, so that it is bought once. */
  token: string
  items: { variant: string; quantity: number }[]
  /** The selling plans of memberships and subscriptions that are bought with the items, one piece of each. */
  plans: string[]
  /** What a theme has noted on the cart. */
  attributes: Record<string, string>
  details: Details
}

/** The fields of the checkout's form, as they were given. */
export const DETAIL_FIELDS = ['country', 'billing', 'code', 'gift_card', 'credit', 'delivery', 'note'] as const
export type Details = Partial<Record<(typeof DETAIL_FIELDS)[number], string>>

const MAX_LINES = 25
const MAX_PIECES = 99
const LONGEST_DETAIL = 120
const LONGEST_ATTRIBUTES = 800
/** In hundredths of the currency. */
const SHIPPING = 500
/** In percent, by the country that it is shipped to. */
const TAX: Record<string, number> = { US: 8, CA: 13, GB: 20, DE: 19, AT: 20, FR: 20, AU: 10 }

/** The countries that the checkout offers. */
export const COUNTRIES = Object.keys(TAX)

/** A cart from what the browser has kept, which may be of an older version. */
export function cartFrom(kept: unknown): BrowserCart {
  const {
    token = newToken(),
    items = [],
    plan,
    plans,
    attributes = {},
    details = {}
  } = (kept ?? {}) as Partial<BrowserCart & { plan: string | null }>
  return { token, items, plans: plans ?? (plan ? [plan] : []), attributes, details }
}

const newToken = () => randomBytes(12).toString('base64url')

/** The cart after it was bought: empty, for the next order to the same country. */
export const nextCart = ({ details: { country } }: BrowserCart): BrowserCart => ({
  token: newToken(),
  items: [],
  plans: [],
  attributes: {},
  details: { country }
})

export const isEmpty = ({ items, plans }: BrowserCart): boolean => items.length + plans.length === 0

export const piecesIn = ({ items, plans }: BrowserCart): number =>
  items.reduce((sum, { quantity }) => sum + quantity, 0) + plans.length

/** The lines of its order: plans first. */
export const linesOf = ({ items, plans }: BrowserCart): ({ plan: string } | BrowserCart['items'][number])[] => [
  ...plans.map((plan) => ({ plan })),
  ...items
]

/** The cart with more of a variant. */
export function withItem(cart: BrowserCart, variant: string, quantity: number): BrowserCart {
  if (!isNumericId(variant)) throw invalidField('variant', 'must be one of the catalogue')
  const before = cart.items.find((item) => item.variant === variant)?.quantity ?? 0
  return withQuantity(cart, variant, before + quantity)
}

/** The cart with so much of a variant; without it for 0. */
export function withQuantity(cart: BrowserCart, variant: string, quantity: number): BrowserCart {
  if (!Number.isInteger(quantity) || quantity < 0 || quantity > MAX_PIECES) {
    throw invalidField('quantity', `must be a whole number from 0 to ${MAX_PIECES}`)
  }
  const isKnown = cart.items.some((item) => item.variant === variant)
  const items = isKnown
    ? cart.items.map((item) => (item.variant === variant ? { variant, quantity } : item))
    : [...cart.items, { variant, quantity }]
  const left = items.filter((item) => item.quantity > 0)
  return withinLimits({ ...cart, items: left })
}

/** The cart with a piece of a selling plan. */
export const withPlan = (cart: BrowserCart, plan: string): BrowserCart =>
  withinLimits({ ...cart, plans: [...cart.plans.filter((one) => one !== plan), plan] })

export const withoutPlan = (cart: BrowserCart, plan: string): BrowserCart => ({
  ...cart,
  plans: cart.plans.filter((one) => one !== plan)
})

/** The cart with these attributes; '' and null take one away. */
export function withAttributes(cart: BrowserCart, given: Record<string, unknown>): BrowserCart {
  const all = { ...cart.attributes, ...given }
  const attributes = Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === null || value === '' ? [] : [[name, String(value)]]))
  )
  if (JSON.stringify(attributes).length > LONGEST_ATTRIBUTES) {
    throw invalidField('attributes', `must be at most ${LONGEST_ATTRIBUTES} characters: the cart is kept in a cookie`)
  }
  return { ...cart, attributes }
}

function withinLimits(cart: BrowserCart): BrowserCart {
  if (cart.items.length + cart.plans.length <= MAX_LINES) return cart
  throw invalidField('cart', `can hold at most ${MAX_LINES} different things`)
}

export function detailsFrom(fields: Record<string, string | undefined>): Details {
  const given = DETAIL_FIELDS.map((name) => [name, (fields[name] ?? '').trim().slice(0, LONGEST_DETAIL)])
  return Object.fromEntries(given.filter(([, value]) => value !== ''))
}

/** The order of a cart. `ships`: whether anything in it has to be sent. */
export function orderOf(
  shop: Shop,
  cart: BrowserCart,
  { ships, home }: { ships: boolean; home: string | null }
): Omit<NewTestOrder, 'customerId'> {
  const { token, attributes, details } = cart
  const country = details.country ?? (home && COUNTRIES.includes(home) ? home : COUNTRIES[0]!)
  const shippingMinor = SHIPPING * 10 ** Math.max(currencyDecimals(shop.currency) - 2, 0)
  return {
    storeId: shop.storeId,
    cartToken: token,
    lines: linesOf(cart),
    country,
    billingCountry: details.billing && details.billing !== country ? details.billing : null,
    codes: (details.code ?? '')
      .split(',')
      .map((code) => code.trim())
      .filter(Boolean),
    giftCard: details.gift_card ?? null,
    credit: details.credit ?? null,
    attributes: Object.entries({
      ...attributes,
      ...(details.delivery && { deliverySchedule: details.delivery })
    }).map(([name, value]) => ({ name, value })),
    note: details.note ?? null,
    shipping: ships ? decimalOf(shippingMinor, shop.currency) : null,
    taxPercent: TAX[country] ?? null
  }
}
