// A page of our own, as a theme that prints its cart: what the shop's server answers is made here, and the built files are the real ones.
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Visit, visit } from './storefront-browser.ts'

export const SHOP = 'http://shop.example'
const BUILT = fileURLToPath(new URL('../web/storefront/dist', import.meta.url))
/** The built files, by their names. */
export const files = new Map(
  await Promise.all(
    (await readdir(BUILT)).map(async (name) => [name, await readFile(`${BUILT}/${name}`, 'utf8')] as const)
  )
)

const STYLES = `<style>
  :root { color-scheme: light dark; font: 16px/1.5 sans-serif } body { margin: 0; background: Canvas; color: CanvasText }
  main { max-width: 40rem; margin: 0 auto; padding: 1rem } perennial-cart { display: block; min-height: 640px }
</style>`
const BODY = `<main><h1>Cart</h1>
  <form id="cart"><p class="after">Kettle</p></form><perennial-cart></perennial-cart><p class="after">What follows</p>
  <button id="checkout">Check out</button></main>`

type Look = { lang?: string; dir?: string; body?: string }

/** A page of a shop whose theme prints this. It places the element itself, unless it has another body. */
export const themePage = (
  printed: object,
  { lang = 'en', dir = 'ltr', body = BODY }: Look = {}
) => `<!doctype html><html lang="${lang}" dir="${dir}"><head>
  <meta charset="utf-8"><title>Cart</title><link rel="icon" href="data:,">${STYLES}</head><body>${body}
  <script type="application/json" data-perennial-cart>${JSON.stringify(printed).replaceAll('<', '\\u003c')}</script>
  <script type="module" src="/perennial-cart.js"></script></body></html>`

/** Opens the page. Its cart API answers with the cart that is printed. */
export async function openTheme(
  printed: { cart: object } & Record<string, unknown>,
  options: Partial<Visit> & Look = {}
) {
  const { lang, dir, body, ...rest } = options
  const visitor = await visit({ shop: SHOP, ...rest })
  await visitor.page.route(`${SHOP}/**`, (route) => {
    const name = new URL(route.request().url()).pathname.slice(1)
    const script = files.get(name)
    if (script) return route.fulfill({ contentType: 'text/javascript', body: script })
    if (name.startsWith('cart')) return route.fulfill({ json: printed.cart })
    return route.fulfill({
      contentType: 'text/html',
      body: themePage(printed, { ...(lang && { lang }), ...(dir && { dir }), ...(body && { body }) })
    })
  })
  await visitor.page.goto(`${SHOP}/`)
  return visitor
}

export const KETTLE = {
  ...{ key: 'k', product_id: 5, variant_id: 50, quantity: 2, original_price: 3450, final_price: 3450 },
  ...{ product_title: 'Kettle', product_type: 'Equipment' }
}
