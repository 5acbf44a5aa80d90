// The cart widget: where a theme has printed its data, its cart has the choice between a membership and the purchase without one.
import { CartFailure } from './cart-api.ts'
import { CartState } from './cart-state.ts'
import { wordsIn } from './languages.ts'
import { PerennialCart, showCart } from './perennial-cart.ts'
import { place } from './place.ts'
import { refreshTheme } from './refresh-theme.ts'
import { report } from './report.ts'
import { readThemeData, type ThemeData } from './theme-data.ts'
import { cartParts, findAll } from './theme-page.ts'
import { sayer, type Words } from './words.ts'

/** The platform has what a request of a theme has changed when that is answered. */
const SETTLE_MS = 50
/** A theme that takes the elements out as often as they are put in is left alone: so often in so many milliseconds. */
const MAX_PLACED = 20
const PLACED_WITHIN_MS = 5_000
/** Requests of a theme that change the cart. */
const CHANGES = /\/cart\/(add|change|update|clear)(\.js)?(\?|$)/

function begin(data: ThemeData, words: Words | null): void {
  const { Shopify } = window as { Shopify?: { currency?: { rate?: string } } }
  const state = new CartState(data, Number(Shopify?.currency?.rate), sayer(data.words, words ?? undefined))
  const side = data.metafield('svc_side_cart_selector')
  // Before what the theme has changed is painted, so that nothing flickers.
  const observer = new MutationObserver(soon(requestAnimationFrame, placeAgain))
  let placed: number[] = []
  let rows = ''

  function placeAll(): void {
    if (place(state)) placed = [...placed, performance.now()].filter((at) => at > performance.now() - PLACED_WITHIN_MS)
    // What was done here is no reason to look again.
    observer.takeRecords()
    if (placed.length > MAX_PLACED) observer.disconnect()
  }
  /** A theme that shows another number of items than the cart had has changed it. */
  function placeAgain(): void {
    placeAll()
    const shown = cartParts(document, data).map((part) => part.rows.length)
    if (rows !== (rows = shown.join()) && shown.some((count) => count !== state.data.cart.items.length)) refresh()
  }
  // A cart that cannot be read now stays as it was shown.
  const later = (work: () => void) => setTimeout(work, SETTLE_MS)
  const refresh = soon(later, () => state.refresh().catch((err) => (err instanceof CartFailure ? null : report(err))))

  showCart(state, () => {
    const { checkout } = cartParts(document, data).find((part) => part.checkout?.checkVisibility()) ?? {}
    if (checkout) checkout.click()
    else location.assign(`${data.root}checkout`)
  })
  placeAll()
  if (state.isStale) refresh()
  state.addEventListener('change', placeAll)
  state.addEventListener('cart', () => {
    const event = new CustomEvent('perennial-cart-change', { cancelable: true, detail: { cart: state.data.cart } })
    if (document.dispatchEvent(event)) refreshTheme(state, placeAll).catch(report)
  })
  observer.observe(document.documentElement, { childList: true, subtree: true })
  new PerformanceObserver((list) => {
    if (list.getEntries().some(({ name }) => CHANGES.test(name))) refresh()
  }).observe({ type: 'resource' })
  addEventListener('pageshow', ({ persisted }) => persisted && refresh())
  document.addEventListener('click', ({ target }) => {
    const opens = [side.trigger_selector, side.btn_add_to_cart_selector].flatMap((one) => findAll(document, one))
    if (opens.some((one) => one.contains(target as Node))) refresh()
  })
}

/** Once for all calls until `when` says that it is time. */
function soon(when: (work: () => void) => unknown, work: () => unknown): () => void {
  let isComing = false
  return () => {
    if (isComing) return
    isComing = true
    when(() => {
      isComing = false
      try {
        work()
      } catch (err) {
        report(err)
      }
    })
  }
}

async function start(): Promise<void> {
  const data = readThemeData(document)
  const words = data && wordsIn(data.locale ?? document.documentElement.lang)
  // The place of an element that is not defined is kept by the theme.
  const loaded = words && (await words)
  customElements.define('perennial-cart', PerennialCart)
  if (data) begin(data, loaded)
}

// A page may load the file twice, by two addresses.
if (!customElements.get('perennial-cart')) start().catch(report)
