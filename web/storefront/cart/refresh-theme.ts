import { readPage } from './cart-api.ts'
import type { CartState } from './cart-state.ts'
import { cartParts, findAll } from './theme-page.ts'

/**
 * Has the theme show the cart as it is now: the page is read again, and the parts that show the cart are replaced by those of it. Where they
 * are not found again, the page is loaded anew. `place` puts the elements back.
 */
export async function refreshTheme({ data }: CartState, place: () => void): Promise<void> {
  const page = await readPage(location.href).catch(() => null)
  const shown = (of: Document) => cartParts(of, data).flatMap((part) => part.shown)
  const old = shown(document)
  const fresh = page ? shown(page) : []
  if (!page || old.length !== fresh.length) return location.reload()
  const focused = document.activeElement?.shadowRoot?.activeElement
  const more = findAll(page, data.refresh)
  const parts = old.map((part, i) => [part, fresh[i]!] as const)
  const others = findAll(document, data.refresh).flatMap((part, i) => (more[i] ? [[part, more[i]] as const] : []))
  for (const [part, by] of [...parts, ...others]) replace(part, by)
  place()
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
}

/**
 * A new part has what a theme's own elements do when they are made. Elements of ours that the theme has placed stay the same ones, and
 * in this document: in another one they would lose their style sheets.
 */
function replace(part: Element, by: Element): void {
  document.adoptNode(by)
  const kept = [...part.querySelectorAll('perennial-cart')]
  for (const [i, one] of by.querySelectorAll('perennial-cart').entries()) if (kept[i]) one.replaceWith(kept[i])
  part.replaceWith(by)
}
