// <perennial-membership> and <perennial-join> in a real browser, in the sandbox's shop: what a customer has, changes, and joining.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBrowser } from './browser.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { accessible, picture, visit } from './storefront-browser.ts'
import { aMember, cancelling, statusOf } from './storefront-member.ts'

const { url } = await testDatabase()
const service = await startService(url, { background: true })
const skip = noBrowser

/** A member whose store lets them pause and skip, with store credit. */
async function aFreeMember() {
  const member = await aMember(service)
  const { store } = member
  await service.admin('PATCH', `${store.at}/settings`, { customers: { may_pause: 'on', may_skip: 'on' } })
  const { data } = (await service.get('/members', store.key)).body
  await service.post(`/store-credits/${data[0].customer.id}/add`, store.key, { amount: 12.5, reason: 'A gift' })
  return member
}

const lines = (text: string) =>
  text
    .replace(/\u00a0/g, ' ')
    .split(/\n+/)
    .filter(Boolean)

test('a member sees what they have, skips, pauses and resumes', { skip }, async () => {
  const member = await aFreeMember()
  const { page, complaints, close } = await visit(member)
  await page.goto(`${member.shop}/membership`)
  const card = page.getByRole('article', { name: 'VIP' })
  const message = page.locator('perennial-membership').getByRole('status')
  const button = (name: string) => card.getByRole('button', { name })
  await button('Cancel membership').waitFor()
  assert.deepEqual(lines(await page.locator('perennial-membership [part=facts]').first().innerText()), [
    'Store credit',
    '$12.50'
  ])
  assert.deepEqual(lines(await card.innerText()), [
    ...['VIP', 'Active', 'Price', '$29.00 / month', 'Next payment', 'February 28, 2026'],
    ...['Skip the next payment', 'Pause (30 days)']
  ])
  assert.equal(
    await page.getByRole('link', { name: 'Payment method' }).getAttribute('href'),
    `/${member.store.domain}/#card`
  )

  await button('Skip the next payment').click()
  await card.getByText('Skip the payment on February 28, 2026? This cannot be undone.').waitFor()
  await button('Back').click()
  assert.equal(
    await button('Skip the next payment').evaluate((one: any) => one.getRootNode().activeElement === one),
    true
  )
  await button('Skip the next payment').click()
  await button('Skip the next payment').click()
  await card.getByText('March 31, 2026').waitFor()
  assert.equal(
    await message.innerText(),
    'VIP: the payment on February 28, 2026 is skipped. Next payment: March 31, 2026'
  )
  // The button that had the focus may be gone.
  assert.equal(await card.getByRole('heading').evaluate((one: any) => one.getRootNode().activeElement === one), true)

  await button('Pause').click()
  await card.getByText('Paused', { exact: true }).waitFor()
  assert.match((await card.innerText()).replace(/\s+/g, ' '), /Paused until March 2, 2026/)
  assert.equal(await message.innerText(), 'VIP is paused until March 2, 2026.')
  assert.equal((await statusOf(member))[0], 'paused')

  await button('Resume').click()
  await card.getByText('Active', { exact: true }).waitFor()
  assert.match(await message.innerText(), /^VIP goes on\. Next payment: \w+ \d+, 2026$/)
  assert.equal((await statusOf(member))[0], 'active')
  assert.deepEqual(complaints, [])
  await close()
})

test('who cancels in the card can take it back there, and cancel again', { skip }, async () => {
  const member = await aMember(service)
  const { page, complaints, close } = await visit(member)
  await page.goto(`${member.shop}/membership`)
  const card = page.getByRole('article', { name: 'VIP' })
  const { button, reasons, anyway, heading, dialog } = cancelling(page)
  const message = page.locator('perennial-membership [part=message]')
  const ours = [page.getByText('You have this membership.'), page.getByRole('link', { name: 'Manage your membership' })]
  for (const again of [false, true]) {
    await button.click()
    await reasons.waitFor()
    await anyway.click()
    await heading('Cancel your membership?').waitFor()
    assert.equal(await dialog.locator('[part=name]').count(), 0)
    await anyway.click()
    await heading('Your membership is cancelled').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await card.getByText('Cancelled', { exact: true }).waitFor()
    assert.deepEqual(await statusOf(member), ['cancelled', 'other'])
    // Nothing is charged any more.
    assert.doesNotMatch(await card.innerText(), /Price/)
    assert.match(await card.innerText(), /Can be taken back until\s+February 1, 2026 at \d+:\d\d\s[AP]M/)
    // What the card says is read out, and not written once more; the theme does not say otherwise.
    assert.equal(await message.innerText(), 'VIP: Cancelled')
    assert.equal((await message.boundingBox())!.width, 1)
    for (const one of ours) assert.equal(await one.isVisible(), false)
    if (again) break
    await page.getByRole('button', { name: 'Take the cancellation back' }).click()
    await card.getByText('Active', { exact: true }).waitFor()
    await message.getByText('VIP: the cancellation is taken back. Next payment: February 28, 2026').waitFor()
    const [said, theCard] = [(await message.boundingBox())!, (await card.boundingBox())!]
    assert.ok(said.width > 100 && said.y < theCard.y, 'it is said above the cards')
    for (const one of ours) assert.equal(await one.isVisible(), true)
    assert.equal((await statusOf(member))[0], 'active')
  }
  assert.deepEqual(complaints, [])
  await close()
})

test('who may take a cancellation back is not asked to join, and a checkout says where it is taken back', {
  skip
}, async () => {
  const member = await aMember(service)
  const { store, shop, contractId } = member
  const { page, complaints, close } = await visit(member)
  await page.goto(`${shop}/membership`)
  const { button, anyway, dialog, heading } = cancelling(page)
  await button.click()
  await anyway.click()
  await heading('Cancel your membership?').waitFor()
  await anyway.click()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Take the cancellation back' }).waitFor()
  await service.deps.settle(store.storeId)
  await page.reload()
  await page.getByRole('button', { name: 'Take the cancellation back' }).waitFor()
  const join = page.locator('perennial-join')
  assert.equal(await join.getAttribute('state'), 'none')
  assert.equal(await page.getByRole('button', { name: 'Join VIP' }).count(), 0)

  const { plan_id: plan } = JSON.parse((await join.getAttribute('plan'))!)
  const refused = await page.request.post(`${shop}/join`, { form: { plan }, headers: { origin: new URL(shop).origin } })
  assert.ok(
    (await refused.text()).includes(
      `You cancelled VIP; take the cancellation back on the membership page (contract ${contractId}): nothing was charged`
    )
  )

  // Once it cannot be taken back, it is a plan to join.
  await page.route(/membership\/account/, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), contracts: [] } })
  })
  await page.reload()
  await page.getByRole('button', { name: 'Join VIP' }).waitFor()
  assert.deepEqual(complaints, [])
  await close()
})

test('a store that does not let members pause or skip shows neither', { skip }, async () => {
  const member = await aMember(service)
  const { page, close } = await visit(member)
  await page.goto(`${member.shop}/membership`)
  const card = page.getByRole('article', { name: 'VIP' })
  await card.getByRole('button', { name: 'Cancel membership' }).waitFor()
  assert.deepEqual(await card.getByRole('button').allInnerTexts(), ['Cancel membership'])
  await close()
})

test('a customer without a membership joins: the cart has it, and the checkout makes the contract', {
  skip
}, async () => {
  const member = await aMember(service)
  const { store, shop } = member
  const { id: customer } = await store.customer('bob@example.com')
  await service.deps.settle(store.storeId)
  const { page, complaints, close } = await visit({ shop, customer })
  await page.goto(`${shop}/membership`)
  await page.getByText('You are not a member yet.').waitFor()
  const join = page.locator('perennial-join form.root')
  await join.getByText('month').waitFor()
  assert.deepEqual(lines(await join.innerText()), ['Join VIP $29.00 / month'])
  await join.getByRole('button', { name: 'Join VIP' }).click()
  await page.getByRole('heading', { name: 'Cart' }).waitFor()
  assert.match(await page.getByRole('table').innerText(), /VIP.*\$29\.00/s)
  await page.getByRole('link', { name: 'Go to the checkout' }).click()
  await page.getByRole('button', { name: 'Pay' }).click()
  await page.getByText('Thank you! Your order is').waitFor()
  await service.deps.settle(store.storeId)
  await page.goto(`${shop}/membership`)
  await page.getByRole('article', { name: 'VIP' }).waitFor()
  assert.equal(await page.locator('perennial-join').count(), 0)
  assert.deepEqual(complaints, [])
  await close()
})

test('a theme can put the membership into its own cart, and forbid an action', { skip }, async () => {
  const { store, shop, ...member } = await aFreeMember()
  const prevent = (name: string) =>
    `addEventListener('${name}', (event) => { event.preventDefault(); window.asked = event.detail })`
  const script = `${prevent('perennial-join')}; ${prevent('perennial-account-action')}`
  const { id: customer } = await store.customer('bob@example.com')
  await service.deps.settle(store.storeId)
  const guest = await visit({ shop, customer, script })
  await guest.page.goto(`${shop}/membership`)
  await guest.page.getByRole('button', { name: 'Join VIP' }).click()
  const asked = (await guest.page.evaluate('window.asked')) as Record<string, string>
  assert.equal(asked.name, 'VIP')
  assert.match(`${asked.variantId} ${asked.sellingPlanId}`, /^\d+ \d+$/)
  assert.equal(new URL(guest.page.url()).pathname, `/${store.domain}/membership`)
  await guest.close()

  const own = await visit({ shop, customer: member.customer, script })
  await own.page.goto(`${shop}/membership`)
  await own.page.getByRole('button', { name: 'Pause' }).waitFor()
  const sent: string[] = []
  own.page.on('request', (request) => sent.push(request.url()))
  await own.page.getByRole('button', { name: 'Pause' }).click()
  assert.deepEqual(await own.page.evaluate('window.asked'), { contractId: member.contractId, action: 'pause' })
  assert.deepEqual(sent, [])
  await own.close()
})

test('an account that cannot be read is read again, by hand and when the browser is online', { skip }, async () => {
  const member = await aMember(service)
  const { page, close } = await visit(member)
  let isAway = true
  await page.route(/membership\/account/, (route) => (isAway ? route.abort() : route.continue()))
  await page.goto(`${member.shop}/membership`)
  const element = page.locator('perennial-membership')
  await element.getByText('The shop does not answer at the moment.').waitFor()
  assert.equal(await element.getAttribute('state'), 'failed')
  isAway = false
  await element.getByRole('button', { name: 'Try again now' }).click()
  await page.getByRole('article', { name: 'VIP' }).waitFor()
  assert.equal(await element.getAttribute('state'), 'ready')
  await close()
})

test('nothing moves when the scripts arrive', { skip }, async () => {
  const member = await aMember(service)
  const { page, close } = await visit(member)
  for (const path of ['/', '/membership']) {
    await page.goto(`${member.shop}${path}`)
    await cancelling(page).button.waitFor()
    const moved = await page.evaluate(
      `new Promise((resolve) => {
        let sum = 0
        new PerformanceObserver((list) => { for (const { value } of list.getEntries()) sum += value }).observe({ type: 'layout-shift', buffered: true })
        requestAnimationFrame(() => setTimeout(() => resolve(sum), 0))
      })`
    )
    assert.equal(moved, 0, path)
  }
  await close()
})

for (const [name, options] of [
  ['light', {}],
  ['dark', { colorScheme: 'dark' }],
  ['rtl', { page: { lang: 'ar', dir: 'rtl' } }],
  ['narrow', { viewport: { width: 320, height: 900 }, page: { lang: 'fr', dir: 'ltr' } }],
  ['zoom-200', { viewport: { width: 500, height: 600 }, deviceScaleFactor: 2 }]
] as const) {
  test(`axe finds nothing in the card, ${name}`, { skip }, async () => {
    const member = await aFreeMember()
    const { page, complaints, close } = await visit({ ...member, ...options })
    await page.goto(`${member.shop}/membership`)
    await page.locator('perennial-membership perennial-cancel [part~=button]').waitFor()
    await accessible(page, 'the card')
    await picture(page, `account-${name}`)
    assert.equal(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'), 0)
    assert.deepEqual(complaints, [])
    await close()
  })
}
