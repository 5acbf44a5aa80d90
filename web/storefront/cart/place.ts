import type { CartState } from './cart-state.ts'
import { showMemberPrice } from './member-price.ts'
import { PerennialCart } from './perennial-cart.ts'
import { type CartPart, cartParts, findAll } from './theme-page.ts'

/** One element for each part of the page: where a theme makes the part anew, it is put back as it was. */
const own = new Map<CartPart['kind'], PerennialCart>()

/** Puts the elements where the settings say, and member prices beside those of items. True: something was not as it should be. */
export function place(state: CartState): boolean {
  const { model } = state
  return cartParts(document, state.data)
    .flatMap((part) => [
      placeElement(part, model !== null),
      ...placePrices(part, state.data.cart.items.length, model?.rows ?? [])
    ])
    .some((isChanged) => isChanged)
}

function placeElement(part: CartPart, isShown: boolean): boolean {
  const element = own.get(part.kind) ?? new PerennialCart()
  own.set(part.kind, element)
  // One that the theme has placed itself is enough.
  const isWanted = isShown && part.all('perennial-cart').every((one) => one === element)
  const [parent, next] = isWanted ? spotOf(part) : [null]
  if (element.parentNode === parent && (!parent || element.nextElementSibling === next)) return false
  if (parent) parent.insertBefore(element, next!)
  else element.remove()
  return true
}

/**
 * Before the summary or the button. In what stays where it is while the rest is scrolled the element would push the button out of sight: then
 * it is at the end of what is scrolled. Without a parent: there is no place.
 */
function spotOf({ before, form, rows }: CartPart): [parent: Element | null, next: Element | null] {
  const next = outOfRow(before)
  if (scrollerOf(next.parentElement)) return [next.parentElement, next]
  const scroller = scrollerOf(rows[0] ?? form)
  return [scroller === document.body ? form : scroller, null]
}

/** What is scrolled to see this; null where it is always at the same place of the window. */
function scrollerOf(one: Element | null): Element | null {
  if (!one || one === document.body) return one
  const { overflowY, position } = getComputedStyle(one)
  if (/auto|scroll/.test(overflowY)) return one
  return position === 'fixed' ? null : scrollerOf(one.parentElement)
}

/** In a row of buttons there is no room: the element is put beside the row. */
function outOfRow(one: Element): Element {
  const parent = one.parentElement!
  const { display, flexDirection } = getComputedStyle(parent)
  const isRow = /inline|grid|table/.test(display) || (display.includes('flex') && flexDirection.startsWith('row'))
  return isRow && parent !== document.body ? outOfRow(parent) : one
}

/** Where the theme shows other rows than the cart has, nobody can say whose price it is. */
function placePrices({ rows, prices }: CartPart, items: number, texts: (string | null)[]): boolean[] {
  return rows.flatMap((row, i) =>
    findAll(row, prices).map((price) => showMemberPrice(price, (rows.length === items && texts[i]) || null))
  )
}
