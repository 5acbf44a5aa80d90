// <perennial-cancel> in a real browser, in the sandbox's shop: from the button through every step, by mouse and by keyboard.
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

const QUARTER_OFF = {
  name: '25 % off',
  description: 'While you think about it.',
  type: 'discount_price',
  rules: { discount_type: 'percentage', discount_value: 25, recurring_cycle_limit: 3 }
} as const
const EVERY_SECOND_MONTH = {
  name: 'Every second month',
  type: 'change_frequency',
  rules: { interval_count: 2, interval_name: 'month' }
} as const
const TEN_FOR_YOU = { name: 'Ten for you', type: 'add_store_credits', rules: { credit_amount: 10 } } as const

/** The names and the steps of the events that the page has seen. */
const EVENTS = `
  window.seen = []
  for (const name of ['start', 'step', 'accept', 'accepted', 'submit', 'wait', 'refused', 'done', 'close'])
    addEventListener('perennial-cancel-' + name, ({ detail }) => window.seen.push([name, detail.step].filter(Boolean).join(' ')))`

test('a new customer joins, is offered something, and stays: the contract is changed', { skip }, async () => {
  const member = await aMember(service)
  await member.anOffer(QUARTER_OFF)
  const { page, complaints, close } = await visit({ ...member, customer: undefined, script: EVENTS })
  await page.goto(`${member.shop}/`)
  await page.getByPlaceholder('name@example.com').fill('bob@example.com')
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('button', { name: 'Join VIP' }).click()
  await page.getByText('Your membership has started').waitFor()
  await service.deps.settle(member.store.storeId)

  const { button, next, reason, heading, dialog, outcome } = cancelling(page)
  await button.click()
  await reason('It is too expensive').check()
  await next.click()
  await heading('Before you go').waitFor()
  const offer = dialog.getByRole('listitem')
  assert.deepEqual((await offer.innerText()).split(/\n+/).filter(Boolean), [
    '25 % off',
    'While you think about it.',
    '$21.75 / month instead of $29.00',
    'For 3 months',
    'Stay with this offer'
  ])
  await offer.getByRole('button').click()
  await heading('Thank you for staying').waitFor()
  assert.equal(await dialog.getByRole('status').innerText(), 'The offer is applied: 25 % off')
  const { data } = (await service.get('/subscriptions', member.store.key)).body
  const own = data.find(({ offer }: { offer: object | null }) => offer)
  assert.deepEqual(
    [own.status, own.price, own.offer.offer.name, own.offer.status],
    ['active', 29, '25 % off', 'Active']
  )

  await dialog.getByRole('button', { name: 'Close' }).click()
  // The shop of the platform has the discount.
  await page.getByText('$21.75 every month').waitFor()
  assert.equal(await outcome('Thank you').count(), 0)
  assert.deepEqual(complaints, [])
  await close()
})

test('who refuses the offers and confirms has cancelled, for the reason that was chosen', { skip }, async () => {
  const member = await aMember(service)
  for (const offer of [QUARTER_OFF, EVERY_SECOND_MONTH, TEN_FOR_YOU]) await member.anOffer(offer)
  const { page, complaints, close } = await visit({ ...member, script: EVENTS })
  await page.goto(`${member.shop}/`)
  const { button, next, reason, heading, dialog, anyway } = cancelling(page)
  await button.click()
  await reason('It is too expensive').check()
  await dialog.getByRole('textbox').fill('We are moving abroad.')
  await next.click()
  await heading('Before you go').waitFor()
  assert.deepEqual(
    (await dialog.locator('[part=price], [part=detail]').allInnerTexts()).map((text) => text.replace(/\u00a0/g, ' ')),
    [
      '$21.75 / month instead of $29.00',
      'For 3 months',
      '$29.00 / 2 months',
      'Next payment: February 28, 2026',
      '$10.00 of store credit'
    ]
  )
  await dialog.getByRole('button', { name: 'Back' }).click()
  assert.ok(await reason('It is too expensive').isChecked())
  assert.equal(await dialog.getByRole('textbox').inputValue(), 'We are moving abroad.')
  await next.click()
  await heading('Before you go').waitFor()
  await anyway.click()
  await heading('Cancel your membership?').waitFor()
  const sent = page.waitForRequest(/cancellation$/)
  await anyway.click()
  await heading('Your membership is cancelled').waitFor()
  assert.deepEqual(await statusOf(member), ['cancelled', 'too_expensive'])
  assert.deepEqual((await sent).postDataJSON(), { reason: 'too_expensive', comment: 'We are moving abroad.' })
  assert.deepEqual(await page.evaluate('window.seen'), [
    'start',
    'step reasons',
    'step offers',
    'step reasons',
    'step offers',
    'step confirmation',
    'submit',
    'done'
  ])
  assert.deepEqual(complaints, [])
  await close()
})

test('“Cancel anyway” is in sight on every step, and leads to the confirmation', { skip }, async () => {
  const member = await aMember(service)
  for (const offer of [QUARTER_OFF, EVERY_SECOND_MONTH, TEN_FOR_YOU]) await member.anOffer(offer)
  for (const viewport of [
    { width: 1000, height: 800 },
    { width: 320, height: 640 },
    { width: 320, height: 256 }
  ]) {
    const { page, close } = await visit({ ...member, viewport })
    await page.goto(`${member.shop}/`)
    const { button, next, reason, reasons, heading, anyway, dialog } = cancelling(page)
    const inSight = async (step: string) => {
      const [box, { bottom }] = [
        await anyway.boundingBox(),
        await dialog.evaluate((one) => one.getBoundingClientRect())
      ]
      const what = `${step} at ${viewport.width} × ${viewport.height}`
      assert.ok(box && box.y >= 0 && box.y + box.height <= Math.min(bottom, viewport.height), what)
      assert.equal(await dialog.evaluate((one) => one.scrollWidth - one.clientWidth), 0, what)
    }
    await button.click()
    await reasons.waitFor()
    await inSight('reasons')
    await reason('It is too expensive').check()
    await next.click()
    await heading('Before you go').waitFor()
    await inSight('offers')
    await anyway.click()
    await heading('Cancel your membership?').waitFor()
    await inSight('confirmation')
    await close()
  }
  assert.deepEqual(await statusOf(member), ['active', null])
})

test('with the keyboard alone: through the steps, out by Escape, and back to the button', { skip }, async () => {
  const member = await aMember(service)
  await member.anOffer(QUARTER_OFF)
  const { page, close } = await visit(member)
  await page.goto(`${member.shop}/`)
  const { button, heading, reasons, dialog, outcome } = cancelling(page)
  await button.waitFor()
  const focused = () =>
    page.evaluate(
      '(function at(root) { const one = root.activeElement; return one?.shadowRoot ? at(one.shadowRoot) : one?.textContent })(document)'
    )
  for (let tabs = 0; (await focused()) !== 'Cancel this membership'; tabs++) {
    assert.ok(tabs < 20, String(await focused()))
    await page.keyboard.press('Tab')
  }
  await page.keyboard.press('Enter')
  await reasons.waitFor()
  assert.equal(await focused(), 'Why are you leaving?')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  assert.equal(await focused(), 'Cancel this membership')

  await page.keyboard.press('Enter')
  await reasons.waitFor()
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  await press('Tab', 'Space')
  const chosen = await dialog.getByRole('radio', { checked: true }).inputValue()
  await press('ArrowDown')
  assert.notEqual(await dialog.getByRole('radio', { checked: true }).inputValue(), chosen)
  while ((await dialog.getByRole('radio', { checked: true }).inputValue()) !== 'too_expensive') await press('ArrowDown')
  // Enter in a choice continues, as in any form.
  await press('Enter')
  await heading('Before you go').waitFor()
  assert.equal(await focused(), 'Before you go')
  await press('Tab')
  assert.equal(await focused(), 'Stay with this offer')
  await press('Tab', 'Tab', 'Enter')
  await heading('Cancel your membership?').waitFor()
  assert.equal(await focused(), 'Cancel your membership?')
  await press('Tab', 'Tab', 'Enter')
  await heading('Your membership is cancelled').waitFor()
  assert.equal(await focused(), 'Your membership is cancelled')
  await press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  await outcome('Your membership is cancelled')
    .or(page.getByText('cancelled', { exact: true }))
    .first()
    .waitFor()
  assert.deepEqual(await statusOf(member), ['cancelled', 'too_expensive'])
  await close()
})

test('a theme can leave steps out, and keep a cancellation back', { skip }, async () => {
  const member = await aMember(service)
  await member.anOffer(QUARTER_OFF)
  const prevent = (name: string, when = 'true') =>
    `addEventListener('perennial-cancel-${name}', (event) => { if (${when}) event.preventDefault() })`
  const { page, close } = await visit({
    ...member,
    script: `${EVENTS}; ${prevent('step', "event.detail.step === 'reasons'")}; ${prevent('submit', '!window.mayCancel')}; ${prevent('done')}`
  })
  await page.goto(`${member.shop}/`)
  const { button, heading, anyway, dialog } = cancelling(page)
  await button.click()
  await heading('Cancel your membership?').waitFor()
  await anyway.click()
  await heading('Cancel your membership?').waitFor()
  assert.deepEqual(await statusOf(member), ['active', null])
  await page.evaluate('window.mayCancel = true')
  await anyway.click()
  await dialog.waitFor({ state: 'hidden' })
  assert.deepEqual(await statusOf(member), ['cancelled', 'other'])
  assert.equal(await page.locator('[part=outcome]').isVisible(), false)
  await close()
})

test('an offer that is gone by then changes nothing, and the customer can go on', { skip }, async () => {
  const member = await aMember(service)
  await member.anOffer(QUARTER_OFF)
  const [first, second] = [await visit(member), await visit(member)]
  const pages = [first, second].map(({ page }) => ({ page, ...cancelling(page) }))
  for (const { page, button, reason, next, heading } of pages) {
    await page.goto(`${member.shop}/`)
    await button.click()
    await reason('It is too expensive').check()
    await next.click()
    await heading('Before you go').waitFor()
  }
  const accept = ({ dialog }: (typeof pages)[number]) => dialog.getByRole('button', { name: 'Stay with' }).click()
  await accept(pages[0]!)
  await pages[0]!.heading('Thank you for staying').waitFor()
  await accept(pages[1]!)
  await pages[1]!.dialog.getByText('The offer was not applied, and nothing has changed.').waitFor()
  await pages[1]!.anyway.click()
  await pages[1]!.heading('Cancel your membership?').waitFor()
  await pages[1]!.anyway.click()
  await pages[1]!.heading('Your membership is cancelled').waitFor()
  for (const { close } of [first, second]) await close()
})

for (const [name, options] of [
  ['light', {}],
  ['dark', { colorScheme: 'dark' }],
  ['rtl', { page: { lang: 'ar', dir: 'rtl' } }],
  ['narrow', { viewport: { width: 320, height: 640 }, page: { lang: 'de', dir: 'ltr' } }],
  ['zoom-200', { viewport: { width: 500, height: 400 }, deviceScaleFactor: 2 }],
  ['forced-colors', { forcedColors: 'active' }]
] as const) {
  test(`axe finds nothing on any step, ${name}`, { skip }, async () => {
    const member = await aMember(service)
    for (const offer of [QUARTER_OFF, EVERY_SECOND_MONTH, TEN_FOR_YOU]) await member.anOffer(offer)
    const { page, complaints, close } = await visit({ ...member, ...options })
    await page.goto(`${member.shop}/`)
    // By their parts, since the words are of another language.
    const part = (one: string) => page.locator(`perennial-cancel [part~=${one}]`)
    const look = async (step: string) => {
      await accessible(page, step)
      await picture(page, `cancel-${name}-${step}`)
    }
    await part('button').waitFor()
    await look('0-button')
    await part('button').click()
    await page.getByRole('radio').first().waitFor()
    await look('1-reasons')
    await page.locator('input[value=too_expensive]').check()
    await part('next').click()
    await part('offer').first().waitFor()
    await look('2-offers')
    await part('cancel').click()
    await part('offer').first().waitFor({ state: 'detached' })
    await look('3-confirmation')
    await part('cancel').click()
    await part('close').waitFor()
    await look('4-done')
    assert.deepEqual(await statusOf(member), ['cancelled', 'too_expensive'])
    assert.deepEqual(complaints, [])
    await close()
  })
}
