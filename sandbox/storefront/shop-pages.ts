import { kindOf, type Offer, type OfferKind } from '../checkout/offers.ts'
import type { OrderPreview } from '../controls/place-order.ts'
import type { Shop } from '../shop.ts'
import { countryName } from '../state/addresses.ts'
import type { Collection } from '../state/collections.ts'
import type { Product, Variant } from '../state/products.ts'
import { type BrowserCart, COUNTRIES, type Details } from './cart.ts'
import { LABELS } from './check-details.ts'
import { planName, planPrice, price } from './home.ts'
import { type Html, html } from './html.ts'
import { tellShopper } from './shopper-reasons.ts'

export type Catalogue = { collections: Collection[]; products: Product[]; variants: Variant[] }

/** What is in the shop's header on every page: the ways to the catalogue and the cart. */
export function shopLinks(basePath: string, pieces: number): Html {
  return html`<nav aria-label="Shop"><a href="${basePath}/products">Products</a>
    <a href="${basePath}/membership">Membership</a>
    <a href="${basePath}/cart" data-open-cart>Cart${pieces > 0 && ` (${pieces})`}</a>
    <a href="${basePath}/mail">Mail</a></nav>`
}

/** `memberPriceOf` is what a piece costs the visitor, by variant; the price itself for somebody without a membership. */
export function cataloguePage(
  shop: Shop,
  basePath: string,
  { collections, products, variants }: Catalogue,
  memberPriceOf: Map<string, number>
): Html {
  const inNone = products.filter(({ id }) => !collections.some(({ productIds }) => productIds.includes(id)))
  const groups = [
    ...collections.map(({ handle, title, description, productIds }) => ({
      handle,
      title,
      description,
      products: products.filter(({ id }) => productIds.includes(id))
    })),
    { handle: 'more', title: 'More', description: '', products: inNone }
  ].filter((group) => group.products.length > 0)
  const cards = (of: Product[]) =>
    of.map((product) => {
      const own = variants.filter(({ productId }) => productId === product.id)
      return productCard(shop, basePath, product, own, memberPriceOf)
    })
  return html`<h1>Products</h1>
  ${groups.length === 0 && html`<p class="soft">This store sells no products.</p>`}
  ${groups.map(
    (group) => html`<section aria-labelledby="${`in-${group.handle}`}">
      <h2 id="${`in-${group.handle}`}">${group.title}</h2>
      ${group.description && html`<p class="soft">${group.description}</p>`}
      <ul class="grid">${cards(group.products)}</ul>
    </section>`
  )}`
}

function productCard(
  shop: Shop,
  basePath: string,
  product: Product,
  variants: Variant[],
  memberPriceOf: Map<string, number>
): Html {
  const [first] = variants
  if (!first) return html``
  const member = memberPriceOf.get(first.id) ?? first.priceMinor
  const from = variants.length > 1 ? 'from ' : ''
  return html`<li class="card">
    <h3>${product.title}</h3>
    <p><span class="soft">${from}</span><span class="price">${price(member, shop.currency)}</span>
      ${member < first.priceMinor && html`<span class="soft">member price, instead of ${price(first.priceMinor, shop.currency)}</span>`}
      ${
        first.compareAtMinor !== null &&
        first.compareAtMinor > first.priceMinor &&
        html`<s class="soft">${price(first.compareAtMinor, shop.currency)}</s>`
      }</p>
    ${product.tags.length > 0 && html`<p class="soft">${product.tags.join(', ')}</p>`}
    <form method="post" action="${basePath}/cart/add">
      ${
        variants.length > 1
          ? html`<label>Option
        <select name="variant">${variants.map(
          (variant) =>
            html`<option value="${variant.id}">${variant.title}, ${price(memberPriceOf.get(variant.id) ?? variant.priceMinor, shop.currency)}</option>`
        )}</select></label>`
          : html`<input type="hidden" name="variant" value="${first.id}">`
      }
      <div class="choices"><label class="short">Quantity <input name="quantity" type="number" min="1" max="99" value="1" required></label>
        <button>Add to cart<span class="hidden">: ${product.title}</span></button></div>
    </form>
  </li>`
}

export function emptyCartPage(basePath: string): Html {
  return html`<h1>Cart</h1>
  <p class="soft">Your cart is empty.</p>
  <p><a href="${basePath}/products">Browse the products</a></p>`
}

/** `offers` are the memberships and subscriptions that the visitor may add. */
export function cartPage(
  shop: Shop,
  basePath: string,
  { plans, items }: BrowserCart,
  preview: OrderPreview,
  offers: Offer[]
): Html {
  return html`<h1>Cart</h1>
  <form id="cart" method="post" action="${basePath}/cart">
    ${lineTable(shop, preview, (i) => {
      const [plan, item] = [plans[i], items[i - plans.length]]
      return plan !== undefined
        ? html`<label class="plain"><input type="checkbox" name="keep_${plan}" checked> keep</label>`
        : html`<label class="plain"><span class="hidden">Quantity of ${preview.goods[i]!.title}</span>
          <input name="q_${item!.variant}" type="number" min="0" max="99" value="${item!.quantity}" required></label>`
    })}
    <p class="soft">Set a quantity to 0 to remove the product.</p>
    <button class="quiet">Update cart</button>
  </form>
  <perennial-cart>${addPlans(shop, basePath, 'membership', offers)}</perennial-cart>
  ${addPlans(shop, basePath, 'subscription', offers)}
  <section aria-labelledby="sum"><h2 id="sum">Total</h2>
    ${totalList(shop, preview)}
    <p class="soft">Shipping and tax follow at the checkout.</p>
    <p><a id="checkout" class="button" href="${basePath}/checkout">Go to the checkout</a></p>
  </section>`
}

const ADD_PLANS = { membership: 'With a membership', subscription: 'With a subscription' }

function addPlans(shop: Shop, basePath: string, kind: OfferKind, all: Offer[]): Html {
  const offers = all.filter(({ product }) => kindOf(product) === kind)
  if (offers.length === 0) return html``
  return html`<section aria-labelledby="${`add-${kind}`}"><h2 id="${`add-${kind}`}">${ADD_PLANS[kind]}</h2>
    <ul class="grid">${offers.map(
      (offer) => html`<li class="card"><h3>${offer.product.title}</h3>
      ${planPrice(shop, offer.plan, offer.variant.priceMinor)}
      ${planName(offer)}
      <form method="post" action="${basePath}/cart/add"><input type="hidden" name="plan" value="${offer.plan.id}">
        <button class="quiet">Add to cart<span class="hidden">: ${offer.product.title}, ${kind}</span></button></form></li>`
    )}</ul></section>`
}

/** `preview` is what the order costs; `customer` is who buys it, null for a visitor, who has to log in. */
export function checkoutPage(
  shop: Shop,
  basePath: string,
  details: Details,
  preview: OrderPreview,
  customer: { home: string | null; creditMinor: number } | null
): Html {
  const { cart, totals } = preview
  const country = details.country ?? cart.shippingAddress?.countryCode ?? ''
  const choice = (chosen: string) => (code: string) =>
    html`<option value="${code}" ${code === chosen ? { markup: 'selected' } : ''}>${countryName(code)}</option>`
  const text = (name: keyof Details, hint: string | null = null, more = '') => html`<label>${LABELS[name]}
    <input name="${name}" value="${details[name] ?? ''}" maxlength="120" autocomplete="off" ${{ markup: more }}>
    ${hint && html`<span class="soft plain">${hint}</span>`}</label>`
  if (!customer) {
    return html`<h1>Checkout</h1>
    <p>Log in to buy what is in your cart. It is kept until then.</p>
    <p><a class="button" href="${basePath}/#log-in">Log in</a></p>`
  }
  const credit = customer.creditMinor
  const giftMinor = Math.min(cart.giftCard?.balanceMinor ?? 0, totals.totalMinor)
  const restMinor = totals.totalMinor - giftMinor - cart.creditMinor
  return html`<h1>Checkout</h1>
  <section aria-labelledby="what"><h2 id="what">Your order</h2>
    ${lineTable(shop, preview, (i) => html`${preview.goods[i]!.quantity}`)}
    ${totalList(shop, preview)}
  </section>
  <form method="post" action="${basePath}/checkout" class="card">
    <div class="grid">
      <label>${LABELS.country} <select name="country">${COUNTRIES.map(choice(country))}</select></label>
      <label>${LABELS.billing} <select name="billing"><option value="">Same as shipping</option>
        ${COUNTRIES.map(choice(details.billing ?? ''))}</select></label>
      ${text('code', 'Separate several with commas')}
      ${text('gift_card', 'Used before other payments')}
      ${text('credit', credit > 0 ? `You have ${price(credit, shop.currency)}` : 'You have none', 'inputmode="decimal"')}
      ${text('delivery', 'Such as Monday, or every second week')}
    </div>
    ${text('note')}
    <dl>
      ${giftMinor > 0 && html`<dt>Paid by the gift card</dt><dd>${price(giftMinor, shop.currency)}</dd>`}
      ${cart.creditMinor > 0 && html`<dt>Paid by store credit</dt><dd>${price(cart.creditMinor, shop.currency)}</dd>`}
      <dt>Paid by your card</dt><dd>${price(Math.max(restMinor, 0), shop.currency)}</dd>
    </dl>
    <div class="choices"><button name="do" value="pay">Pay</button>
      <button class="quiet" name="do" value="update">Update totals</button></div>
  </form>`
}

function lineTable(shop: Shop, { goods, totals, price: priced }: OrderPreview, quantity: (i: number) => Html): Html {
  const money = (amountMinor: number) => price(amountMinor, shop.currency)
  return html`<div class="table" role="region" aria-label="Lines" tabindex="0"><table class="lines">
    <thead><tr><th scope="col">Product</th><th scope="col">Quantity</th><th scope="col" class="number">Price</th>
      <th scope="col" class="number">Total</th></tr></thead>
    <tbody>${goods.map((line, i) => {
      const total = totals.lines[i]!
      const shown = priced.lines[i]!
      const full = line.priceMinor * line.quantity
      const by = (total.allocations ?? [])
        .map(({ index }) => totals.discounts[index]!)
        .filter(({ isAutomatic }) => isAutomatic)
      const why = shown.reasons.flatMap((reason) => tellShopper(reason, money) ?? [])
      return html`<tr class="line">
        <td class="wide">${line.title}${line.variantTitle && html` <span class="soft">${line.variantTitle}</span>`}
          ${by.length > 0 && html`<br><span class="done tag">${by.map(({ title }) => title).join(', ')}</span>`}</td>
        <td>${quantity(i)}</td>
        <td class="number piece">${
          shown.memberPriceMinor < line.priceMinor
            ? html`<s class="soft">${money(line.priceMinor)}</s> ${money(shown.memberPriceMinor)}`
            : money(line.priceMinor)
        }</td>
        <td class="number">${total.discountMinor > 0 && html`<s class="soft">${money(full)}</s> `}${money(full - total.discountMinor)}</td>
      </tr>
      ${why.length > 0 && html`<tr class="why"><td class="wide soft" colspan="4">${why.join('; ')}</td></tr>`}`
    })}</tbody></table></div>`
}

function totalList(shop: Shop, { totals, price: priced, cart }: OrderPreview): Html {
  const money = (amountMinor: number) => price(amountMinor, shop.currency)
  const { shippingLine } = totals
  const shippingWords = priced.tier && tellShopper(priced.shipping.reason, money)
  const welcomeWords = priced.tier && tellShopper(priced.welcomeOffer.reason, money)
  const offShipping = totals.discounts.filter(({ target }) => target === 'SHIPPING_LINE')
  const offProducts = totals.discounts.filter((discount) => !offShipping.includes(discount))
  const row = ({ code, title, amountMinor }: (typeof offShipping)[number]) =>
    html`<dt>${code ?? title}</dt><dd>-${money(amountMinor)}</dd>`
  return html`<dl class="sum">
    <dt>Products</dt><dd>${money(totals.lines.reduce((sum, line) => sum + line.priceMinor * line.quantity, 0))}</dd>
    ${offProducts.map(row)}
    ${
      shippingLine &&
      html`<dt>Shipping, ${shippingLine.title.toLowerCase()}</dt><dd>${money(shippingLine.priceMinor)}
      ${shippingWords && html`<span class="soft">(${shippingWords})</span>`}</dd>`
    }
    ${offShipping.map(row)}
    ${cart.tax && html`<dt>Tax, ${cart.tax.percent}%</dt><dd>${money(totals.taxMinor)}</dd>`}
    <dt>Total</dt><dd class="price">${money(totals.totalMinor)}</dd>
  </dl>
  ${priced.welcomeOffer.lineId === null && welcomeWords && html`<p class="soft">No welcome offer: ${welcomeWords}</p>`}`
}
