// <perennial-cancel> in a real browser, in the sandbox's shop: its steps, the switch that leaves them out, and a service that is away.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from './browser.ts'
import { beforeDrop, testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { startServiceHere } from './service-here.ts'
import { freePort } from './service-process.ts'
import { accessible, picture, visit } from './storefront-browser.ts'

const { url } = await testDatabase()
const service = await startService(url, { background: true })
const skip = noBrowser

/** A store with a member, and where their shop is. */
async function aMember(of = service) {
  const store = await of.aStore()
  const { customer, contract_id: contractId } = await store.member('ada@example.com')
  await of.deps.settle(store.storeId)
  const statusNow = async () => {
    const { data } = (await service.get('/subscriptions', store.key)).body
    return [data[0].status, data[0].cancel_reason]
  }
  return { store, contractId, statusNow, shop: `${of.urls.sandbox}/${store.domain}`, customer: customer.id }
}

const cancelButton = (page: Page) => page.getByRole('button', { name: 'Cancel this membership' })
const dialog = (page: Page) => page.getByRole('dialog')
const anyway = (page: Page) => dialog(page).getByRole('button', { name: 'Cancel anyway' })

test('mode b cancels at once, without a dialog and without a read', { skip }, async () => {
  const { statusNow, ...member } = await aMember()
  const { page, complaints, close } = await visit({ ...member, script: "window.__sdrfMode = 'b'" })
  await page.goto(`${member.shop}/`)
  const asked: string[] = []
  await cancelButton(page).waitFor()
  page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`))
  await cancelButton(page).click()
  await page.getByText('Your membership is cancelled').waitFor()
  assert.equal(await dialog(page).count(), 0)
  const path = `/${member.store.domain}/apps/svc-api/v1/membership/churn/${member.contractId}/cancellation`
  assert.deepEqual(asked, [`POST ${path}`])
  assert.deepEqual(await statusNow(), ['cancelled', 'other'])
  assert.deepEqual(complaints, [])
  await close()
})

for (const [what, script, later] of [
  ['B', "window.__sdrfMode = 'B'"],
  ['true', 'window.__sdrfMode = true'],
  ["' b'", "window.__sdrfMode = ' b'"],
  ['an object that reads as b', "window.__sdrfMode = { toString: () => 'b' }"],
  ['b, set after the press', undefined, "window.__sdrfMode = 'b'"],
  ['nothing']
] as const) {
  test(`mode ${what} keeps the dialog`, { skip }, async () => {
    const { statusNow, ...member } = await aMember()
    const { page, close } = await visit({ ...member, script })
    await page.goto(`${member.shop}/`)
    await cancelButton(page).click()
    if (later) await page.evaluate(later)
    await anyway(page).waitFor()
    assert.deepEqual(await statusNow(), ['active', null])
    await close()
  })
}

test('a shop that cannot get the file shows its own form', { skip }, async () => {
  const { statusNow, ...member } = await aMember()
  const { page, close } = await visit(member)
  await page.route(/perennial-cancel/, (route) => route.abort())
  await page.goto(`${member.shop}/`)
  await page.getByText('Cancel this membership').click()
  await page.getByRole('button', { name: 'Cancel membership' }).click()
  await page.getByRole('heading', { name: 'Your membership is cancelled.' }).waitFor()
  assert.deepEqual(await statusNow(), ['cancelled', 'too_expensive'])
  await close()
})

test('a browser that is offline says so, and cancels when it is online again', { skip }, async () => {
  const { statusNow, ...member } = await aMember()
  const { page, close } = await visit(member)
  await page.goto(`${member.shop}/`)
  await cancelButton(page).waitFor()
  await page.context().setOffline(true)
  await cancelButton(page).click()
  await anyway(page).click()
  await page.getByRole('heading', { name: 'Not cancelled yet' }).waitFor()
  assert.match(await dialog(page).getByRole('status').innerText(), /does not answer.*Your choice is kept/)
  await page.context().setOffline(false)
  await page.getByRole('heading', { name: 'Your membership is cancelled' }).waitFor()
  assert.deepEqual(await statusNow(), ['cancelled', 'other'])
  await close()
})

test('a service that is down: a clear message now, and cancelled by itself once it is up', { skip }, async () => {
  // The platform reaches the service at a node of its own, which goes away and comes back.
  const port = await freePort()
  const platform = await startService(url, { background: true, publicUrl: `http://127.0.0.1:${port}` })
  const node = () => startServiceHere(url, { role: 'web', port })
  let web = await node()
  beforeDrop(() => web.stop())
  const { statusNow, ...member } = await aMember(platform)
  const { page, close } = await visit({ ...member })
  await page.goto(`${member.shop}/`)
  await cancelButton(page).waitFor()
  await web.stop()

  await cancelButton(page).click()
  await page.getByRole('heading', { name: 'Cancel your membership?' }).waitFor()
  await anyway(page).click()
  await page.getByRole('heading', { name: 'Not cancelled yet' }).waitFor()
  assert.match(await dialog(page).getByRole('status').innerText(), /does not answer.*we try again by ourselves/)
  // The customer may close it: it goes on, and says so beside the button.
  await page.keyboard.press('Escape')
  await page.getByRole('paragraph').filter({ hasText: 'Not cancelled yet' }).waitFor()
  await page.getByRole('button', { name: 'Try again now' }).waitFor()
  assert.deepEqual(await statusNow(), ['active', null])

  web = await node()
  await page.getByRole('paragraph').filter({ hasText: 'Your membership is cancelled' }).waitFor()
  assert.deepEqual(await statusNow(), ['cancelled', 'other'])
  await close()
})

for (const [name, options] of [
  ['light', {}],
  ['dark', { colorScheme: 'dark' }],
  ['rtl', { page: { lang: 'ar', dir: 'rtl' } }],
  ['narrow', { viewport: { width: 320, height: 640 } }],
  ['zoom-200', { viewport: { width: 500, height: 400 }, deviceScaleFactor: 2 }]
] as const) {
  test(`axe finds nothing, ${name}`, { skip }, async () => {
    const { statusNow: _, ...member } = await aMember()
    const { page, close } = await visit({ ...member, ...options })
    await page.goto(`${member.shop}/`)
    await cancelButton(page).waitFor()
    await accessible(page, 'the button')
    await picture(page, `${name}-0-button`)
    await cancelButton(page).click()
    await dialog(page).locator('[part=cancel]').waitFor()
    await accessible(page, 'the confirmation')
    await picture(page, `${name}-3-confirmation`)
    await close()
  })
}
