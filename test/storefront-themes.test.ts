// The elements among the markup, the styles and the scripts of themes of the real platform. These are not ours and not part of this repository:
// STOREFRONT_THEMES names a folder with one folder for each of them (docs/trials.md).
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { adminOf } from './admin-calls.ts'
import { noBrowser } from './browser.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { accessible, picture, type Visit, visit } from './storefront-browser.ts'
import { cancelling } from './storefront-member.ts'
import { type TriedTheme, themeServer } from './theme-server.ts'
import { until } from './until.ts'

const FOLDER = process.env.STOREFRONT_THEMES ?? ''

type Tried = TriedTheme & {
  /** Opens the side cart, as a press in the theme's header does. */
  open?: string
  /** What has the items and the prices of the cart. */
  lines: string
  checkout: string
}
const DAWN = {
  sections: ['main-cart-items', 'main-cart-footer'],
  selectors: {
    page: {
      cart_form_selector: '#cart',
      cart_checkout_btn_selector: '#checkout',
      cart_item_row_selector: '#main-cart-items .cart-item',
      cart_item_price_selector: '.cart-item__price-wrapper'
    }
  }
}
const THEMES: Record<string, Tried & { folder: string }> = {
  'the page of the cart of Dawn': {
    folder: 'dawn',
    ...DAWN,
    lines: '#main-cart-items',
    checkout: '#checkout',
    settings: { cart_type: 'page' }
  },
  'the side cart of Dawn': {
    folder: 'dawn',
    sections: [],
    settings: { cart_type: 'drawer' },
    selectors: {
      side: {
        cart_drawer_selector: 'cart-drawer',
        cart_form_selector: '#CartDrawer-Form',
        cart_summary_selector: '.cart-drawer__footer',
        cart_checkout_btn_selector: '#CartDrawer-Checkout',
        cart_item_row_selector: '.cart-item',
        cart_item_price_selector: '.cart-item__price-wrapper'
      }
    },
    open: "document.querySelector('cart-drawer').open()",
    lines: '#CartDrawer-CartItems',
    checkout: '#CartDrawer-Checkout'
  },
  'the page of the cart of Skeleton': {
    folder: 'skeleton-theme',
    sections: ['cart'],
    selectors: {
      page: {
        cart_form_selector: 'form',
        cart_checkout_btn_selector: '[name=checkout]',
        cart_item_row_selector: 'form tr'
      }
    },
    lines: 'form table',
    checkout: '[name=checkout]'
  },
  'the side cart of Bootshop': {
    folder: 'ks-bootshop',
    sections: [],
    selectors: {
      side: {
        cart_drawer_selector: '#offcanvas-cart',
        cart_form_selector: '.cart-items-list',
        cart_summary_selector: '.offcanvas-footer',
        cart_checkout_btn_selector: '.btn-checkout',
        cart_item_row_selector: '.cart-item',
        cart_item_price_selector: '.cart-item-price-final'
      }
    },
    open: "bootstrap.Offcanvas.getOrCreateInstance(document.querySelector('#offcanvas-cart')).show()",
    lines: '.cart-items-list',
    checkout: '.btn-checkout'
  }
}

const skip = noBrowser || (FOLDER === '' && 'STOREFRONT_THEMES names no folder with themes: docs/trials.md')
const { url } = await testDatabase()
const service = skip ? null : await startService(url, { background: true })

async function aShop() {
  const store = await service!.aStore()
  const { data } = await service!.admin('GET', `${store.at}/plans`)
  const perks = {
    discount: { type: 'percentage', value: '20' },
    free_shipping: { threshold: { type: 'subtotal', value: '100.00' } }
  }
  await service!.admin('PATCH', `${store.at}/plans/${data[0].id}`, { perks })
  const value = {
    ...{ m_title: 'Become {plan_name}', m_body: 'Lower prices, and free shipping sooner.', r_title: 'Just this once' },
    ...{ enable_progress_bar: 1, cart_disclaimer: 'Renews each month until you cancel.', cart_default_PAYG: 1 }
  }
  await adminOf(service!).call(store, 'PATCH', '/storefront-settings/svc_widget_cart_page', { value })
  await service!.deps.settle(store.storeId)
  return { store, sandbox: service!.urls.sandbox, domain: store.domain }
}

const LOOKS: Record<string, Partial<Visit>> = {
  light: {},
  dark: { colorScheme: 'dark' },
  narrow: { viewport: { width: 360, height: 740 } },
  rtl: { page: { lang: 'ar', dir: 'rtl' } }
}

/** How the theme's own elements look, which a foreign style would change. A price more makes a column wider. */
const LOOK = `document.querySelectorAll('perennial-price').forEach((one) => one.remove()); [...document.querySelectorAll('body *')]
  .filter((one) => !one.closest('perennial-cart, perennial-membership, perennial-join, script, style'))
  .map((one) => {
    const { display, color, fontSize, fontFamily, fontWeight, lineHeight, backgroundColor, borderTopWidth } = getComputedStyle(one)
    const names = [one.localName, one.getAttribute('class')]
    const style = [...names, display, color, fontSize, fontFamily, fontWeight, lineHeight, backgroundColor, borderTopWidth].join(' | ')
    return [style, one.getBoundingClientRect().width]
  })`

/** As soon as nothing moves any more. */
async function lookOf(page: Page): Promise<[string, number][]> {
  let before = ''
  return until('nothing moves', async () => {
    const look = await page.evaluate(LOOK)
    const isSame = JSON.stringify(look) === before
    before = JSON.stringify(look)
    return isSame ? (look as [string, number][]) : null
  })
}

/** The theme's elements look as without ours, and are as wide. */
function undisturbed(after: [string, number][], before: [string, number][], what: string) {
  const styles = (all: [string, number][]) => all.map(([style]) => style)
  assert.deepEqual(styles(after), styles(before), what)
  for (const [i, [style, width]] of before.entries()) {
    assert.ok(Math.abs(after[i]![1] - width) <= 1, `${what}: ${style}: ${width} and ${after[i]![1]}`)
  }
}

/** How the element is among those of the theme. */
const measure = (page: Page) =>
  page.locator('perennial-cart').evaluate((one: any) => {
    const { getComputedStyle } = globalThis as any
    const size = (part: string) => {
      const { width, height } = one.shadowRoot.querySelector(part).getBoundingClientRect()
      return { width, height }
    }
    const fieldset = one.shadowRoot.querySelector('fieldset')
    const { fontSize, borderTopWidth, textTransform } = getComputedStyle(fieldset)
    const { left, right } = one.getBoundingClientRect()
    const parent = one.parentElement.getBoundingClientRect()
    return {
      ...{ widget: size('[part=widget]'), radio: size('input'), title: size('[part=option-title]') },
      overflow: fieldset.scrollWidth - one.clientWidth,
      isWithin: left >= parent.left - 1 && right <= parent.right + 1,
      ...{ fontSize: Number.parseFloat(fontSize), border: borderTopWidth, transform: textTransform }
    }
  })

const withoutTheme = (folder: string) =>
  skip || (!existsSync(join(FOLDER, folder)) && `${folder} is not in the folder that STOREFRONT_THEMES names`)

for (const [what, { folder, open, lines, checkout, ...theme }] of Object.entries(THEMES)) {
  test(`${what} and the element do not disturb each other`, { skip: withoutTheme(folder) }, async () => {
    const shop = await aShop()
    const base = await themeServer(join(FOLDER, folder), theme, shop)
    for (const [look, options] of Object.entries(LOOKS)) {
      const { page, complaints, close } = await visit({ shop: base, reducedMotion: 'reduce', ...options })
      const catalogue = await (await page.request.get(`${base}/products`)).text()
      for (const name of ['Gooseneck kettle', 'Stoneware mug', 'Paper filters']) {
        const [, id] = new RegExp(`<h3>${name}</h3>.*?value="(\\d+)"`, 's').exec(catalogue)!
        await page.request.post(`${base}/cart/add.js`, { data: { items: [{ id, quantity: 1 }] } })
      }
      await page.goto(`${base}/?bare`)
      if (open) await page.evaluate(open)
      const own = complaints.length
      const before = await lookOf(page)
      await page.goto(`${base}/`)
      if (open) await page.evaluate(open)
      const element = page.locator('perennial-cart')
      await element.getByRole('radio').first().waitFor()
      assert.equal(await element.count(), 1)
      const after = await lookOf(page)
      undisturbed(after, before, `${what}, ${look}`)
      const { widget, radio, title, overflow, isWithin, fontSize, border, transform } = await measure(page)
      const measured = JSON.stringify({ widget, radio, title, overflow, isWithin, fontSize, border, transform })
      assert.ok(widget.width >= 200 && isWithin && overflow <= 0, measured)
      assert.ok(radio.width >= 13 && radio.width <= 30 && Math.abs(radio.width - radio.height) < 1, measured)
      assert.ok(fontSize >= 12 && title.height > 0 && border === '0px' && transform === 'none', measured)
      await picture(page, `${folder}-${open ? 'side' : 'page'}-${look}`)
      if (look === 'light') await accessible(page, what, 'perennial-cart')

      await element.getByRole('radio', { name: 'Become VIP' }).check()
      await page.locator(lines).getByText('VIP', { exact: true }).first().waitFor()
      await element.getByText('You save').waitFor()
      assert.equal(await element.getByRole('radio', { name: 'Become VIP' }).isChecked(), true)
      await picture(page, `${folder}-${open ? 'side' : 'page'}-${look}-member`)
      // What the browser says of the theme itself is the theme's.
      assert.equal(complaints.length, 2 * own, complaints.join('\n'))
      await page.locator(checkout).first().click()
      await page.getByRole('heading', { name: 'Checkout' }).waitFor()
      await close()
    }
  })
}

/** The buttons, fields and texts of our elements: all are to be read, and none is wider than its place. */
const MEASURE_ACCOUNT = `(() => {
  const parts = (root) => [...root.querySelectorAll('*')].flatMap((one) => [one, ...(one.shadowRoot ? parts(one.shadowRoot) : [])])
  const ours = [...document.querySelectorAll('perennial-membership, perennial-join')]
  const { left, right } = ours[0].parentElement.getBoundingClientRect()
  return ours.flatMap((one) => parts(one.shadowRoot)).filter((one) => one.checkVisibility() && one.localName !== 'style').map((one) => {
    const box = one.getBoundingClientRect()
    const { fontSize, textTransform, letterSpacing } = getComputedStyle(one)
    return { name: one.localName, part: one.part.value, isWithin: box.left >= left - 1 && box.right <= right + 1, height: box.height,
      fontSize: parseFloat(fontSize), textTransform, letterSpacing }
  })
})()`

for (const [name, { folder, ...theme }] of Object.entries({
  Dawn: THEMES['the page of the cart of Dawn']!,
  Skeleton: THEMES['the page of the cart of Skeleton']!,
  Bootshop: THEMES['the side cart of Bootshop']!
})) {
  test(`the card of a membership, joining and cancelling in ${name}`, { skip: withoutTheme(folder) }, async () => {
    const shop = await aShop()
    const { customer } = await shop.store.member('ada@example.com')
    await service!.deps.settle(shop.store.storeId)
    const base = await themeServer(join(FOLDER, folder), theme, shop)
    for (const [look, options] of Object.entries(LOOKS)) {
      const what = `${name}, ${look}`
      const { page, complaints, close } = await visit({ shop: base, customer: customer.id, ...options })
      await page.goto(`${base}/account?bare`)
      const own = complaints.length
      const before = await lookOf(page)
      await page.goto(`${base}/account`)
      const { button, dialog, reasons } = cancelling(page)
      await button.or(page.locator('perennial-cancel [part~=button]')).first().waitFor()
      undisturbed(await lookOf(page), before, what)
      const parts = (await page.evaluate(MEASURE_ACCOUNT)) as Record<string, any>[]
      assert.ok(parts.length > 10)
      for (const part of parts) {
        assert.ok(
          part.isWithin && part.fontSize >= 12 && part.textTransform === 'none',
          `${what}: ${JSON.stringify(part)}`
        )
        if (part.name === 'button')
          assert.ok(part.height >= 24 && part.height <= 60, `${what}: ${JSON.stringify(part)}`)
      }
      if (look === 'light') await accessible(page, what, 'perennial-membership')
      await picture(page, `${folder}-account-${look}`)
      await page.locator('perennial-cancel [part~=button]').first().click()
      await reasons.waitFor()
      // It is above all of the theme.
      const isAbove = await dialog.evaluate((it: any) => {
        const { left, top, width } = it.getBoundingClientRect()
        return (
          it
            .getRootNode()
            .elementFromPoint(left + width / 2, top + 8)
            ?.closest('dialog') === it
        )
      })
      assert.ok(isAbove, what)
      await picture(page, `${folder}-cancel-${look}`)
      assert.equal(complaints.length, 2 * own, complaints.join('\n'))
      await close()
    }
  })
}
