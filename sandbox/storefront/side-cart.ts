import type { Shop } from '../shop.ts'
import type { PricedCart } from './cart-json.ts'
import { price } from './home.ts'
import { type Html, html } from './html.ts'

/** The side cart of the theme, which its script opens. Without scripts the links lead to the page of the cart. */
export function sideCart(shop: Shop, basePath: string, { cart, preview }: PricedCart): Html {
  const money = (minor: number) => price(minor, shop.currency)
  const lines = preview?.goods ?? []
  return html`<dialog id="side-cart" class="side-cart" aria-labelledby="side-cart-title" data-base="${basePath}">
    <div class="side-cart-head"><h2 id="side-cart-title">Your cart</h2><button class="quiet" data-close-cart>Close</button></div>
    ${
      lines.length === 0
        ? html`<p class="soft">Your cart is empty.</p>`
        : html`<form id="side-cart-form" method="post" action="${basePath}/cart">
      ${lines.map((line, i) => {
        const off = preview!.totals.lines[i]!.discountMinor
        const full = line.priceMinor * line.quantity
        return html`<div class="side-cart-row"><span>${line.title}${line.variantTitle && html` <span class="soft">${line.variantTitle}</span>`}</span>
        <span class="side-cart-price">${off > 0 && html`<s class="soft">${money(full)}</s> `}${money(full - off)}</span>
        <label class="plain short">Quantity <input type="number" min="0" max="99" value="${line.quantity}" data-line="${i + 1}" ${{ markup: i < cart.plans.length ? 'disabled' : '' }}></label></div>`
      })}</form>
    <div class="side-cart-summary"><p>Subtotal <span class="price">${money(preview!.totals.totalMinor)}</span></p>
      <div class="choices"><a class="button side-cart-checkout" href="${basePath}/checkout">Check out</a>
        <a href="${basePath}/cart">View cart</a></div></div>`
    }
  </dialog>`
}

/** What the theme does with it, as themes do: a product is added without leaving the page, and the side cart is made anew after each change. */
export const SIDE_CART_SCRIPT = `const sideCart = document.querySelector('#side-cart')
if (sideCart) {
  const post = async (action, body) => {
    const response = await fetch(sideCart.dataset.base + '/cart/' + action, {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body)
    })
    return { isDone: response.ok, cart: await response.json() }
  }
  const show = async () => {
    const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), 'text/html')
    for (const part of ['#side-cart', 'header nav']) document.querySelector(part).innerHTML = page.querySelector(part).innerHTML
    if (!sideCart.open) sideCart.showModal()
  }
  addEventListener('submit', async (event) => {
    const { variant, quantity } = Object.fromEntries(new FormData(event.target))
    if (!event.target.action.endsWith('/cart/add') || !variant) return
    event.preventDefault()
    const added = await post('add.js', { items: [{ id: variant, quantity }] })
    if (added.isDone) await show()
    else event.target.submit()
  })
  addEventListener('change', async ({ target }) => {
    const { line } = target.dataset
    if (!line) return
    await post('change.js', { line, quantity: target.value })
    await show()
  })
  addEventListener('click', (event) => {
    if (event.target.closest('[data-close-cart]')) sideCart.close()
    if (!event.target.closest('[data-open-cart]')) return
    event.preventDefault()
    show()
  })
}
`
