// The pages of members in the admin interface, in a real browser with the real service and sandbox.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { looked, openAdmin, settled, withoutStatuses } from './admin-browser.ts'
import { noBrowser } from './browser.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { accessible, picture } from './storefront-browser.ts'

const { url } = await testDatabase()
const service = await startService(url)
const skip = noBrowser

const store = await service.aStore({ name: 'Bean & Leaf', timezone: 'Europe/Vienna', currency: 'EUR' })
const at = store.at
const { customer: ada } = await store.member('ada.adler@example.com')
const { customer: bob } = await store.member('bob.brandt@example.com')
await service.admin('POST', `${at}/subscriptions/${await subscriptionOf(bob.id)}/pause`, {})
// Many more, who need no history.
await service.db.inStore(store.storeId, ({ tx, storeId }) =>
  tx.run(sql`
    insert into members (store_id, platform_customer_id, email, status, member_since, created_at, updated_at)
    select ${storeId}, n, 'person-' || n || '@example.com', 'cancelled', now(), now(), now()
      from generate_series(1, 108) n`)
)

async function subscriptionOf(customer: string): Promise<string> {
  const found = await service.admin('GET', `${at}/customers/${customer}`)
  const { data } = await service.admin('GET', `${at}/subscriptions?customer_id=${found.id}`)
  return data[0].id
}
const rows = 'tbody tr'

test('the list has a hundred members on a page, and pages and filters are in the address', { skip }, async () => {
  const { total } = await service.admin('GET', `${at}/members?limit=1`)
  const { page, complaints, close } = await openAdmin(service, { path: `${at}/members` })
  await page.getByText(`${total} members`).waitFor()
  assert.equal(await page.locator(rows).count(), 100)

  await page.getByRole('button', { name: 'Next page' }).click()
  await page.waitForURL('**/members?page=2')
  await page.getByText(`101 to ${total} of ${total}`).waitFor()
  await accessible(page, 'second page')
  assert.equal(await page.locator(rows).count(), total - 100)
  await page.goBack()
  await page.getByText(`1 to 100 of ${total}`).waitFor()

  const cancelled = await service.admin('GET', `${at}/members?status=cancelled&limit=100`)
  await page.getByLabel('Status').selectOption('cancelled')
  await page.waitForURL('**/members?status=cancelled')
  await page.getByText(`${cancelled.total} members`).waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByText(`${total} members`).waitFor()
  assert.deepEqual(complaints, [])
  await close()
})

test('a member is found by their address, and their page has what the service knows of them', { skip }, async () => {
  const [member] = (await service.admin('GET', `${at}/members?status=active&limit=1`)).data
  assert.equal(member.platform_customer_id, ada.id)
  await service.admin('POST', `${at}/store-credits/${ada.id}/add`, {
    amount: 12.5,
    reason: 'Sorry for the late parcel'
  })
  const { page, complaints, close } = await openAdmin(service, { path: `${at}/members` })
  await page.getByRole('searchbox', { name: 'Search' }).fill(member.email.slice(0, 8).toUpperCase())
  await page.keyboard.press('Enter')
  await page.waitForURL(/q=/)
  await page.getByRole('link', { name: member.name ?? member.email }).click()
  await page.getByRole('heading', { level: 1, name: member.name ?? member.email }).waitFor()
  await settled(page)

  const details = page.getByRole('region', { name: 'Details' })
  await details.getByText(member.email).waitFor()
  await page.getByRole('table', { name: 'Latest entries' }).getByText('Sorry for the late parcel').waitFor()
  await page.getByRole('region', { name: 'Store credit' }).getByText('€12.50').first().waitFor()
  const orders = await service.admin('GET', `${at}/orders?customer=${ada.id}`)
  await page.getByRole('table', { name: 'Orders' }).getByText(orders.data[0].name, { exact: true }).waitFor()

  const since = details.locator('time').first()
  assert.equal(await since.getAttribute('title'), `${member.member_since.slice(0, 19).replace('T', ' ')} UTC`)
  await page.goBack()
  await page.waitForURL(/q=/)
  await page.getByRole('link', { name: member.name ?? member.email }).waitFor()
  assert.deepEqual(complaints, [])
  await close()
})

test('store credit and points are changed by hand, and are in the history', { skip }, async () => {
  const { page, complaints, close } = await openAdmin(service, { path: `${at}/members/${bob.id}` })
  const dialog = page.getByRole('dialog')
  const history = page.getByRole('region', { name: 'History' })
  const credit = async () => (await service.admin('GET', `${at}/store-credits/${bob.id}`)).balance

  await page.getByRole('button', { name: 'Add store credit' }).click()
  await dialog.getByLabel(/Amount/).fill('-5')
  await dialog.getByLabel('Reason').fill('For the wait')
  await dialog.getByRole('button', { name: 'Add store credit' }).click()
  await dialog.getByText(/above 0/).waitFor()
  await dialog.getByLabel(/Amount/).fill('7.50')
  await dialog.getByRole('button', { name: 'Add store credit' }).dblclick()
  await dialog.waitFor({ state: 'detached' })
  await history.getByText(/For the wait · €7.50/).waitFor()
  assert.equal(await credit(), 7.5)

  await page.getByRole('button', { name: 'Deduct store credit' }).click()
  await dialog.getByLabel(/Amount/).fill('2')
  await dialog.getByLabel('Reason').fill('Too much')
  await dialog.getByRole('button', { name: 'Deduct store credit' }).click()
  await dialog.waitFor({ state: 'detached' })
  await history.getByText(/Too much · -€2.00/).waitFor()
  assert.equal(await credit(), 5.5)

  await page.getByRole('button', { name: 'Set points' }).click()
  await dialog.getByLabel(/Points that/).fill('many')
  await dialog.getByLabel('Reason').fill('Counted again')
  await dialog.getByRole('button', { name: 'Set points' }).click()
  await dialog.getByText(/integer from 0/).waitFor()
  await dialog.getByLabel(/Points that/).fill('500')
  await dialog.getByRole('button', { name: 'Set points' }).click()
  await history.getByText(/Counted again · 500/).waitFor()

  await page.getByRole('button', { name: 'Compare now' }).click()
  await page.getByRole('table', { name: 'Tags' }).getByText('There').first().waitFor()
  assert.deepEqual(withoutStatuses(complaints), [])
  await close()
})

test('one box finds people, orders and pages by the keyboard', { skip }, async () => {
  const { page, complaints, close } = await openAdmin(service, { path: at })
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await page.keyboard.press('Control+K')
  const box = page.getByRole('combobox', { name: /Search members/ })
  await box.fill('ada.a')
  await page.getByRole('option', { name: /ada\.adler@example\.com/ }).waitFor()
  await accessible(page, 'search')
  await picture(page, 'admin-search')
  await page.keyboard.press('Enter')
  await page.waitForURL(/members\/cust_/)
  await page.getByRole('button', { name: /^Search/ }).click()
  await box.fill('bill')
  await page.getByRole('option', { name: /Billing/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Billing' }).waitFor()
  await page.keyboard.press('Control+K')
  await box.fill('nobody at all')
  await page.getByText('Nothing is found.').waitFor()
  await page.keyboard.press('Escape')
  await box.waitFor({ state: 'detached' })
  assert.deepEqual(complaints, [])
  await close()
})

test('a name of ten thousand characters breaks no page', { skip }, async () => {
  const [member] = (await service.admin('GET', `${at}/members?limit=1`)).data
  const viewport = { width: 390, height: 800 }
  const { page, close } = await openAdmin(service, { path: `${at}/members`, viewport })
  const name = 'n'.repeat(10_000)
  const customer = await service.admin('GET', `${at}/customers/${member.platform_customer_id}`)
  await page.route('**/members?**', (route) => route.fulfill({ json: { data: [{ ...member, name }], total: 1 } }))
  await page.route('**/customers/*', (route) => route.fulfill({ json: { ...customer, name } }))
  await page.reload()
  await page.getByText('1 member').waitFor()
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390)
  await page.locator('tbody a').click()
  await page.getByRole('region', { name: 'Details' }).waitFor()
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390)
  await picture(page, 'admin-long-name')
  await close()
})

test('many members are accessible in light and dark, and nothing is wider than the window', {
  skip
}, async () => {
  const { page, complaints, close } = await openAdmin(service, { path: `${at}/members` })
  for (const [name, path] of [
    ['overview', ''],
    ['list', '/members'],
    ['found', '/members?q=a'],
    ['member', `/members/${ada.id}`]
  ] as const) {
    await page.goto(`${service.url}/admin${at}${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await looked(page, `admin-many-${name}`)
  }
  assert.deepEqual(complaints, [])
  await close()
})
