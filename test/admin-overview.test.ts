// The overview of a store in the admin interface, in a real browser with the real service and sandbox.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { looked, openAdmin, settled } from './admin-browser.ts'
import { noBrowser } from './browser.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const skip = noBrowser

const store = await service.aStore({ name: 'Bean & Leaf', timezone: 'Europe/Vienna', currency: 'EUR' })
const { at } = store
await store.member('ada@example.com')
await store.member('bob@example.com')

test('the figures are those of the API, for the period and the plan of the address', { skip }, async () => {
  const { page, complaints, close } = await openAdmin(service, { path: at })
  const metrics = await service.admin('GET', `${at}/analytics?period=30d`)
  assert.equal(metrics.members.active, 2)
  await page
    .getByText(`€${metrics.mrr.toFixed(2)}`, { exact: true })
    .first()
    .waitFor()
  await page.getByText('Active members by day').waitFor()
  await page.locator('.recharts-surface').first().waitFor()
  await page.getByText('Show the days as a table').click()
  assert.equal(await page.getByRole('table').locator('tbody tr').count(), 30)

  await page.getByRole('radiogroup', { name: 'Period' }).getByText('7 days').click()
  await page.waitForURL('**?period=7d')
  await page.getByRole('table').locator('tbody tr').nth(7).waitFor({ state: 'detached' })
  assert.equal(await page.getByRole('table').locator('tbody tr').count(), 7)
  const { data } = await service.admin('GET', `${at}/plans`)
  await page.getByLabel('Plan', { exact: true }).selectOption(data[0].id)
  await page.waitForURL(`**?period=7d&plan=${data[0].id}`)
  await settled(page)
  assert.deepEqual(complaints, [])
  await close()
})

test('what needs attention leads to its remedy', { skip }, async () => {
  const endpoint = await service.admin('POST', `${at}/webhooks`, {
    url: 'http://127.0.0.1:9/hooks',
    events: ['billing.failed']
  })
  await service.admin('POST', `${at}/webhooks/${endpoint.id}/disable`, { reason: 'It answers nothing' })
  const { page, close } = await openAdmin(service, { path: at })
  const link = page.getByRole('link', { name: 'Go there' }).first()
  await link.waitFor()
  assert.equal(await link.getAttribute('href'), `/admin${at}/webhooks/${endpoint.id}`)
  await close()
})

test('it is accessible in light and dark, with and without data', { skip }, async () => {
  const empty = await service.aStore({ name: 'Empty' })
  const { page, complaints, close } = await openAdmin(service, { path: at })
  for (const [name, path] of [
    ['figures', at],
    ['empty', empty.at]
  ] as const) {
    await page.goto(`${service.url}/admin${path}`)
    await page.locator('.recharts-surface').first().waitFor()
    await looked(page, `admin-overview-${name}`)
  }
  assert.deepEqual(complaints, [])
  await close()
})
