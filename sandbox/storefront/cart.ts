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
  /** The selling plan of a membership that is bought with the items. */
  plan: string | null
  details: Details
}

/** The fields of the checkout's form, as they were given. */
export const DETAIL_FIELDS = ['country', 'billing', 'code', 'gift_card', 'credit', 'delivery', 'note'] as const
export type Details = Partial<Record<(typeof DETAIL_FIELDS)[number], string>>

const MOST_LINES = 25
const MOST_PIECES = 99
const LONGEST_DETAIL = 120
/** In hundredths of the currency. */
const SHIPPING = 500
/** In percent, by the country that it is shipped to. */
const TAX: Record<string, number> = { US: 8, CA: 13, GB: 20, DE: 19, AT: 20, FR: 20, AU: 10 }

/** The countries that the checkout offers. */
export const COUNTRIES = Object.keys(TAX)

/** A cart from what the browser has kept, which may be of an older version. */
export function cartFrom(kept: unknown): BrowserCart {
  const { token = newToken(), items = [], plan = null, details = {} } = (kept ?? {}) as Partial<BrowserCart>
  return { token, items, plan, details }
}

const newToken = () => randomBytes(12).toString('base64url')

/** The cart after it was bought: empty, for the next order to the same country. */
export const nextCart = ({ details: { country } }: BrowserCart): BrowserCart => ({
  token: newToken(),
  items: [],
  plan: null,
  details: { country }
})

export const isEmpty = ({ items, plan }: BrowserCart): boolean => items.length === 0 && plan === null

export const piecesIn = ({ items, plan }: BrowserCart): number =>
  items.reduce((sum, { quantity }) => sum + quantity, 0) + (plan === null ? 0 : 1)

/** The cart with more of a variant. */
export function withItem(cart: BrowserCart, variant: string, quantity: number): BrowserCart {
  if (!isNumericId(variant)) throw invalidField('variant', 'must be one of the catalogue')
  const before = cart.items.find((item) => item.variant === variant)?.quantity ?? 0
  return withQuantity(cart, variant, before + quantity)
}

/** The cart with so much of a variant; without it for 0. */
export function withQuantity(cart: BrowserCart, variant: string, quantity: number): BrowserCart {
  if (!Number.isInteger(quantity) || quantity < 0 || quantity > MOST_PIECES) {
    throw invalidField('quantity', `must be a whole number from 0 to ${MOST_PIECES}`)
  }
  const isKnown = cart.items.some((item) => item.variant === variant)
  const items = isKnown
    ? cart.items.map((item) => (item.variant === variant ? { variant, quantity } : item))
    : [...cart.items, { variant, quantity }]
  const left = items.filter((item) => item.quantity > 0)
  if (left.length > MOST_LINES) throw invalidField('cart', `can hold at most ${MOST_LINES} different things`)
  return { ...cart, items: left }
}

export function detailsFrom(fields: Record<string, string | undefined>): Details {
  const given = DETAIL_FIELDS.map((name) => [name, (fields[name] ?? '').trim().slice(0, LONGEST_DETAIL)])
  return Object.fromEntries(given.filter(([, value]) => value !== ''))
}

/** The order of a cart. `ships`: whether anything in it has to be sent. */
export function orderOf(
  shop: Shop,
  { token, items, plan, details }: BrowserCart,
  { ships, home }: { ships: boolean; home: string | null }
): Omit<NewTestOrder, 'customerId'> {
  const country = details.country ?? (home && COUNTRIES.includes(home) ? home : COUNTRIES[0]!)
  const shippingMinor = SHIPPING * 10 ** Math.max(currencyDecimals(shop.currency) - 2, 0)
  return {
    storeId: shop.storeId,
    cartToken: token,
    lines: [...(plan === null ? [] : [{ plan }]), ...items],
    country,
    billingCountry: details.billing && details.billing !== country ? details.billing : null,
    codes: (details.code ?? '')
      .split(',')
      .map((code) => code.trim())
      .filter(Boolean),
    giftCard: details.gift_card ?? null,
    credit: details.credit ?? null,
    attributes: details.delivery ? [{ name: 'deliverySchedule', value: details.delivery }] : [],
    note: details.note ?? null,
    shipping: ships ? decimalOf(shippingMinor, shop.currency) : null,
    taxPercent: TAX[country] ?? null
  }
}
