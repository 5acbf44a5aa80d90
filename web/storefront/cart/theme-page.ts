import { type Fields, isSwitchedOn, type ThemeData, textOf } from './theme-data.ts'

/** A part of the page that shows the cart. Nothing is taken for granted of a theme. */
export type CartPart = {
  kind: 'page' | 'drawer'
  /** What of the page is this part's. */
  all(selector: unknown): HTMLElement[]
  /** What the element is put before, and the form of the cart. */
  before: Element
  form: Element | null
  checkout: HTMLElement | null
  /** What is shown anew when the cart is another. */
  shown: Element[]
  /** Of the items, in their order. */
  rows: Element[]
  /** The selector of the price in a row. */
  prices: string
}

/** What a selector of the settings finds; nothing for none, and for one that no browser can read. */
export function findAll(within: ParentNode, selector: unknown): HTMLElement[] {
  try {
    return [...within.querySelectorAll<HTMLElement>(textOf(selector))]
  } catch {
    // An empty selector is none, either.
    return []
  }
}

/** The parts of a page that show the cart, by the selectors of the settings: the page of the cart, and the side cart. */
export function cartParts(page: Document, data: ThemeData): CartPart[] {
  const side = data.metafield('svc_side_cart_selector')
  const drawer = isSwitchedOn(side.status) ? findAll(page, side.cart_drawer_selector)[0] : undefined
  const ofPage = (selector: unknown) => findAll(page, selector).filter((found) => !drawer?.contains(found))
  return [
    partOf('page', page.body, ofPage, data.metafield('svc_cart_page_selector')),
    drawer ? partOf('drawer', drawer, (selector) => findAll(drawer, selector), side) : null
  ].filter((part) => part !== null)
}

function partOf(kind: CartPart['kind'], within: Element, all: CartPart['all'], selectors: Fields): CartPart | null {
  const [form, checkout, summary] = ['cart_form_selector', 'cart_checkout_btn_selector', 'cart_summary_selector'].map(
    (name) => all(selectors[name])[0] ?? null
  ) as [HTMLElement | null, HTMLElement | null, HTMLElement | null]
  const before = summary ?? checkout
  // A page of a cart has its form; a drawer is known by itself.
  if (!before || (kind === 'page' && !form)) return null
  return {
    ...{ kind, all, before, form, checkout },
    shown: outermost(form ? [form, before] : [before], within),
    rows: all(selectors.cart_item_row_selector),
    prices: textOf(selectors.cart_item_price_selector)
  }
}

/** The sections of the theme that hold these; without sections what holds all of them, or they themselves. All of it is within the part. */
function outermost(found: Element[], within: Element): Element[] {
  const isInner = (one: Element | null) => one !== null && one !== within && within.contains(one)
  const sections = found.map((one) => one.closest('.shopify-section, [id^="shopify-section"]'))
  if (sections.every(isInner)) return [...new Set(sections as Element[])]
  let common: Element | null = found[0]!
  while (common && !found.every((one) => common!.contains(one))) common = common.parentElement
  return isInner(common) ? [common!] : found
}
