// The elements apart from the sandbox's own pages: without a contract's number, in other languages and words, from another origin.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from './browser.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { visit } from './storefront-browser.ts'
import { aMember, cancelling } from './storefront-member.ts'

const { url } = await testDatabase()
const service = await startService(url, { background: true })
const skip = noBrowser

/** Puts an element into the page, at its end. */
async function put(page: Page, shop: string, markup: string): Promise<void> {
  const api = `${new URL(shop).pathname}/apps/svc-api/v1`
  await page
    .locator('main')
    .evaluate((main, html) => main.insertAdjacentHTML('beforeend', html), markup.replace('API', api))
}

const NO_ID = '<perennial-cancel id="put" api="API" text-button="End it"></perennial-cancel>'

test('without a number it cancels the only contract that can be', { skip }, async () => {
  const member = await aMember(service)
  const { page, complaints, close } = await visit(member)
  await page.goto(`${member.shop}/`)
  await put(page, member.shop, NO_ID)
  const { reasons, anyway, heading, dialog } = cancelling(page)
  await page.getByRole('button', { name: 'End it' }).click()
  await reasons.waitFor()
  await anyway.click()
  await heading('Cancel your membership?').waitFor()
  assert.equal(await dialog.locator('[part=name]').innerText(), 'VIP')
  const sent = page.waitForRequest(/cancellation$/)
  await anyway.click()
  await heading('Your membership is cancelled').waitFor()
  assert.ok((await sent).url().includes(`/${member.contractId}/`))
  assert.equal(await page.locator('#put').getAttribute('state'), 'cancelled')
  assert.deepEqual(complaints, [])
  await close()
})

test('of several contracts the customer chooses one', { skip }, async () => {
  const member = await aMember(service)
  const { store, shop, customer } = member
  await service.admin('POST', `${store.at}/plans`, { name: 'Tea', type: 'vip', price: '9.00', interval: 'week' })
  const tea = await service.admin('POST', `${store.at}/sandbox/joins`, { customer, plan: 'Tea' })
  await service.deps.settle(store.storeId)
  const { page, close } = await visit({ ...member, script: "window.__sdrfMode = 'b'" })
  await page.goto(`${shop}/`)
  await put(page, shop, NO_ID)
  const picker = page.getByRole('combobox', { name: 'Which membership?' })
  await picker.waitFor()
  assert.deepEqual(await picker.getByRole('option').allInnerTexts(), ['Tea, $9.00', 'VIP, $29.00'])
  await picker.selectOption({ label: 'Tea, $9.00' })
  const sent = page.waitForRequest(/cancellation$/)
  await page.getByRole('button', { name: 'End it' }).click()
  await cancelling(page).outcome('Your membership is cancelled').waitFor()
  assert.ok((await sent).url().includes(`/${tea.contract_id}/`))
  await close()
})

test('of several contracts that could not be read before, none is cancelled unasked', { skip }, async () => {
  const member = await aMember(service)
  const { store, shop, customer } = member
  await service.admin('POST', `${store.at}/plans`, { name: 'Tea', type: 'vip', price: '9.00', interval: 'week' })
  await service.admin('POST', `${store.at}/sandbox/joins`, { customer, plan: 'Tea' })
  await service.deps.settle(store.storeId)
  const { page, close } = await visit({ ...member, script: "window.__sdrfMode = 'b'" })
  let isAway = true
  await page.route(/membership\/account/, (route) => (isAway ? route.abort() : route.continue()))
  await page.goto(`${shop}/`)
  await put(page, shop, NO_ID)
  const button = page.getByRole('button', { name: 'End it' })
  await button.waitFor()
  isAway = false
  await button.click()
  await page.getByRole('combobox', { name: 'Which membership?' }).waitFor()
  const { data } = (await service.get('/subscriptions', store.key)).body
  assert.deepEqual(
    data.map(({ status }: { status: string }) => status),
    ['active', 'active']
  )
  await close()
})

test('where the contract is not known, no offer is shown that it perhaps may not accept', { skip }, async () => {
  const member = await aMember(service)
  const { page, close } = await visit(member)
  await page.route(/membership\/account/, (route) => route.abort())
  await page.goto(`${member.shop}/`)
  await put(page, member.shop, NO_ID)
  const { reasons, next, heading } = cancelling(page)
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.getByRole('button', { name: 'End it' }).click()
  await reasons.getByRole('radio').first().check()
  await next.click()
  await heading('Cancel your membership?').waitFor()
  assert.deepEqual(
    asked.filter((one) => one.includes('/offers')),
    []
  )
  await close()
})

for (const [who, isMember] of [
  ['a visitor', false],
  ['a customer without a contract', true]
] as const) {
  test(`${who} sees no button, and its room is kept`, { skip }, async () => {
    const { store, shop } = await aMember(service)
    const { id: customer } = await store.customer('bob@example.com')
    const { page, close } = await visit({ shop, ...(isMember && { customer }) })
    await page.goto(`${shop}/`)
    if (!isMember)
      await page.addScriptTag({ type: 'module', url: `${shop}/apps/svc-api/v1/storefront/perennial-cancel.js` })
    await put(page, shop, NO_ID)
    await page.locator('#put[state=none]').waitFor({ state: 'attached' })
    assert.equal(await page.getByRole('button', { name: 'End it' }).count(), 0)
    assert.ok((await page.locator('#put').boundingBox())!.height >= 44)
    await close()
  })
}

test('an answer that comes after the customer has gone on is not shown', { skip }, async () => {
  const member = await aMember(service)
  const { page, close } = await visit(member)
  const held = Promise.withResolvers<void>()
  await page.route(/churn\/reasons/, async (route) => {
    await held.promise
    await route.continue()
  })
  await page.goto(`${member.shop}/`)
  const { button, anyway, heading, dialog } = cancelling(page)
  await button.click()
  assert.equal(await dialog.getByRole('status').innerText(), 'One moment…')
  await anyway.click()
  await heading('Cancel your membership?').waitFor()
  const answered = page.waitForResponse(/churn\/reasons/)
  held.resolve()
  await (await answered).finished()
  assert.equal(await dialog.getByRole('radio').count(), 0)
  assert.ok(await heading('Cancel your membership?').isVisible())
  await close()
})

const LANGUAGE = /perennial-cancel\.(\w\w)-/
for (const [lang, button, loaded] of [
  ['en-GB', 'Cancel this membership', []],
  ['de-AT', 'Mitgliedschaft kündigen', ['de']],
  ['pt-BR', 'Cancelar a assinatura', ['pt']],
  ['ar', 'إلغاء العضوية', ['ar']],
  ['cs', 'Cancel membership', []],
  ['constructor', 'Cancel membership', []],
  ['de-', 'Mitgliedschaft kündigen', ['de']]
] as const) {
  test(`a page in ${lang} says “${button}”, and loads no other language`, { skip }, async () => {
    const member = await aMember(service)
    const { page, complaints, close } = await visit({ ...member, page: { lang, dir: lang === 'ar' ? 'rtl' : 'ltr' } })
    const files: string[] = []
    page.on('request', (request) => files.push(...(LANGUAGE.exec(request.url())?.slice(1) ?? [])))
    await page.goto(`${member.shop}/`)
    await put(page, member.shop, '<perennial-cancel id="put" api="API"></perennial-cancel>')
    const put_ = page.locator('#put [part~=button]')
    await put_.waitFor()
    assert.equal(await put_.innerText(), lang === 'en-GB' ? 'Cancel membership' : button)
    assert.deepEqual(files, loaded)
    assert.deepEqual(complaints, [])
    await close()
  })
}

for (const lang of ['de-', 'de_AT', 'de-x']) {
  test(`amounts and dates are shown in a page in ${lang}`, { skip }, async () => {
    const member = await aMember(service)
    const { page, complaints, close } = await visit({ ...member, page: { lang, dir: 'ltr' } })
    await page.goto(`${member.shop}/membership`)
    await page.getByRole('article', { name: 'VIP' }).getByText('28. Februar 2026').waitFor()
    assert.deepEqual(complaints, [])
    await close()
  })
}

test('a language that does not come is English', { skip }, async () => {
  const member = await aMember(service)
  const { page, close } = await visit({ ...member, page: { lang: 'de', dir: 'ltr' } })
  await page.route(LANGUAGE, (route) => route.abort())
  await page.goto(`${member.shop}/`)
  await put(page, member.shop, '<perennial-cancel id="put" api="API"></perennial-cancel>')
  await page.locator('#put').getByRole('button', { name: 'Cancel membership' }).waitFor()
  await close()
})

test('markup in a text, a reason or an offer is text', { skip }, async () => {
  const member = await aMember(service)
  const markup = '<img src=x onerror="window.ran = true">'
  await member.anOffer({
    name: markup,
    description: markup,
    type: 'add_store_credits',
    rules: { credit_amount: 5 },
    reasons: ['too_expensive']
  })
  const { page, close } = await visit(member)
  await page.goto(`${member.shop}/`)
  await put(
    page,
    member.shop,
    `<perennial-cancel id="put" api="API" contract-id="${member.contractId}" text-offers='${markup}'></perennial-cancel>`
  )
  await page.locator('#put [part~=button]').click()
  const { reason, next, dialog } = cancelling(page)
  await reason('It is too expensive').check()
  await next.click()
  await dialog.getByRole('listitem').waitFor()
  assert.deepEqual([await dialog.locator('img').count(), await page.evaluate('window.ran')], [0, undefined])
  assert.equal(await dialog.getByRole('heading').first().innerText(), markup)
  await close()
})

test('a page of another origin loads the file, and the language from beside it', { skip }, async () => {
  const { page, close } = await visit({ shop: service.urls.sandbox })
  await page.setContent('<html lang="de"><body><perennial-cancel contract-id="1"></perennial-cancel></body></html>')
  const file = `${service.urls.public}/apps/svc-api/v1/storefront/perennial-cancel.js`
  await page.addScriptTag({ type: 'module', url: file })
  await page.getByRole('button', { name: 'Mitgliedschaft kündigen' }).waitFor()
  await close()
})

test('a file that two tags load by two addresses defines its element once', { skip }, async () => {
  const member = await aMember(service)
  const { page, complaints, close } = await visit(member)
  await page.goto(`${member.shop}/`)
  await cancelling(page).button.waitFor()
  await page.addScriptTag({
    type: 'module',
    url: `${member.shop}/apps/svc-api/v1/storefront/perennial-cancel.js?again`
  })
  assert.deepEqual(complaints, [])
  await close()
})
