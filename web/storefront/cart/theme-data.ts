import { isOn } from '../../../extensions/member-discounts/src/plan-settings.ts'

/** A line of the cart as the platform's cart API has it. Amounts are in hundredths of the currency, whichever it is. */
export type CartItem = {
  /** Of this line, until anything of it changes. */
  key: string
  product_id: number
  variant_id: number
  quantity: number
  /** Of one piece, before discounts. */
  original_price: number
  /** Of one piece, after those of its line. */
  final_price: number
  product_title: string
  product_type: string
  selling_plan_allocation?: { selling_plan: { id: number } } | null
}

/** What `GET /cart.js` returns, as far as it is used. */
export type ThemeCart = { token: string; currency: string; items: CartItem[]; attributes?: Record<string, string> }

/** What the cart API does not say of a variant, and the theme prints. */
export type VariantFacts = {
  tags: string[]
  /** Of its product. */
  collections: (number | string)[]
  /** Hundredths; null where it is not reduced. */
  compare_at: number | null
  /** The selling plans of the variant; a membership has its own. */
  plans?: { id: number; name: string }[]
}

export type Fields = Record<string, unknown>

/** What a theme prints for the elements, in a script tag (docs/storefront.md). */
export type ThemeData = {
  /** Where the addresses of the shop begin, such as / or /en/. */
  root: string
  /** Of the page, as BCP 47. */
  locale: string | undefined
  /** Where the visitor buys: ISO 3166-1 alpha-2; null where the theme does not say. */
  country: string | null
  /** Of the shop: plans are priced in it. */
  currency: string
  cart: ThemeCart
  /** By the number of the variant: those of the cart. */
  variants: Record<string, VariantFacts>
  customer: { tags: string[]; subscriptions: Fields[]; credit: string | null } | null
  /** The value of a metafield of the shop; without fields where it is not there. */
  metafield(key: string): Fields
  /** Words of the elements in the language of the page. */
  words: Record<string, string>
  /** More of the page that shows the cart: a CSS selector. */
  refresh: string
}

export const DATA_SCRIPT = 'script[data-perennial-cart]'

/** What of a page it takes to find a script. */
type Page = { querySelector(selector: string): { textContent: string | null } | null }

/** Reads what the theme has printed into a page. Null where it has printed nothing, or what cannot be read. */
export function readThemeData(page: Page): ThemeData | null {
  const given = fieldsOf(page.querySelector(DATA_SCRIPT)?.textContent)
  const cart = fieldsOf(given.cart) as unknown as ThemeCart
  if (!Array.isArray(cart.items)) return null
  const metafields = fieldsOf(given.metafields)
  const customer = fieldsOf(given.customer)
  return {
    root: textOf(given.root).replace(/\/*$/, '/'),
    locale: textOf(given.locale) || undefined,
    country: textOf(given.country) || null,
    currency: textOf(given.currency),
    cart,
    variants: fieldsOf(given.variants) as ThemeData['variants'],
    customer: given.customer
      ? {
          tags: (Array.isArray(customer.tags) ? customer.tags : []).map(String),
          subscriptions: [customer.customer_subscription1, customer.customer_subscription2].map(fieldsOf),
          credit: textOf(customer.svc_st) || null
        }
      : null,
    metafield: (key) => fieldsOf(metafields[key]),
    words: fieldsOf(given.words) as Record<string, string>,
    refresh: textOf(given.refresh)
  }
}

/** An object, which may come as JSON in a text; without fields where it is none, or no JSON. */
function fieldsOf(given: unknown): Fields {
  try {
    const value: unknown = typeof given === 'string' ? JSON.parse(given) : given
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
  } catch {
    return {}
  }
}

/** A text or a number, as a text. */
export const textOf = (given: unknown): string =>
  typeof given === 'string' ? given.trim() : typeof given === 'number' ? String(given) : ''

/** A switch that is `on`, or a flag. */
export const isSwitchedOn = (given: unknown): boolean => given === 'on' || isOn(given)
