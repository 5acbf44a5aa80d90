// Where <perennial-cart> is in pages of themes, in a real browser: what is needed to check out is always within reach.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from './browser.ts'
import { testDatabase } from './database.ts'
import { printedPlan } from './printed-cart.ts'
import { picture } from './storefront-browser.ts'
import { KETTLE, openTheme } from './theme-page.ts'

// The browser is closed with the database of a test.
await testDatabase()
const skip = noBrowser

const PRINTED = {
  ...{ root: '/', locale: 'en', country: 'AT', currency: 'EUR', customer: null },
  cart: { token: 't', currency: 'EUR', items: [KETTLE, { ...KETTLE, key: 'k2' }, { ...KETTLE, key: 'k3' }] },
  variants: { 50: { tags: [], collections: [], compare_at: null, plans: [] } },
  metafields: {
    svc_plan_settings: printedPlan('vip', { label: 'VIP', perks: {} }, 'EUR'),
    svc_cart_page_selector: { cart_form_selector: '#cart', cart_checkout_btn_selector: '#checkout' },
    svc_side_cart_selector: {
      ...{ status: 'on', cart_drawer_selector: '#drawer', cart_item_row_selector: '.row' },
      ...{ cart_form_selector: '#items', cart_summary_selector: '#summary', cart_checkout_btn_selector: '#pay' }
    }
  }
}
const withRows = (selector: string) => {
  const { svc_cart_page_selector: ofPage, ...metafields } = PRINTED.metafields
  return {
    ...PRINTED,
    metafields: { ...metafields, svc_cart_page_selector: { ...ofPage, cart_item_row_selector: selector } }
  }
}
const ROWS = '<div class="row" style="height:120px">Kettle</div>'.repeat(3)
const FORM = `<form id="cart">${ROWS}`
/** A side cart that stays in the window. */
const drawer = (of: string) =>
  `<div id="drawer" style="position:fixed;inset:0 0 0 auto;width:360px;display:flex;flex-direction:column;overflow:hidden">${of}</div>`
const SUMMARY = '<div id="summary"><p>Subtotal</p><button id="pay">Check out</button></div>'

/** Bodies of pages, and where the element is in them: its parent, and what follows it. Null: nowhere. */
const PLACES: Record<string, { body: string; at: [parent: string, next: string | null] | null }> = {
  'before the button to the checkout': {
    body: `<main id="page">${FORM}</form><button id="checkout">Check out</button></main>`,
    at: ['page', 'checkout']
  },
  'before a row of buttons': {
    body: `<main id="page">${FORM}</form><div id="buttons" style="display:flex"><button id="checkout">Check out</button>
      <button>Another way to pay</button></div></main>`,
    at: ['page', 'buttons']
  },
  'at the end of the form, below which the button stays at the edge of the window': {
    body: `<main>${FORM}</form><div style="position:fixed;inset:auto 0 0"><button id="checkout">Check out</button></div></main>`,
    at: ['cart', null]
  },
  'before the summary of a side cart that is scrolled as a whole': {
    body: drawer(`<div id="all" style="overflow-y:auto"><form id="items">${ROWS}</form>${SUMMARY}</div>`),
    at: ['all', 'summary']
  },
  'at the end of what is scrolled in a side cart, whose summary stays where it is': {
    body: drawer(
      `<h2>Cart</h2><div id="scrolled" style="overflow-y:auto;flex:1"><form id="items">${ROWS}</form></div>${SUMMARY}`
    ),
    at: ['scrolled', null]
  },
  'at the end of what is scrolled within the form': {
    body: drawer(
      `<form id="items" style="display:contents"><div id="scrolled" style="overflow-y:scroll;flex:1">${ROWS}</div>${SUMMARY}</form>`
    ),
    at: ['scrolled', null]
  },
  'nowhere in a side cart of which nothing is scrolled': {
    body: drawer(`<form id="items">${ROWS}</form>${SUMMARY}`),
    at: null
  }
}

/** Whether somebody can press the button where it is. */
const isInReach = (page: Page) =>
  page.evaluate(`(() => {
    const button = document.querySelector('#pay, #checkout')
    const { left, top, width, height } = button.getBoundingClientRect()
    return document.elementFromPoint(left + width / 2, top + height / 2) === button
  })()`)

for (const [where, { body, at }] of Object.entries(PLACES)) {
  test(`it is ${where}`, { skip }, async () => {
    const { page, complaints, close } = await openTheme(PRINTED, { body, viewport: { width: 900, height: 600 } })
    await page.waitForFunction("customElements.get('perennial-cart')")
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
    const found = await page
      .locator('perennial-cart')
      .evaluateAll((all: any[]) => all.map((one) => [one.parentElement.id, one.nextElementSibling?.id ?? null]))
    assert.deepEqual(found, at ? [at] : [])
    // What cannot be scrolled to is seen without that.
    if (!at?.[1]) assert.equal(await isInReach(page), true)
    if (at) await page.locator('perennial-cart').getByRole('radio', { name: 'Pay as you go' }).scrollIntoViewIfNeeded()
    await picture(page, `cart-${where.replaceAll(/[^a-z]+/g, '-')}`)
    // Nothing is moved again and again.
    const moved = await page.evaluate(`new Promise((resolve) => {
      let count = 0
      new MutationObserver((all) => { count += all.length }).observe(document.body, { childList: true, subtree: true })
      document.body.append(document.createElement('i'))
      setTimeout(() => resolve(count), 100)
    })`)
    assert.equal(moved, 1)
    assert.deepEqual(complaints, [])
    await close()
  })
}

test('a theme that shows another number of items has the cart read again, once', { skip }, async () => {
  const body = `<main id="page">${FORM}</form><button id="checkout">Check out</button></main>`
  const { page, close } = await openTheme(withRows('#cart .row'), { body })
  await page.locator('perennial-cart').getByRole('radio').first().waitFor()
  const read: string[] = []
  page.on('request', (request) => read.push(new URL(request.url()).pathname))
  const removed = page.waitForRequest('**/cart.js')
  await page.evaluate("document.querySelector('.row').remove()")
  await removed
  // The cart still has as many: it is not asked for again and again.
  await page.evaluate(
    "document.querySelector('#page').append('changed'); new Promise((resolve) => setTimeout(resolve, 300))"
  )
  assert.deepEqual(read, ['/cart.js'])
  await close()
})
