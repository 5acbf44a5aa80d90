// <perennial-cart> in a real browser, in the sandbox's shop as in a theme: settings and plans come by metafields, its file by the app proxy.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { adminOf } from './admin-calls.ts'
import { noBrowser } from './browser.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { visit } from './storefront-browser.ts'
import { until } from './until.ts'

const { url } = await testDatabase()
const service = await startService(url, { background: true })
const { call } = adminOf(service)
const skip = noBrowser

const SIDE_CART = {
  status: 'on',
  cart_drawer_selector: '#side-cart',
  cart_form_selector: '#side-cart-form',
  cart_summary_selector: '.side-cart-summary',
  cart_checkout_btn_selector: '.side-cart-checkout',
  cart_item_row_selector: '.side-cart-row',
  cart_item_price_selector: '.side-cart-price',
  trigger_selector: '[data-open-cart]',
  btn_add_to_cart_selector: '.card button'
}
const CART_PAGE = {
  cart_form_selector: '#cart',
  cart_checkout_btn_selector: '#checkout',
  cart_item_row_selector: '#cart tr.line',
  cart_item_price_selector: '.piece'
}
const PERKS = {
  discount: { type: 'percentage', value: '20' },
  free_shipping: { threshold: { type: 'subtotal', value: '100.00' } }
}

/** A shop that sells VIP, 20 % off, with these settings of its storefront. */
async function aShop(settings: Record<string, object> = {}) {
  const store = await service.aStore()
  const { data } = await service.admin('GET', `${store.at}/plans`)
  await service.admin('PATCH', `${store.at}/plans/${data[0].id}`, { perks: PERKS })
  const set = async (key: string, value: object) => {
    const { status, body } = await call(store, 'PATCH', `/storefront-settings/${key}`, { value })
    assert.equal(status, 200, JSON.stringify(body))
  }
  const all = { svc_cart_page_selector: CART_PAGE, svc_side_cart_selector: SIDE_CART, ...settings }
  for (const [key, value] of Object.entries(all)) await set(key, value)
  await service.deps.settle(store.storeId)
  return { ...store, set, shop: `${service.urls.sandbox}/${store.domain}` }
}
type Shop = Awaited<ReturnType<typeof aShop>>

/** Somebody who has so much of a product in the cart, put there without the page: a new customer, or a visitor. */
async function aShopper(
  { shop, customer: aCustomer }: Shop,
  { email, items = { 'Gooseneck kettle': 1 } }: { email?: string; items?: Record<string, number> } = {},
  options: Partial<Parameters<typeof visit>[0]> = {}
) {
  const customer = email && (await aCustomer(email)).id
  const visitor = await visit({ shop, ...(customer && { customer }), ...options })
  const { page } = visitor
  const catalogue = await (await page.request.get(`${shop}/products`)).text()
  for (const [name, quantity] of Object.entries(items)) {
    const [, id] = new RegExp(`<h3>${name}</h3>.*?name="variant" value="(\\d+)"`, 's').exec(catalogue)!
    const added = await page.request.post(`${shop}/cart/add.js`, { data: { items: [{ id, quantity }] } })
    assert.equal(added.status(), 200, await added.text())
  }
  return {
    ...visitor,
    customer,
    /** What is in the cart of the shop now. */
    async cart() {
      const { items, attributes } = await (await page.request.get(`${shop}/cart.js`)).json()
      return { attributes, items: items.map((item: any) => [item.product_title, item.quantity, item.final_line_price]) }
    }
  }
}

const element = (page: Page, within = 'main') => page.locator(`${within} perennial-cart`)
const radio = (page: Page, name: string, within?: string) => element(page, within).getByRole('radio', { name })
/** What the element says. */
const textOf = (page: Page, within?: string) => element(page, within).locator('[part=widget]').innerText()
/** The line of the membership in the page of the cart. */
const membership = (page: Page) => page.locator('#cart tr.line', { has: page.getByRole('checkbox', { name: 'keep' }) })
const isDefined = (page: Page) => page.evaluate("customElements.whenDefined('perennial-cart').then(() => true)")
const add = (page: Page, product: string) => page.locator('li.card', { hasText: product }).first().getByRole('button')
const checkout = (page: Page) => page.getByRole('link', { name: 'Go to the checkout' })
const KETTLE = ['Gooseneck kettle', 1, 6900]
const AS_MEMBER = [
  ['VIP', 1, 2900],
  ['Gooseneck kettle', 1, 5520]
]

test('a visitor chooses the membership: the cart sells it at its prices, and the checkout makes the contract', {
  skip
}, async () => {
  const shop = await aShop({
    svc_widget_cart_page: {
      ...{ m_title: 'Become {plan_name} for {price}', r_title: 'Just this once', enable_progress_bar: 1 },
      ...{ progress_bar_title: 'Your perks', cart_disclaimer: 'Renews each month', cart_default_PAYG: 1 }
    }
  })
  const { page, complaints, cart, close } = await aShopper(shop, { email: 'ada@example.com' })
  await page.goto(`${shop.shop}/cart`)
  await radio(page, 'Just this once').waitFor()
  assert.equal(await radio(page, 'Just this once').isChecked(), true)
  assert.deepEqual((await cart()).items, [KETTLE])
  const said = await element(page).locator('label').allInnerTexts()
  assert.match(said[0]!, /^Become VIP for \$29\.00\s.*\$55\.20.*\$69\.00.*VIP: \$29\.00 \/ month$/s)
  assert.match(said[1]!, /^Just this once\s+Products \$69\.00$/)

  await radio(page, 'Become VIP for $29.00').check()
  await membership(page).waitFor()
  assert.deepEqual((await cart()).items, AS_MEMBER)
  assert.equal(await radio(page, 'Become VIP for $29.00').isChecked(), true)
  assert.equal(await element(page).getByRole('status').innerText(), 'In your cart: VIP')
  assert.equal(await element(page).getByRole('progressbar').getAttribute('aria-valuenow'), '55')
  assert.match(await textOf(page), /You save \$13\.80\s.*Your perks\s+\$44\.80 more: Free shipping.*Renews each month/s)
  // The page around it was made anew, and yet it has the focus.
  assert.equal(await page.evaluate('document.activeElement.localName'), 'perennial-cart')
  assert.equal(await element(page).count(), 1)
  // It looks as before, too.
  const rules = (one: any) => one.shadowRoot.adoptedStyleSheets.flatMap((sheet: any) => [...sheet.cssRules]).length
  assert.ok((await element(page).evaluate(rules)) > 0)

  await checkout(page).click()
  await page.getByRole('button', { name: 'Pay' }).click()
  await page.getByText('Your membership has started').waitFor()
  await service.deps.settle(shop.storeId)
  const { body } = await service.get('/subscriptions', shop.key)
  assert.deepEqual([body.data.length, body.data[0].status, body.data[0].price], [1, 'active', 29])
  assert.deepEqual(complaints, [])
  await close()
})

test('a plan that saves nothing in this cart is named, and no savings are promised', { skip }, async () => {
  const shop = await aShop({ svc_widget_cart_page: { m_title: 'Save {savings} with {plan_name}' } })
  const { page, complaints, close } = await aShopper(shop)
  await page.goto(`${shop.shop}/cart`)
  await radio(page, 'Save $13.80 with VIP').waitFor()
  const { data } = await service.admin('GET', `${shop.at}/plans`)
  await service.admin('PATCH', `${shop.at}/plans/${data[0].id}`, { perks: { ...PERKS, discount: null } })
  await service.deps.settle(shop.storeId)
  await page.reload()
  await radio(page, 'VIP').waitFor()
  assert.doesNotMatch(await textOf(page), /\$0\.00|Save/)
  assert.deepEqual(complaints, [])
  await close()
})

test('the first choice is only shown, until somebody presses the button or chooses', { skip }, async () => {
  const shop = await aShop({ svc_widget_cart_page: { m_checkout_btn_name: 'Join {plan_name}' } })
  const { page, complaints, cart, close } = await aShopper(shop, { email: 'ada@example.com' })
  await page.goto(`${shop.shop}/cart`)
  await radio(page, 'VIP').waitFor()
  assert.equal(await radio(page, 'VIP').isChecked(), true)
  // Time for what would put it into the cart.
  await page.waitForLoadState('networkidle')
  assert.deepEqual((await cart()).items, [KETTLE])
  await checkout(page).click()
  await page.getByRole('button', { name: 'Pay' }).waitFor()
  assert.doesNotMatch(await page.locator('main').innerText(), /VIP\s+1\s/)

  await page.goto(`${shop.shop}/cart`)
  await element(page).getByRole('button', { name: 'Join VIP' }).click()
  await page.getByRole('button', { name: 'Pay' }).waitFor()
  assert.deepEqual((await cart()).items, AS_MEMBER)
  assert.deepEqual(complaints, [])
  await close()
})

test('pay as you go takes the membership out again, is kept in the visit, and so is its removal in the theme', {
  skip
}, async () => {
  const shop = await aShop()
  const { page, complaints, cart, close } = await aShopper(shop)
  await page.goto(`${shop.shop}/cart`)
  const line = membership(page)
  // The first choice is checked already: it is chosen by the button, or after the other one.
  await radio(page, 'Pay as you go').check()
  await radio(page, 'VIP').check()
  await line.waitFor()
  await radio(page, 'Pay as you go').check()
  await line.waitFor({ state: 'detached' })
  assert.equal(await element(page).getByRole('status').innerText(), 'No longer in your cart: VIP')
  assert.deepEqual((await cart()).items, [KETTLE])
  await page.reload()
  await radio(page, 'VIP').waitFor()
  assert.equal(await radio(page, 'Pay as you go').isChecked(), true)

  await radio(page, 'VIP').check()
  await line.waitFor()
  await page.getByRole('checkbox', { name: 'keep' }).uncheck()
  await page.getByRole('button', { name: 'Update cart' }).click()
  await line.waitFor({ state: 'detached' })
  await radio(page, 'VIP').waitFor()
  assert.equal(await radio(page, 'Pay as you go').isChecked(), true)
  assert.equal(await element(page).getByRole('button').count(), 0)
  assert.deepEqual((await cart()).items, [KETTLE])

  // Taken out behind the page, before it is loaded again: in another tab, or by a script of the theme.
  await radio(page, 'VIP').check()
  await line.waitFor()
  await page.request.post(`${shop.shop}/cart/change.js`, { data: { line: 1, quantity: 0 } })
  await page.reload()
  await radio(page, 'VIP').waitFor()
  assert.equal(await radio(page, 'Pay as you go').isChecked(), true)

  // A theme that takes it out without leaving the page.
  await radio(page, 'VIP').check()
  await line.waitFor()
  const removed = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"line":1,"quantity":0}' }
  await page.evaluate(
    `fetch("${shop.shop}/cart/change.js", ${JSON.stringify(removed)}).then((answer) => answer.json())`
  )
  await until('it is paid as you go', () => radio(page, 'Pay as you go').isChecked())
  await page.reload()
  await radio(page, 'VIP').waitFor()
  assert.equal(await radio(page, 'Pay as you go').isChecked(), true)
  assert.deepEqual((await cart()).items, [KETTLE])
  assert.deepEqual(complaints, [])
  await close()
})

test('whoever chooses quickly gets what they chose last', { skip }, async () => {
  const shop = await aShop()
  const { page, cart, close } = await aShopper(shop)
  await page.goto(`${shop.shop}/cart`)
  await radio(page, 'Pay as you go').check()
  for (const name of ['VIP', 'Pay as you go', 'VIP', 'Pay as you go', 'VIP']) await radio(page, name).check()
  await page.locator('perennial-cart [aria-busy=false]').waitFor()
  await page.waitForLoadState('networkidle')
  assert.deepEqual((await cart()).items, AS_MEMBER)
  assert.equal(await radio(page, 'VIP').isChecked(), true)
  await close()
})

test('a member sees the texts for members, the credit and what they save, and chooses nothing', { skip }, async () => {
  const ofMember = {
    subtitle: 'Welcome back, {plan_name}',
    m_body: '{credit} to spend',
    m_checkout_btn_name: 'Pay now'
  }
  const shop = await aShop({ svc_widget_cart_page_member: ofMember, svc_widget_cart_page: { subtitle: 'Not for you' } })
  const { customer } = await shop.member('ada@example.com')
  await service.deps.settle(shop.storeId)
  const [{ id }] = (await service.get('/members', shop.key)).body.data
  await service.post(`/store-credits/${id.replace('mem', 'cust')}/add`, shop.key, { amount: 12.5, reason: 'Thanks' })
  await service.deps.settle(shop.storeId)
  const { page, complaints, close } = await aShopper(shop, {}, { customer: customer.id })
  await page.goto(`${shop.shop}/cart`)
  await element(page).getByText('Welcome back, VIP').waitFor()
  const text = await textOf(page)
  assert.match(
    text,
    /\$12\.50 to spend\s+Products \$55\.20.*\$69\.00\s+You save \$13\.80\s+Store credit: \$12\.50\s+Pay now/s
  )
  assert.doesNotMatch(text, /Not for you/)
  assert.equal(await element(page).getByRole('radio').count(), 0)
  await shop.set('svc_widget_cart_page', { hide_st: 'on' })
  await service.deps.settle(shop.storeId)
  await page.reload()
  await element(page).getByText('You save').waitFor()
  assert.doesNotMatch(await textOf(page), /Store credit/)
  await element(page).getByRole('button', { name: 'Pay now' }).click()
  await page.getByRole('button', { name: 'Pay', exact: true }).waitFor()
  assert.deepEqual(complaints, [])
  await close()
})

test('the side cart has it, also after the theme has made it anew, with the prices of members beside those of items', {
  skip
}, async () => {
  const shop = await aShop()
  const { page, complaints, cart, close } = await aShopper(shop, { items: {} })
  await page.goto(`${shop.shop}/products`)
  await add(page, 'Gooseneck kettle').click()
  const drawer = page.locator('#side-cart')
  await radio(page, 'VIP', '#side-cart').waitFor()
  await drawer.getByText('VIP price: $55.20').waitFor()
  assert.equal(await page.locator('main perennial-cart').count(), 0)

  await radio(page, 'Pay as you go', '#side-cart').check()
  await radio(page, 'VIP', '#side-cart').check()
  await drawer.locator('.side-cart-row').nth(1).waitFor()
  assert.deepEqual((await cart()).items, AS_MEMBER)
  await drawer.getByText('$55.20').first().waitFor()
  assert.match(await page.getByRole('navigation').innerText(), /Cart \(2\)/)
  assert.equal(await drawer.evaluate((it: any) => it.open), true)
  assert.equal(await drawer.getByText('VIP price').count(), 0)

  // A change of the theme's own: it makes the whole drawer anew.
  await drawer.getByLabel('Quantity').last().fill('2')
  await drawer.getByLabel('Quantity').last().press('Tab')
  await drawer.getByText('$110.40').first().waitFor()
  await element(page, '#side-cart').getByText('You save $27.60').waitFor()
  assert.equal(await element(page, '#side-cart').count(), 1)
  assert.equal(await radio(page, 'VIP', '#side-cart').isChecked(), true)

  // The same once more, without a request.
  await drawer.evaluate((it: any) => {
    const copy = it.cloneNode(true)
    for (const one of copy.querySelectorAll('perennial-cart')) one.remove()
    it.innerHTML = copy.innerHTML
  })
  await element(page, '#side-cart').getByText('You save $27.60').waitFor()
  assert.equal(await radio(page, 'VIP', '#side-cart').isChecked(), true)
  assert.deepEqual(complaints, [])
  await close()
})

test('what was not in the cart when the page was made is priced as soon as it is known', { skip }, async () => {
  const shop = await aShop()
  const { page, close } = await aShopper(shop)
  await page.goto(`${shop.shop}/products`)
  await add(page, 'Micro lot, numbered').click()
  // The lot has no member price: 69.00 less 20 %, and 45.00.
  await element(page, '#side-cart').getByText('$100.20').waitFor()
  await element(page, '#side-cart').getByText('$114.00').first().waitFor()
  await close()
})

/** What a page shows and where its checkout leads, without the element. */
async function withoutElement(page: Page) {
  return page.evaluate(`(() => {
    const copy = document.body.cloneNode(true)
    for (const one of copy.querySelectorAll('perennial-cart, perennial-price, script')) one.remove()
    return copy.innerHTML.replace(/\\s+/g, ' ')
  })()`)
}

for (const [what, key, whole] of [
  ['the page of the cart', 'svc_cart_page_selector', CART_PAGE],
  ['the side cart', 'svc_side_cart_selector', SIDE_CART]
] as const) {
  test(`${what} is as without the element where a selector is missing, finds nothing or cannot be read`, {
    skip
  }, async () => {
    const shop = await aShop()
    const path = key === 'svc_cart_page_selector' ? '/cart' : '/products'
    const { page, complaints, close } = await aShopper(shop)
    // A theme that places none itself.
    await page.route(`${shop.shop}${path}`, async (route) => {
      const response = await route.fetch()
      await route.fulfill({
        response,
        body: (await response.text()).replace(/<perennial-cart>.*?<\/perennial-cart>/s, '')
      })
    })
    await page.goto(`${shop.shop}${path}`)
    const where = path === '/cart' ? 'main' : '#side-cart'
    await element(page, where).waitFor({ state: 'attached' })
    const asIs = await withoutElement(page)
    const needed =
      path === '/cart' ? ['cart_form_selector', 'cart_checkout_btn_selector'] : ['cart_drawer_selector', 'status']
    for (const name of Object.keys(whole)) {
      for (const wrong of name === 'status' ? ['off'] : ['', '.nothing', ':is(', 'p:hover::before >']) {
        if (wrong.includes('>') && name !== 'cart_form_selector') continue
        await shop.set(key, { ...whole, [name]: wrong })
        await service.deps.settle(shop.storeId)
        await page.goto(`${shop.shop}${path}`)
        await isDefined(page)
        assert.equal(await withoutElement(page), asIs, `${name} ${wrong}`)
        if (needed.includes(name)) assert.equal(await element(page, where).count(), 0, `${name} ${wrong}`)
      }
    }
    assert.deepEqual(complaints, [])
    if (path === '/cart') {
      await checkout(page).click()
      await page.getByRole('heading', { name: 'Checkout' }).waitFor()
    }
    await close()
  })
}

test('whatever the cart API does, it is said, the cart stays, and the checkout works', { skip }, async () => {
  const shop = await aShop({ svc_widget_cart_page: { cart_default_PAYG: 1 } })
  const { page, complaints, cart, close } = await aShopper(shop, { email: 'ada@example.com' })
  const answers = {
    'it is away': { abort: true },
    'it refuses': { status: 422, body: '{"status":422,"message":"Cart Error","description":"VIP is sold out."}' },
    'it fails': { status: 500, body: 'Internal Server Error' },
    'it answers with a page': { status: 200, body: '<html></html>' }
  }
  for (const [what, answer] of Object.entries(answers)) {
    await page.unrouteAll()
    await page.route(/\/cart\/(add|change|update)\.js/, (route) =>
      'abort' in answer ? route.abort() : route.fulfill(answer)
    )
    await page.goto(`${shop.shop}/cart`)
    await radio(page, 'VIP').check()
    await element(page).getByText('The cart could not be changed. Check out as it is, or try again.').waitFor()
    assert.equal(await radio(page, 'Pay as you go').isChecked(), true, what)
    if (what === 'it refuses') assert.match(await element(page).getByRole('status').innerText(), /VIP is sold out\.$/)
    assert.deepEqual((await cart()).items, [KETTLE], what)
    await checkout(page).click()
    await page.getByRole('button', { name: 'Pay' }).waitFor()
  }
  // One that never answers: nobody waits for it.
  await page.unrouteAll()
  await page.route(/\/cart(\/\w+)?\.js/, () => {})
  await page.goto(`${shop.shop}/cart`)
  await radio(page, 'VIP').check()
  await checkout(page).click()
  await page.getByRole('button', { name: 'Pay' }).click()
  await page.getByText('Thank you!').waitFor()
  // The browser itself notes what did not arrive.
  assert.deepEqual(
    complaints.filter((one) => !one.startsWith('Failed to load resource')),
    []
  )
  await close()
})

test('a shop without the file, or with a theme that has printed nothing, has its own cart', { skip }, async () => {
  const shop = await aShop()
  const { page, complaints, close } = await aShopper(shop)
  await page.route(/perennial-cart/, (route) => route.abort())
  await page.goto(`${shop.shop}/cart`)
  await page.getByRole('heading', { name: 'With a membership' }).waitFor()
  await page.unrouteAll()
  await page.route(`${shop.shop}/cart`, async (route) => {
    const response = await route.fetch()
    await route.fulfill({
      response,
      body: (await response.text()).replace(/data-perennial-cart>/, 'data-perennial-cart>{')
    })
  })
  await page.goto(`${shop.shop}/cart`)
  await isDefined(page)
  await page.locator('perennial-cart').getByRole('button').click()
  await membership(page).waitFor()
  assert.deepEqual(
    complaints.filter((one) => !one.startsWith('Failed to load resource')),
    []
  )
  await close()
})

test('a theme that takes the element out as often as it is put in is left alone', { skip }, async () => {
  const shop = await aShop()
  const { page, complaints, close } = await aShopper(shop)
  const fight = `window.taken = 0; new MutationObserver(() => {
    for (const one of document.querySelectorAll('#side-cart perennial-cart')) { one.remove(); window.taken++ }
  }).observe(document, { childList: true, subtree: true })`
  await page.addInitScript(fight)
  await page.goto(`${shop.shop}/products`)
  await until('it is taken out', async () => Number(await page.evaluate('window.taken')) >= 20)
  const taken = await page.evaluate('window.taken')
  // Twice as long as it waits before it looks again.
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 200))')
  assert.ok(Number(await page.evaluate('window.taken')) - Number(taken) <= 2)
  await add(page, 'Hand grinder').click()
  await page.locator('#side-cart .side-cart-row', { hasText: 'Hand grinder' }).waitFor()
  assert.deepEqual(complaints, [])
  await close()
})

test('the terms are agreed to before the membership is in the cart, and the contract has what was agreed to', {
  skip
}, async () => {
  const shop = await aShop({
    svc_agreement: { agreement_enabled: 1 },
    svc_widget_cart_page: { cart_disclaimer: 'I pay {price} each month.', cart_default_PAYG: 1 }
  })
  const { page, complaints, cart, close } = await aShopper(shop, { email: 'ada@example.com' })
  await page.goto(`${shop.shop}/cart`)
  await radio(page, 'VIP').check()
  await element(page).getByText('Agree to the terms of the membership first.').waitFor()
  assert.deepEqual((await cart()).items, [KETTLE])
  const box = element(page).getByRole('checkbox', { name: 'I pay $29.00 each month.' })
  await element(page).getByRole('button', { name: 'Join and check out' }).click()
  await until('the focus is on the terms', () => box.evaluate((it: any) => it.getRootNode().activeElement === it))
  await page.keyboard.press('Space')
  await membership(page).waitFor()
  assert.deepEqual(await cart(), { items: AS_MEMBER, attributes: { svc_agreement: 'I pay $29.00 each month.' } })
  await box.uncheck()
  await membership(page).waitFor({ state: 'detached' })
  assert.deepEqual(await cart(), { items: [KETTLE], attributes: {} })
  await box.check()
  await membership(page).waitFor()
  await checkout(page).click()
  await page.getByRole('button', { name: 'Pay' }).click()
  await page.getByText('Your membership has started').waitFor()
  await service.deps.settle(shop.storeId)
  const [{ id }] = (await service.get('/subscriptions', shop.key)).body.data
  const { data } = await service.admin('GET', `${shop.at}/subscriptions/${id}/activity`)
  assert.ok(
    data.some(({ notes }: any) => notes === 'I pay $29.00 each month.'),
    JSON.stringify(data)
  )
  assert.deepEqual(complaints, [])
  await close()
})

test('what was agreed to goes with the membership, once: box, pay as you go, the theme, a reload and a refusal', {
  skip
}, async () => {
  const shop = await aShop({
    svc_agreement: { agreement_enabled: 1 },
    svc_widget_cart_page: { cart_disclaimer: 'I pay {price} each month.' }
  })
  const { page, complaints, cart, close } = await aShopper(shop)
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/cart/update.js')) sent.push(request.postDataJSON().attributes.svc_agreement)
  })
  const box = element(page).getByRole('checkbox')
  /** Four times as long as the element waits before it looks at the cart again. */
  const wouldSayAgain = () => page.evaluate('new Promise((resolve) => setTimeout(resolve, 200))')
  /** With the membership chosen the box alone puts it into the cart, and the element's own button goes away. */
  const join = async (isChosen = true) => {
    await box.check()
    if (isChosen) await membership(page).waitFor()
    await (isChosen ? checkout(page) : element(page).getByRole('button', { name: 'Join and check out' })).click()
    await page.getByRole('heading', { name: 'Checkout' }).waitFor()
    assert.deepEqual(await cart(), { items: AS_MEMBER, attributes: { svc_agreement: 'I pay $29.00 each month.' } })
    await page.goto(`${shop.shop}/cart`)
    await box.waitFor()
    assert.equal(await box.isChecked(), true)
    assert.deepEqual(sent.splice(0), ['I pay $29.00 each month.'])
  }
  /** There is no membership and no agreement, which was sent once. */
  const isWithout = async (what: string) => {
    await until(`${what}: it is gone`, async () => Object.keys((await cart()).attributes).length === 0)
    await wouldSayAgain()
    assert.deepEqual(await cart(), { items: [KETTLE], attributes: {} }, what)
    assert.deepEqual(sent.splice(0), [''], what)
  }
  await page.goto(`${shop.shop}/cart`)
  await box.check()
  await wouldSayAgain()
  assert.deepEqual(sent, [], 'nothing is agreed to before the membership is chosen')

  await join(false)
  await radio(page, 'Pay as you go').check()
  await isWithout('pay as you go')
  await membership(page).waitFor({ state: 'detached' })
  await radio(page, 'VIP').check()
  assert.equal(await box.isChecked(), false)

  await join()
  await box.uncheck()
  await isWithout('the box')

  await join()
  await page.getByRole('checkbox', { name: 'keep' }).uncheck()
  await page.getByRole('button', { name: 'Update cart' }).click()
  await isWithout('the theme, and a reload')
  assert.equal(await radio(page, 'Pay as you go').isChecked(), true)
  await radio(page, 'VIP').check()

  await join()
  const removed = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"line":1,"quantity":0}' }
  await page.evaluate(`fetch("${shop.shop}/cart/change.js", ${JSON.stringify(removed)}).then((one) => one.json())`)
  await isWithout('the theme, by a script')
  await page.reload()
  await radio(page, 'VIP').check()

  await page.route(/\/cart\/add\.js/, (route) => route.fulfill({ status: 422, body: '{"description":"Sold out."}' }))
  await box.check()
  await element(page).getByText('Sold out.').waitFor()
  await until('both are sent', async () => sent.length === 2)
  sent.shift()
  await isWithout('a refusal')

  // A cart of before, which a shop does not change: it is not asked again and again.
  await page.request.post(`${shop.shop}/cart/update.js`, { data: { attributes: { svc_agreement: 'of before' } } })
  await page.route(/\/cart\/update\.js/, (route) => route.fulfill({ status: 422, body: '{}' }))
  await page.reload()
  await until('it is sent', async () => sent.length > 0)
  await wouldSayAgain()
  assert.deepEqual(sent.splice(0), [''])
  assert.deepEqual(
    complaints.filter((one) => !one.startsWith('Failed to load resource')),
    []
  )
  await close()
})

test('a product that is sold as a subscription too can be bought either way, unless hide_sp hides it', {
  skip
}, async () => {
  const shop = await aShop()
  const { page, complaints, cart, close } = await aShopper(shop)
  const [item] = (await (await page.request.get(`${shop.shop}/cart.js`)).json()).items
  await service.admin('POST', `${shop.at}/plans`, {
    ...{ name: 'Kettle club', type: 'product', price: '60.00', interval: 'month' },
    product_ids: [String(item.product_id)]
  })
  await service.deps.settle(shop.storeId)
  await page.goto(`${shop.shop}/cart`)
  const how = element(page).getByRole('combobox', { name: 'How to buy: Gooseneck kettle' })
  assert.deepEqual(await how.locator('option').allInnerTexts(), ['Once', 'Kettle club'])
  await how.selectOption('Kettle club')
  await page.locator('#cart').getByRole('checkbox', { name: 'keep' }).waitFor()
  assert.equal((await cart()).items.length, 1)
  assert.notDeepEqual((await cart()).items, [KETTLE])
  await how.selectOption('Once')
  await page.locator('#cart').getByRole('spinbutton').waitFor()
  assert.deepEqual((await cart()).items, [KETTLE])
  await shop.set('svc_widget_cart_page', { hide_sp: 'on' })
  await service.deps.settle(shop.storeId)
  await page.reload()
  await radio(page, 'VIP').waitFor()
  assert.equal(await how.count(), 0)
  assert.deepEqual(complaints, [])
  await close()
})

test('a theme may keep a choice from being carried out, and show the cart itself', { skip }, async () => {
  const shop = await aShop()
  const { page, cart, close } = await aShopper(shop)
  await page.goto(`${shop.shop}/cart`)
  await page.evaluate(`
    window.told = []
    addEventListener('perennial-cart-choose', (event) => {
      window.told.push(event.detail.choice)
      if (window.told.length === 1) event.preventDefault()
    })
    document.addEventListener('perennial-cart-change', (event) => {
      event.preventDefault()
      window.told.push(event.detail.cart.items.length)
    })`)
  await radio(page, 'Pay as you go').click()
  assert.equal(await radio(page, 'VIP').isChecked(), true)
  await radio(page, 'Pay as you go').click()
  await radio(page, 'VIP').click()
  await until('all is told', async () => (await page.evaluate('window.told.length')) === 4)
  assert.deepEqual(await page.evaluate('window.told'), ['payg', 'payg', 'vip', 2])
  assert.deepEqual((await cart()).items, AS_MEMBER)
  // The theme of the test shows nothing.
  assert.equal(await page.locator('#cart tr.line').count(), 1)
  await close()
})
