// How <perennial-cart> looks and is used, in a real browser with a page of our own: prices of carts at random, the keyboard, screen readers,
// languages, and what moves when it arrives.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Page } from 'playwright-core'
import { type Perks, priceCart } from '#plans/pricing'
import { cart as someCart, context as someContext } from '../src/plans/pricing/carts.test-helper.ts'
import { formatsFor } from '../web/storefront/cart/formats.ts'
import { noBrowser } from './browser.ts'
import { testDatabase } from './database.ts'
import { cartWith, printedCart, printedCustomer, printedPlan } from './printed-cart.ts'
import { accessible, picture, type Visit, visit } from './storefront-browser.ts'
import { files, KETTLE, openTheme as open, SHOP, themePage as theme } from './theme-page.ts'

// The browser is closed with the database of a test.
await testDatabase()
const skip = noBrowser
const PERKS: Perks = {
  discount: {
    reduction: { type: 'percentage', percent: 20 },
    scope: { appliesTo: 'all' },
    steps: [{ quantity: 3, type: 'percentage', percent: 30 }],
    ...{ priceBase: 'sale', stackWithSubscriptions: false }
  },
  freeShipping: { countries: [], message: null, methodName: null, threshold: { type: 'subtotal', amountMinor: 10_000 } }
}
const WIDGET = {
  ...{ subtitle: 'Buy with {plan_name}?', m_title: 'Become {plan_name}', m_subtitle: 'Save {savings} today' },
  ...{
    m_body: 'Lower prices on everything.\nFree shipping sooner.',
    r_title: 'Just this once',
    r_body: 'At the usual prices.'
  },
  ...{
    enable_progress_bar: 1,
    progress_bar_title: 'Your perks',
    cart_disclaimer: 'I pay {price} each month until I cancel.'
  }
}
/** A shop with a plan and all of its texts. */
const full = (more: object = {}) => ({
  ...{ root: '/', locale: 'en', country: 'AT', currency: 'EUR', customer: null },
  cart: { token: 't', currency: 'EUR', items: [KETTLE] },
  variants: { 50: { tags: [], collections: [], compare_at: null, plans: [{ id: 3, name: 'Every month' }] } },
  metafields: {
    svc_plan_settings: printedPlan('vip', { label: 'VIP', perks: PERKS }, 'EUR'),
    svc_widget_cart_page: WIDGET,
    svc_agreement: { agreement_enabled: 1 }
  },
  ...more
})
const radios = (page: Page) => page.locator('perennial-cart').getByRole('radio')

test('the built file shows for carts at random what the service says that they cost', { skip }, async () => {
  const carts = fc.sample(fc.tuple(someCart, someContext), { numRuns: 60, seed: 11 })
  let compared = 0
  const { page, complaints, close } = await open(full())
  for (const [given, { plans, member }] of carts) {
    const products = printedCart(given, 'EUR')
    if (products.cart.items.length === 0 || member?.activeTiers.length) continue
    const metafields = {
      svc_plan_settings: printedPlan('vip', plans.vip, 'EUR'),
      svc_plan_settings2: printedPlan('elite', plans.elite, 'EUR')
    }
    const printed = { ...full(), ...products, country: given.country, customer: printedCustomer(member), metafields }
    await page.unrouteAll()
    await page.route(`${SHOP}/**`, (route) => {
      const script = files.get(new URL(route.request().url()).pathname.slice(1))
      return script
        ? route.fulfill({ contentType: 'text/javascript', body: script })
        : route.fulfill({ contentType: 'text/html', body: theme(printed) })
    })
    await page.goto(`${SHOP}/`)
    await page.waitForFunction("customElements.get('perennial-cart')")
    const { money } = formatsFor('en', 'EUR', 'EUR')
    const tiers = (['vip', 'elite'] as const).filter((tier) => plans[tier] !== null)
    const expected = (tiers.length > 0 ? [...tiers, null] : []).map((tier) => {
      const { lines } = priceCart(cartWith(given, tier), { plans, member })
      return money(lines.slice(0, products.cart.items.length).reduce((sum, line) => sum + line.totalMinor, 0))
    })
    assert.deepEqual(await page.locator('perennial-cart label [part=price]').allInnerTexts(), expected)
    compared += expected.length
  }
  assert.ok(compared > 60, String(compared))
  assert.deepEqual(complaints, [])
  await close()
})

const LOOKS: Record<string, Partial<Visit> & { lang?: string; dir?: string; more?: object }> = {
  light: {},
  dark: { colorScheme: 'dark' },
  narrow: { viewport: { width: 320, height: 900 } },
  'right to left': { lang: 'ar', dir: 'rtl', more: { locale: 'ar' } },
  'forced colours': { forcedColors: 'active' },
  'of a member': {
    more: { customer: { tags: ['SVC: VIP: Active'], svc_st: '12.00', customer_subscription1: { scid: 7 } } }
  }
}
for (const [what, { more = {}, ...options }] of Object.entries(LOOKS)) {
  test(`it is readable for everybody: ${what}`, { skip }, async () => {
    const { page, complaints, close } = await open(full(more), { reducedMotion: 'reduce', ...options })
    await page.locator('perennial-cart [role=progressbar]').first().waitFor()
    if (await radios(page).count()) await radios(page).first().click()
    await accessible(page, what)
    assert.equal(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'), 0)
    // Texts of the shop run their own way, and begin where those of the page do.
    const astray = await page.evaluate(`(() => {
      const all = document.querySelector('perennial-cart').shadowRoot
      const edge = '${options.dir === 'rtl' ? 'right' : 'left'}'
      const begin = all.querySelector('fieldset').getBoundingClientRect()[edge]
      return [...all.querySelectorAll(':is(legend, p) bdi')]
        .filter((one) => one.textContent && Math.abs(one.getBoundingClientRect()[edge] - begin) > 1)
        .map((one) => one.textContent)
    })()`)
    assert.deepEqual(astray, [])
    const transition =
      "getComputedStyle(document.querySelector('perennial-cart').shadowRoot.querySelector('i')).transitionDuration"
    assert.equal(await page.evaluate(transition), '0s')
    await picture(page, `cart-${what.replaceAll(' ', '-')}`)
    assert.deepEqual(complaints, [])
    await close()
  })
}

test('English words run from left to right in a page that runs the other way', { skip }, async () => {
  const { page, close } = await open(full(), { lang: 'he', dir: 'rtl' })
  const milestone = page.locator('perennial-cart [part~=milestone]').first()
  await milestone.getByText('more: Free shipping').waitFor()
  const [amount, words] = (await milestone.evaluate((one: any) => {
    const text = one.querySelector('bdi').firstChild
    return [/[\d.]+/, /more/].map((part) => {
      const { index, 0: found } = part.exec(text.data)!
      const range = one.ownerDocument.createRange()
      range.setStart(text, index)
      range.setEnd(text, index + found.length)
      return range.getBoundingClientRect().left
    })
  })) as [number, number]
  assert.ok(amount < words, `${amount} ${words}`)
  // It begins where the page does.
  const gap = await milestone.evaluate((one: any) => {
    const range = one.ownerDocument.createRange()
    range.selectNodeContents(one.querySelector('bdi'))
    return one.getBoundingClientRect().right - range.getBoundingClientRect().right
  })
  assert.ok(Math.abs(gap) < 1, `${gap}`)
  await close()
})

test('everything is done with the keyboard, and said where it is asked for', { skip }, async () => {
  const { page, close } = await open(full())
  await radios(page).first().waitFor()
  await page.keyboard.press('Tab')
  const focused = () =>
    page.evaluate('document.activeElement.shadowRoot?.activeElement?.value ?? document.activeElement.id')
  assert.equal(await focused(), 'vip')
  await page.keyboard.press('ArrowDown')
  assert.equal(await focused(), 'payg')
  assert.equal(await radios(page).nth(1).isChecked(), true)
  await page.keyboard.press('ArrowUp')
  // That the terms come first is said. Who is choosing goes on choosing.
  await page.getByRole('status').filter({ hasText: 'Agree to the terms of the membership first.' }).waitFor()
  await page.locator('perennial-cart [aria-busy=false]').waitFor()
  assert.equal(await focused(), 'vip')
  await page.keyboard.press('ArrowDown')
  assert.equal(await focused(), 'payg')
  await page.keyboard.press('ArrowUp')
  // Who goes on without the terms is taken to them.
  await page.getByRole('button', { name: 'Join and check out' }).press('Enter')
  await page.waitForFunction("document.activeElement.shadowRoot.activeElement.type === 'checkbox'")
  const name = await page.getByRole('radio').first().getAttribute('aria-labelledby')
  assert.equal(await page.locator(`perennial-cart #${name}`).innerText(), 'Become VIP')
  assert.equal(await page.getByRole('group', { name: 'Buy with VIP?' }).count(), 1)
  assert.equal(
    await page.getByRole('progressbar', { name: '€44.80 more: Free shipping' }).getAttribute('aria-valuenow'),
    '55'
  )
  await close()
})

test('nothing moves when it arrives in the room that the page keeps', { skip }, async () => {
  for (const lang of ['en', 'de']) {
    const { page, close } = await open(
      full({ locale: lang, metafields: { ...full().metafields, svc_agreement: null } }),
      {
        script: `window.shifts = []; new PerformanceObserver((list) => window.shifts.push(...list.getEntries().map((one) => one.value)))
        .observe({ type: 'layout-shift', buffered: true })`
      }
    )
    await radios(page).first().waitFor()
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
    assert.deepEqual(await page.evaluate('window.shifts'), [], lang)
    await close()
  }
})

for (const [lang, join] of Object.entries({
  ...{ de: 'Mitglied werden und zur Kasse', fr: 'S’abonner et passer commande', es: 'Hacerse miembro y pagar' },
  ...{ it: 'Abbonarsi e andare alla cassa', nl: 'Lid worden en afrekenen', pt: 'Aderir e finalizar a compra' },
  ...{
    pl: 'Dołącz i przejdź do kasy',
    sv: 'Bli medlem och gå till kassan',
    ja: '入会して購入手続きへ',
    ar: 'انضم وأكمل الشراء'
  }
})) {
  test(`it speaks ${lang}, without what the theme says otherwise`, { skip }, async () => {
    const { page, complaints, close } = await open(
      full({
        locale: `${lang}-XX`,
        words: { pay_as_you_go: 'As it is' },
        metafields: {
          ...full().metafields,
          svc_widget_cart_page: {},
          svc_agreement: null
        }
      })
    )
    await page.getByRole('button', { name: join }).waitFor()
    await page.getByRole('radio', { name: 'As it is' }).waitFor()
    assert.deepEqual(complaints, [])
    await close()
  })
}

test('a language that does not come is English', { skip }, async () => {
  const { page, close } = await visit({ shop: SHOP }).then(async (visitor) => {
    await visitor.page.route(`${SHOP}/**`, (route) => {
      const name = new URL(route.request().url()).pathname.slice(1)
      if (/perennial-cart\.de/.test(name)) return route.abort()
      const script = files.get(name)
      return script
        ? route.fulfill({ contentType: 'text/javascript', body: script })
        : route.fulfill({ contentType: 'text/html', body: theme(full({ locale: 'de' })) })
    })
    await visitor.page.goto(`${SHOP}/`)
    return visitor
  })
  await page.getByRole('button', { name: 'Join and check out' }).waitFor()
  await close()
})
