// The sandbox's storefront page in a real browser: a customer joins, sees the membership and cancels it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Browser } from 'playwright-core'
import { noBrowser, openBrowser } from './browser.ts'
import { beforeDrop, testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { picture } from './storefront-browser.ts'

const { url } = await testDatabase()
const service = await startService(url, { background: true })
let browser: Browser | undefined
beforeDrop(async () => browser?.close())

async function aPage(
  viewport: { width: number; height: number },
  colorScheme: 'light' | 'dark' = 'light',
  javaScriptEnabled = true
) {
  browser ??= await openBrowser()
  return (await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce', javaScriptEnabled })).newPage()
}
const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

test('without scripts a customer joins, sees the membership and cancels it on the storefront', {
  skip: noBrowser
}, async () => {
  const store = await service.aStore()
  const page = await aPage({ width: 1200, height: 900 }, 'light', false)
  await page.goto(`${service.urls.sandbox}/${store.domain}/`)
  await page.getByPlaceholder('name@example.com').fill('ada@example.com')
  await page
    .getByRole('button', { name: /log in|continue|create/i })
    .last()
    .click()
  await page.getByRole('button', { name: /join/i }).first().click()
  await page
    .getByText(/next (billing|payment)/i)
    .first()
    .waitFor()
  await service.deps.settle(store.storeId)
  const { body } = await service.get('/members', store.key)
  assert.deepEqual([body.data[0].customer.email, body.data[0].status], ['ada@example.com', 'active'])

  await page.getByText('Cancel this membership').click()
  await page.getByRole('combobox', { name: 'Why are you leaving?' }).selectOption('too_expensive')
  await page.getByRole('button', { name: 'Cancel membership' }).click()
  await page.getByRole('status').getByText('Your membership is cancelled.').waitFor()
  // On the platform it is paused for as long as the cancellation can be taken back.
  assert.match(await page.locator('#membership, [aria-labelledby=membership]').first().innerText(), /paused/)
  await service.deps.settle(store.storeId)
  const after = await service.get('/subscriptions', store.key)
  assert.deepEqual([after.body.data[0].status, after.body.data[0].cancel_reason], ['cancelled', 'too_expensive'])
})

test('all of an order is in sight on a narrow screen', { skip: noBrowser }, async () => {
  const store = await service.aStore()
  await store.member('ada@example.com')
  const page = await aPage({ width: 380, height: 900 })
  await page.goto(`${service.urls.sandbox}/${store.domain}/`)
  await page.getByRole('button', { name: 'Log in' }).click()
  const orders = page.locator('table.stacked')
  assert.match(await orders.innerText(), /#1001.*VIP.*paid.*\$29\.00/s)
  const right = await orders
    .locator('td')
    .evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().right))
  assert.ok(right.length === 5 && right.every((x) => x <= 380), String(right))
  assert.equal(await orders.locator('..').evaluate((box) => box.scrollWidth - box.clientWidth), 0)
  await page.context().close()
})

test('the cart has all its columns on a narrow screen, with the member price', { skip: noBrowser }, async () => {
  const store = await service.aStore()
  const { data } = await service.admin('GET', `${store.at}/plans`)
  await service.admin('PATCH', `${store.at}/plans/${data[0].id}`, {
    perks: { discount: { type: 'percentage', value: '20' } }
  })
  const { customer } = await store.member('ada@example.com')
  await service.deps.settle(store.storeId)
  const page = await aPage({ width: 390, height: 900 })
  const shop = `${service.urls.sandbox}/${store.domain}`
  await page.context().request.post(`${shop}/session`, { form: { customer: customer.id } })
  await page.goto(`${shop}/products`)
  const [, id] = /<h3>Gooseneck kettle<\/h3>.*?name="variant" value="(\d+)"/s.exec(await page.content())!
  await page.context().request.post(`${shop}/cart/add.js`, { data: { items: [{ id, quantity: 2 }] } })
  await page.goto(`${shop}/cart`)
  const cells = page.locator('#cart tr.line td')
  assert.match(await cells.nth(2).innerText(), /^\$69\.00\s\$55\.20$/)
  const right = await cells.evaluateAll((all) => all.map((cell) => cell.getBoundingClientRect().right))
  assert.ok(right.length === 4 && right.every((x) => x <= 390 - 16), String(right))
  assert.equal(await page.evaluate(overflow), 0)
  await picture(page, 'sandbox-cart-390')
  await page.context().close()
})

test('the button of the membership page keeps its distance, and is as wide as others on a narrow screen', {
  skip: noBrowser
}, async () => {
  const store = await service.aStore()
  await service.deps.settle(store.storeId)
  for (const width of [1280, 390]) {
    const page = await aPage({ width, height: 900 })
    await page.goto(`${service.urls.sandbox}/${store.domain}/membership`)
    const [cards, button] = await Promise.all(
      ['ul.grid', 'a.button'].map(async (selector) => (await page.locator(selector).boundingBox())!)
    )
    assert.ok(button!.y - (cards!.y + cards!.height) >= 12, `${button!.y} below ${cards!.y + cards!.height}`)
    assert.equal(Math.abs(button!.width - cards!.width) < 1, width === 390)
    await page.context().close()
  }
})

for (const path of ['storefront', 'docs'] as const) {
  test(`the ${path} page fits a narrow screen, light and dark, and loads nothing from elsewhere`, {
    skip: noBrowser
  }, async () => {
    const store = await service.aStore()
    const address = path === 'docs' ? `${service.urls.public}/docs` : `${service.urls.sandbox}/${store.domain}/`
    for (const scheme of ['light', 'dark'] as const) {
      const page = await aPage({ width: 360, height: 740 }, scheme)
      const elsewhere: string[] = []
      page.on('request', (request) => {
        if (!request.url().startsWith(new URL(address).origin) && !request.url().startsWith('data:'))
          elsewhere.push(request.url())
      })
      await page.goto(address)
      assert.equal(await page.evaluate(overflow), 0)
      assert.deepEqual(elsewhere, [])
      await page.context().close()
    }
  })
}
