// The sandbox page of the admin interface, in a real browser with the real service and sandbox.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { looked, openAdmin, settled, withoutStatuses } from './admin-browser.ts'
import { noBrowser } from './browser.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { aStore } from './store-builder.ts'
import { until } from './until.ts'

const { url } = await testDatabase()
const service = await startService(url)
const skip = noBrowser
const store = await service.aStore({ name: 'Bean & Leaf', timezone: 'Europe/Vienna', currency: 'EUR' })
const live = await aStore(service.db, { sandbox: false, accessToken: 'token-123', appSecret: 'secret-123' })

test('a customer is made, joins, has a scripted card, and the clock brings what follows', { skip }, async () => {
  const { page, complaints, close } = await openAdmin(service, { path: `${store.at}/sandbox`, role: 'developer' })
  for (const name of ['Open the shop as a customer sees it', 'Mails that its customers got']) {
    const href = await page.getByRole('link', { name }).getAttribute('href')
    assert.equal((await fetch(href!)).status, 200, `${name}: ${href}`)
  }
  const make = page.getByRole('region', { name: 'Make a customer' })
  await make.getByRole('button').click()
  await make.getByText(/an e-mail address/).waitFor()
  await make.getByLabel('E-mail address').fill('ada.adler@example.com')
  await make.getByRole('button', { name: 'Make the customer' }).click()
  await make.getByText('The customer is').waitFor()
  await make.getByLabel('E-mail address').fill('bob@example.com')
  await make.getByLabel('Telephone').fill('0664 1234567')
  await make.getByRole('button', { name: 'Make the customer' }).click()
  await make.getByText(/^This must be a telephone number with its country code/).waitFor()
  await make.getByLabel('Telephone').fill('')

  const join = page.getByRole('region', { name: 'Join a plan' })
  const number = await join.getByLabel('Customer').inputValue()
  assert.match(number, /^\d+$/)
  await join.getByLabel('Customer').fill('ada.ad')
  await page.getByRole('option', { name: /ada.adler@example.com/ }).click()
  await join.locator(`input[value="${number}"]`).waitFor()
  await join.getByRole('button', { name: 'Join' }).click()
  await join.getByText('Joined:').waitFor()

  const card = page.getByRole('region', { name: 'Script the card' })
  await card.getByLabel('The next charges').selectOption({ label: 'Something else' })
  await card.getByLabel('Outcomes').fill('no_such_code')
  await card.getByRole('button', { name: 'Set the card' }).click()
  await card.getByText(/must be one of success/).waitFor()
  await card.getByLabel('The next charges').selectOption({ label: 'All are declined, and may work later' })
  await card.getByRole('button', { name: 'Set the card' }).click()
  await card.getByText('The card is set:').waitFor()

  await page.getByRole('button', { name: '1 month ahead' }).click()
  await page.getByText('The clock is at 28 Feb 2026').waitFor()
  const { data } = await service.admin('GET', `${store.at}/billing-attempts?status=failed`)
  assert.equal(data.length, 1)

  await page.getByLabel('Or until (Europe/Vienna)').fill('2026-01-01T08:00')
  await page.getByRole('button', { name: 'Move the clock' }).click()
  await page.getByText(/must be an instant from/).waitFor()
  await page.getByLabel('Or until (Europe/Vienna)').fill('2026-07-01T08:00')
  await page.getByRole('button', { name: 'Move the clock' }).click()
  await page.getByText('The clock is at 1 Jul 2026, 08:00').waitFor()
  assert.equal((await service.admin('GET', store.at)).clock, '2026-07-01T06:00:00.000Z')
  assert.deepEqual(withoutStatuses(complaints), [])
  await close()
})

test('a store with a clock is made, disconnected, connected again, and deleted by its name', { skip }, async () => {
  const { page, complaints, close } = await openAdmin(service, { path: `${store.at}/sandbox`, role: 'owner' })
  await page.getByRole('button', { name: 'New sandbox store' }).click()
  const form = page.getByRole('dialog', { name: 'New sandbox store' })
  await form.getByLabel('Name').fill('Trial')
  await form.getByLabel('Domain').fill('not a domain')
  await form.getByRole('button', { name: 'Create the store' }).click()
  await form.getByText(/host name such as/).waitFor()
  await form.getByLabel('Domain').fill('trial.example')
  await form.getByLabel('It begins at').fill('2027-01-31T10:00')
  await form.getByRole('button', { name: 'Create the store' }).dblclick()
  await form.waitFor({ state: 'detached' })
  const stores = async () => (await service.admin('GET', '/stores')).data as Record<string, any>[]
  const trials = (await stores()).filter(({ domain }) => domain === 'trial.example')
  assert.equal(trials.length, 1)
  const [{ id, clock, timezone }] = trials as [Record<string, any>]
  assert.deepEqual([clock, timezone], ['2027-01-31T09:00:00.000Z', 'Europe/Vienna'])
  await page.waitForURL(`**/stores/${id}/sandbox`)
  await page.getByRole('button', { name: '1 day ahead' }).waitFor()

  await page.goto(`${service.url}/admin/stores/${id}/integrations/platform`)
  const dialog = page.getByRole('dialog')
  const statusOf = async () => (await stores()).find((one) => one.id === id)?.status
  for (const [label, status] of [
    ['Disconnect', 'disconnected'],
    ['Connect again', 'active']
  ] as const) {
    await page.getByRole('button', { name: label, exact: true }).click()
    await dialog.getByRole('button', { name: label, exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.equal(await statusOf(), status)
  }
  await page.getByRole('button', { name: 'Delete the store' }).click()
  await dialog.getByLabel(/Enter its name/).fill('Tria')
  await dialog.getByRole('button', { name: 'Delete the store' }).click()
  await dialog.getByText(/the name of the store/).waitFor()
  assert.equal(await statusOf(), 'active')
  await dialog.getByLabel(/Enter its name/).fill('Trial')
  await dialog.getByRole('button', { name: 'Delete the store' }).click()
  await dialog.waitFor({ state: 'detached' })
  await until('it is gone', async () => (await statusOf()) === undefined)
  await page.waitForURL((at) => !at.pathname.includes(id))
  assert.deepEqual(withoutStatuses(complaints), [])
  await close()
})

test('support sees the clock and cannot move it; a real store has no sandbox', { skip }, async () => {
  const { page, complaints, close } = await openAdmin(service, { path: `${store.at}/sandbox`, role: 'support' })
  await page.getByText('This store is a sandbox').waitFor()
  await settled(page)
  assert.equal(await page.getByRole('button', { name: '1 day ahead' }).count(), 0)
  assert.equal(await page.getByRole('region', { name: 'Join a plan' }).count(), 0)
  await page.goto(`${service.url}/admin/stores/store_${live.storeId}/sandbox`)
  await page.getByText('This store is a real one').waitFor()
  assert.equal(await page.getByRole('link', { name: 'Sandbox', exact: true }).count(), 0)
  assert.deepEqual(complaints, [])
  await close()
})

test('the sandbox is accessible in light and dark, and nothing is wider than the window', { skip }, async () => {
  const path = `${store.at}/sandbox`
  const { page, complaints, close } = await openAdmin(service, { path })
  await page.getByRole('button', { name: '1 day ahead' }).click()
  await page.getByText('The clock is at').waitFor()
  await looked(page, 'admin-sandbox')
  assert.deepEqual(complaints, [])
  await close()
})
