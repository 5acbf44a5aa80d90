// <perennial-membership> when presses come twice, answers are lost, and other elements change what it shows.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBrowser } from './browser.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { visit } from './storefront-browser.ts'
import { aMember, cancelling, statusOf } from './storefront-member.ts'

const { url } = await testDatabase()
const service = await startService(url, { background: true })
const skip = noBrowser

/** A member whose store lets them pause and skip, at their card. */
async function atTheCard({ script, days }: { script?: string; days?: string } = {}) {
  const member = await aMember(service)
  await service.admin('PATCH', `${member.store.at}/settings`, { customers: { may_pause: 'on', may_skip: 'on' } })
  const { page, close } = await visit({ ...member, ...(script && { script }) })
  if (days) {
    await page.route(/membership$/, async (route) => {
      const answer = await route.fetch()
      const body = (await answer.text()).replace(
        '<perennial-membership ',
        `<perennial-membership pause-days="${days}" `
      )
      await route.fulfill({ response: answer, body })
    })
  }
  await page.goto(`${member.shop}/membership`)
  const card = page.getByRole('article', { name: 'VIP' })
  const button = (name: string) => card.getByRole('button', { name })
  await button('Skip the next payment').waitFor()
  return { member, page, close, card, button, message: page.locator('perennial-membership').getByRole('status') }
}

/** Counts the changes that are asked for, and holds their answers back until they may come. */
async function held(page: Awaited<ReturnType<typeof atTheCard>>['page']) {
  const gate = Promise.withResolvers<void>()
  const seen: string[] = []
  await page.route(/contracts\/\d+\//, async (route) => {
    seen.push(route.request().url().split('/').pop()!)
    await gate.promise
    await route.continue()
  })
  return { seen, release: gate.resolve }
}

test('two presses on Skip skip one payment, after a question', { skip }, async () => {
  const { page, close, card, button } = await atTheCard()
  const { seen, release } = await held(page)
  await button('Skip the next payment').dblclick()
  await card.getByText('Skip the payment on February 28, 2026?').waitFor()
  assert.deepEqual(seen, [])
  const yes = button('Skip the next payment')
  await yes.dblclick()
  assert.equal(await yes.getAttribute('aria-disabled'), 'true')
  // Presses of a keyboard, which has no double click.
  for (let presses = 0; presses < 2; presses++) await page.keyboard.press('Enter')
  release()
  await card.getByText('March 31, 2026').waitFor()
  assert.deepEqual(seen, ['skip'])
  await close()
})

test('while one change is under way another one is not asked for, and the button keeps the focus', {
  skip
}, async () => {
  const { member, page, close, card, button } = await atTheCard()
  const { seen, release } = await held(page)
  await button('Pause').focus()
  for (let presses = 0; presses < 2; presses++) await page.keyboard.press('Enter')
  assert.equal(await button('Pause').evaluate((one: any) => one.getRootNode().activeElement === one), true)
  release()
  await card.getByText('Paused', { exact: true }).waitFor()
  assert.deepEqual(seen, ['pause'])
  for (let presses = 0; presses < 2; presses++) await page.keyboard.press('Tab')
  await button('Resume').waitFor()
  assert.equal(await button('Resume').getAttribute('aria-disabled'), null)
  assert.equal((await statusOf(member))[0], 'paused')
  await close()
})

for (const [what, isDone, isSeen, says] of [
  ['was carried out is shown as it is', true, true, /^VIP is paused until March 2, 2026\.$/],
  ['was not carried out is said so', false, true, /^That did not work\./],
  ['nobody can see is not known', true, false, /^We could not see whether it worked\./]
] as const) {
  test(`a change that ${what} when its answer is lost`, { skip }, async () => {
    const { member, page, close, card, button, message } = await atTheCard({
      script:
        "addEventListener('perennial-account-changed', ({ detail }) => { window.changed = detail.contract.status })"
    })
    await page.route(/pause$/, async (route) => {
      if (isDone) await route.fetch()
      if (!isSeen) await page.route(/membership\/account/, (one) => one.abort())
      await route.fulfill({ status: 502, body: 'Bad gateway' })
    })
    await button('Pause').click()
    await message.filter({ hasText: says }).waitFor()
    const isShown = isDone && isSeen
    assert.equal(await card.getByText(isShown ? 'Paused' : 'Active', { exact: true }).isVisible(), true)
    assert.equal(await page.evaluate('window.changed'), isShown ? 'PAUSED' : undefined)
    assert.equal((await statusOf(member))[0], isDone ? 'paused' : 'active')
    if (!isShown) assert.equal(await button('Pause').getAttribute('aria-disabled'), null)
    await close()
  })
}

test('a skip whose answer is lost is seen by the date', { skip }, async () => {
  const { page, close, button, message } = await atTheCard()
  await page.route(/skip$/, async (route) => {
    await route.fetch()
    await route.abort()
  })
  await button('Skip the next payment').click()
  await button('Skip the next payment').click()
  await message.filter({ hasText: 'is skipped. Next payment: March 31, 2026' }).waitFor()
  await close()
})

test('a refusal is shown with its sentence', { skip }, async () => {
  const { member, close, button, message } = await atTheCard()
  await service.admin('PATCH', `${member.store.at}/settings`, { customers: { may_pause: 'off' } })
  await button('Pause').click()
  await message.filter({ hasText: 'That did not work. This contract cannot be paused here' }).waitFor()
  await close()
})

test('only pauses that the service accepts are offered', { skip }, async () => {
  const { close, card } = await atTheCard({ days: '400, 30, 1.5, 365, 0, x' })
  assert.deepEqual(await card.getByRole('option').allInnerTexts(), ['30 days', '365 days'])
  await close()
})

test('the card shows what a cancel element beside it has done', { skip }, async () => {
  const { member, page, close, card } = await atTheCard()
  await member.anOffer({
    name: 'Ten off',
    type: 'discount_price',
    rules: { discount_type: 'fixed_amount', discount_value: 10 }
  })
  const markup = `<perennial-cancel id="beside" api="${new URL(member.shop).pathname}/apps/svc-api/v1" text-button="End it"></perennial-cancel>`
  await page.locator('main').evaluate((main, html) => main.insertAdjacentHTML('beforeend', html), markup)
  const { reason, next, dialog, heading, anyway, reasons } = cancelling(page)
  const end = page.getByRole('button', { name: 'End it' })
  await end.click()
  await reason('It is too expensive').check()
  await next.click()
  await dialog.getByRole('button', { name: 'Stay with this offer' }).click()
  await heading('Thank you for staying').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await card.getByText('Ten off').waitFor()
  await end.click()
  await reasons.waitFor()
  await anyway.click()
  await anyway.click()
  await heading('Your membership is cancelled').waitFor()
  await card.getByText('Cancelled', { exact: true }).waitFor({ state: 'attached' })
  assert.doesNotMatch((await card.innerText()).replace(/\s+/g, ' '), /Ten off|instead of/)
  await close()
})

for (const [what, status, body, state] of [
  ['a proxy that leads elsewhere', 404, { message: 'Not found' }, 'failed'],
  ['a proxy whose signature is not known', 401, { message: 'Not signed' }, 'failed'],
  ['a visitor', 403, { message: 'Log in to read what the customer has' }, 'empty']
] as const) {
  test(`${what}: ${state}`, { skip }, async () => {
    const member = await aMember(service)
    const { page, close } = await visit(member)
    await page.route(/membership\/account/, (route) => route.fulfill({ status, json: body }))
    await page.goto(`${member.shop}/membership`)
    await page.locator(`perennial-membership[state=${state}]`).waitFor()
    const isHidden = await page.locator('perennial-membership slot').evaluate((slot: any) => slot.hidden)
    assert.equal(isHidden, state === 'failed')
    await page.goto(`${member.shop}/`)
    const cancel = page.locator(`perennial-cancel[state=${state === 'empty' ? 'none' : 'ready'}]`)
    await cancel.waitFor({ state: 'attached' })
    await close()
  })
}

for (const [what, trial, price] of [
  [
    'for some days',
    { trial_type: 'days', trial_days: 14, trial_price: '0.00' },
    '$0.00 for 14 days, then $29.00 / month'
  ],
  [
    'until the next payment',
    { trial_type: 'next_billing_date', trial_price: '1.00' },
    'first $1.00, then $29.00 / month'
  ]
] as const) {
  test(`who joins a plan with a trial ${what} sees its first price and the later one`, { skip }, async () => {
    const { store, shop } = await aMember(service)
    const { id: customer } = await store.customer('bob@example.com')
    const { data } = await service.admin('GET', `${store.at}/plans`)
    await service.admin('PATCH', `${store.at}/plans/${data[0].id}`, trial)
    await service.deps.settle(store.storeId)
    const { page, close } = await visit({ shop, customer })
    await page.goto(`${shop}/membership`)
    const shown = page.locator('perennial-join [part=price]')
    await shown.waitFor()
    assert.equal((await shown.innerText()).replace(/\u00a0/g, ' '), price)
    await close()
  })
}
