// Subscriptions, charges and orders in the admin interface, in a real browser with the real service and sandbox.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { looked, openAdmin, settled, withoutStatuses } from './admin-browser.ts'
import { noBrowser } from './browser.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const skip = noBrowser

const store = await service.aStore({ name: 'Bean & Leaf' })
const { at } = store
await store.grace(24)
const { customer: ada, order_id: order } = await store.member('ada@example.com')
const { customer: bob } = await store.member('bob@example.com')
const subscriptionOf = async (customer: string) => {
  const { id } = await service.admin('GET', `${at}/customers/${customer}`)
  return (await service.admin('GET', `${at}/subscriptions?customer_id=${id}`)).data[0].id as string
}
const [adas, bobs] = [await subscriptionOf(ada.id), await subscriptionOf(bob.id)]
await store.card(bob.id, 'insufficient_funds')
await store.advance({ by: 'P32D' })
const attemptsOf = async (subscription: string) =>
  (await service.admin('GET', `${at}/billing-attempts?subscription_id=${subscription}`)).data

test('a failed charge is found, its tries and what follows are shown, and it is charged again', { skip }, async () => {
  const { page, complaints, close } = await openAdmin(service, {
    path: `${at}/billing?status=failed`,
    viewport: { width: 1280, height: 900 }
  })
  await page.getByRole('link', { name: bobs }).first().waitFor()
  await page.getByText('The card was declined; the same card may work later').first().waitFor()
  await page.locator('tbody tr').first().getByRole('link').first().click()
  await page.getByRole('heading', { level: 1, name: /Charge of/ }).waitFor()
  await page
    .getByRole('region', { name: 'Tries of this cycle' })
    .getByText(/Next try/)
    .waitFor()
  const before = await attemptsOf(bobs)
  await page.getByRole('button', { name: 'Charge again now' }).click()
  const dialog = page.getByRole('dialog', { name: 'Charge this cycle again now?' })
  await dialog.getByText(/\$29\.00 is charged/).waitFor()
  await dialog.getByRole('button', { name: 'Charge again now' }).dblclick()
  await dialog.waitFor({ state: 'detached' })
  const after = await attemptsOf(bobs)
  assert.equal(after.length, before.length + 1)
  await page.waitForURL(`**/billing/${after[0].id}`)
  await store.advance({ by: 'PT1M' })
  const tries = page.getByRole('region', { name: 'Tries of this cycle' })
  await tries.getByText(`Try ${after[0].attempt_number} · Failed`).waitFor()
  // Another card pays, which the platform reports by itself.
  await store.card(bob.id, 'success')
  await store.advance({ by: 'PT1M' })
  await page.reload()
  await tries.getByText(/Paid/).waitFor()
  assert.deepEqual(complaints, [])
  await close()
})

test('what is unpaid is said where people look, and what an action would do is what it does', { skip }, async () => {
  const { customer: eve } = await store.member('eve@example.com')
  const eves = await subscriptionOf(eve.id)
  const read = () => service.admin('GET', `${at}/subscriptions/${eves}`)
  const preview = (query: string) => service.admin('GET', `${at}/subscriptions/${eves}/preview?action=${query}`)
  assert.equal((await read()).unpaid_cycle, null)
  assert.equal((await preview('skip')).refusal, null)
  await store.card(eve.id, 'insufficient_funds')
  const { charges } = await store.advance({ by: 'P32D' })
  assert.ok(charges.failed >= 1 && charges.succeeded >= 1, JSON.stringify(charges))

  assert.deepEqual((await store.advance({ by: 'PT1M' })).charges, { succeeded: 0, failed: 0, pending: 0 })

  const [last] = await attemptsOf(eves)
  const { next_billing_date: tryAt, unpaid_cycle: owed, status } = await read()
  assert.equal(status, 'active')
  assert.partialDeepStrictEqual(owed, { cycle_index: 2, attempt_id: last.id, error_code: 'card_declined' })
  const [{ has_unpaid_cycle: owes }] = (await service.admin('GET', `${at}/members?email=eve@example.com`)).data
  assert.equal(owes, true)
  assert.match((await preview('skip')).refusal, /is being charged or was declined/)

  const { page, complaints, close } = await openAdmin(service, { path: `${at}/members?status=active` })
  await page
    .getByRole('row', { name: /eve@example\.com/ })
    .getByText('Unpaid')
    .waitFor()
  assert.equal(
    await page
      .getByRole('row', { name: /ada@example\.com/ })
      .getByText('Unpaid')
      .count(),
    0
  )
  await page.goto(`${service.url}/admin${at}`)
  const attention = page.getByRole('region', { name: 'What needs attention' })
  await attention.getByText(/Cycles worth .*29\.00 are unpaid/).waitFor()
  assert.equal(await attention.getByText('Everything works').count(), 0)

  await page.goto(`${service.url}/admin${at}/subscriptions/${eves}`)
  const alert = page.getByRole('alert', { name: 'Cycle 2 is unpaid' })
  await alert.getByText('The card was declined; the same card may work later').waitFor()
  await alert.getByRole('button', { name: 'Charge again now' }).waitFor()
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Skip next cycle' }).click()
  await dialog.getByText(/It was charged and is unpaid/).waitFor()
  assert.equal(await dialog.getByRole('button', { name: 'Skip next cycle' }).count(), 0)
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()

  await page.getByRole('button', { name: 'Pause', exact: true }).click()
  await dialog.getByText('This planned try is not made').waitFor()
  await dialog.getByText('It resumes when somebody resumes it.').waitFor()
  await dialog.getByLabel('Days').fill('10')
  await dialog.getByText(/^It resumes by itself: /).waitFor()
  await dialog.getByLabel('Days').fill('')
  assert.equal((await preview('pause')).after.dropped_try_date, tryAt)
  await dialog.getByRole('button', { name: 'Pause', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  await alert.getByText(/It is charged a day after the subscription goes on/).waitFor()
  await page.getByRole('button', { name: 'Resume' }).click()
  await dialog.getByText('Next charge, of the unpaid cycle 2').waitFor()
  await dialog.getByLabel('Next charge on').fill('2026-06-01')
  await dialog.getByText(/^Next charge, of cycle 3: 1 Jun 2026/).waitFor()
  await dialog.getByLabel('Next charge on').fill('')
  await dialog.getByText('Next charge, of the unpaid cycle 2').waitFor()
  const { after } = await preview('resume')
  await dialog.getByRole('button', { name: 'Resume' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.deepEqual(
    [after.status, after.next_billing_date, after.is_unpaid_cycle],
    ['active', (await read()).next_billing_date, true]
  )
  const chosen = (await preview('resume')).refusal
  assert.match(chosen, /is already active/)

  await store.card(eve.id, 'success')
  await store.advance({ by: 'P2D' })
  assert.equal((await read()).unpaid_cycle, null)
  await page.reload()
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor()
  assert.equal(await alert.count(), 0)
  assert.deepEqual(withoutStatuses(complaints), [])
  await close()
})

test('a subscription is paused for some days, resumed, skipped, cancelled and taken back', { skip }, async () => {
  const { page, complaints, close } = await openAdmin(service, { path: `${at}/subscriptions/${adas}` })
  const read = () => service.admin('GET', `${at}/subscriptions/${adas}`)
  const click = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const dialog = page.getByRole('dialog')
  const confirm = async (name: string) => {
    await dialog.getByRole('button', { name, exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
  }

  await click('Pause')
  await dialog.getByLabel('Days').fill('soon')
  await dialog.getByRole('button', { name: 'Pause', exact: true }).click()
  await dialog.getByText(/integer from 1 to 365/).waitFor()
  assert.equal((await read()).status, 'active')
  await dialog.getByLabel('Days').fill('10')
  await confirm('Pause')
  await page.getByText('Resumes by itself').waitFor()
  assert.equal((await read()).status, 'paused')

  await click('Resume')
  await confirm('Resume')
  await page.getByRole('button', { name: 'Skip next cycle' }).waitFor()
  const { next_billing_date: planned } = await read()
  await click('Skip next cycle')
  await confirm('Skip next cycle')
  await page
    .getByRole('region', { name: 'History' })
    .getByText(/skipped/)
    .waitFor()
  assert.notEqual((await read()).next_billing_date, planned)

  await click('Change')
  await dialog.getByLabel(/Price of a cycle/).fill('much')
  await dialog.getByRole('button', { name: 'Change', exact: true }).click()
  await dialog.getByText(/amount/).waitFor()
  await dialog.getByLabel(/Price of a cycle/).fill('24.00')
  await confirm('Change')
  await page.getByText(/Requested change: .*24\.00/).waitFor()

  await click('Cancel')
  await dialog.getByLabel('Reason').fill('Moving')
  await confirm('Cancel the subscription')
  await page.getByRole('button', { name: 'Take the cancellation back' }).waitFor()
  assert.partialDeepStrictEqual(await read(), { status: 'cancelled', cancel_reason: 'Moving' })
  await click('Take the cancellation back')
  await confirm('Take the cancellation back')
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor()
  assert.equal((await read()).status, 'active')

  await click('Add a note')
  await dialog.getByLabel('Note').fill('Called about the date')
  await confirm('Add a note')
  await page.getByRole('region', { name: 'History' }).getByText('Called about the date').waitFor()
  assert.deepEqual(withoutStatuses(complaints), [])
  await close()
})

test('an order shows what was bought and paid, and is found by its customer', { skip }, async () => {
  const { page, complaints, close } = await openAdmin(service, { path: `${at}/orders` })
  await page.getByLabel('Customer', { exact: true }).fill('ada@example.com')
  await page.keyboard.press('Enter')
  await page.waitForURL(/customer=/)
  const { name } = await service.admin('GET', `${at}/orders/${order}`)
  await page.getByRole('link', { name, exact: true }).click()
  await page.getByRole('heading', { level: 1, name: `Order ${name}` }).waitFor()
  await page.getByRole('region', { name: 'Subscriptions' }).getByRole('link', { name: adas }).waitFor()
  await page.goBack()
  await page.waitForURL(/customer=/)
  assert.deepEqual(complaints, [])
  await close()
})

test('who may only read sees no actions, and the service refuses them', { skip }, async () => {
  const { page, close } = await openAdmin(service, { path: `${at}/subscriptions/${adas}`, role: 'read_only' })
  await page.getByRole('region', { name: 'History' }).waitFor()
  await settled(page)
  assert.equal(await page.getByRole('button', { name: 'Pause', exact: true }).count(), 0)
  const refused = await page.evaluate(
    `fetch('/admin/api${at}/subscriptions/${adas}/pause', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }).then((r) => r.status)`
  )
  assert.equal(refused, 403)
  await close()
})

test('these pages are accessible in light and dark, and nothing is wider than the window', {
  skip
}, async () => {
  const empty = await service.aStore({ name: 'Empty' })
  const { page, complaints, close } = await openAdmin(service, { path: `${at}/orders` })
  const [attempt] = await attemptsOf(bobs)
  for (const [name, path] of [
    ['subscriptions', `${at}/subscriptions`],
    ['subscription', `${at}/subscriptions/${adas}`],
    ['billing', `${at}/billing`],
    ['attempt', `${at}/billing/${attempt.id}`],
    ['orders', `${at}/orders`],
    ['order', `${at}/orders/${order}`],
    ['no-subscriptions', `${empty.at}/subscriptions`],
    ['no-billing', `${empty.at}/billing`],
    ['no-orders', `${empty.at}/orders`]
  ] as const) {
    await page.goto(`${service.url}/admin${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await looked(page, `admin-${name}`)
  }
  assert.deepEqual(complaints, [])
  await close()
})
