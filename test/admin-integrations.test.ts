// The pages of integrations in the admin interface, in a real browser with the real service and sandbox.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { sql } from '#kit/postgres'
import { SCOPES } from '#stores'
import { openAdmin, settled, withoutStatuses } from './admin-browser.ts'
import { noBrowser } from './browser.ts'
import { beforeDrop, testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { accessible } from './storefront-browser.ts'

const { url } = await testDatabase()
const service = await startService(url)
const skip = noBrowser
const store = await service.aStore({ name: 'Bean & Leaf', timezone: 'Europe/Vienna', currency: 'EUR' })
await store.member('ada@example.com')
const { at } = store

const keysNow = async () => (await service.admin('GET', `${at}/keys`)).data as Record<string, any>[]

/** Fills in the form of a new key. */
async function fillKey(page: Page, name: string, scopes: string[]): Promise<Locator> {
  await page.getByRole('button', { name: 'Create a key' }).click()
  const form = page.getByRole('dialog', { name: 'Create a key' })
  await form.getByLabel('Name').fill(name)
  for (const scope of scopes) await form.getByRole('checkbox', { name: scope }).check()
  return form
}

test('a key is created with what it may do, shown once, and used; then rolled with an overlap, and revoked', {
  skip
}, async () => {
  const { page, complaints, close } = await openAdmin(service, { path: `${at}/integrations`, role: 'developer' })
  const form = await fillKey(page, 'CRM', ['read:members'])
  assert.deepEqual(
    await form.getByRole('checkbox').evaluateAll((all) => all.map((one) => (one as { value: string }).value)),
    SCOPES
  )
  await form.getByRole('button', { name: 'Create a key' }).click()

  const shown = page.getByRole('dialog', { name: 'The key CRM is made' })
  const key = await shown.getByLabel('Key', { exact: true }).inputValue()
  const { status, body } = await service.get('/members?limit=1', key)
  assert.deepEqual([status, body.data.length], [200, 1])
  assert.equal((await service.get('/subscriptions', key)).status, 403)
  await page.keyboard.press('Escape')
  assert.equal(await shown.isVisible(), true)
  await accessible(page, 'a new key')
  await shown.getByRole('button', { name: 'I have stored it' }).click()
  await shown.waitFor({ state: 'detached' })
  assert.equal((await page.content()).includes(key), false)

  const row = page.getByRole('table', { name: 'Keys in use' }).getByRole('row', { name: /CRM/ })
  await row.getByText('read:members').waitFor()
  await row.getByRole('button', { name: 'Roll: CRM' }).click()
  const roll = page.getByRole('dialog', { name: 'Roll the key CRM?' })
  await roll.getByText(/The old key works until/).waitFor()
  await roll.getByRole('button', { name: 'Roll', exact: true }).click()
  const second = await page.getByLabel('Key', { exact: true }).inputValue()
  assert.notEqual(second, key)
  for (const one of [key, second]) assert.equal((await service.get('/members?limit=1', one)).status, 200)
  await page.getByRole('button', { name: 'I have stored it' }).click()
  const [newer, older] = await keysNow()
  assert.deepEqual([newer!.name, newer!.scopes, newer!.expires_at], ['CRM', ['read:members'], null])
  const hours = (Date.parse(older!.expires_at) - Date.parse(newer!.created_at)) / 3_600_000
  assert.ok(Math.abs(hours - 24) < 0.1, String(hours))

  const ending = page.getByRole('row', { name: /Ends soon/ })
  await ending.getByRole('button', { name: 'Revoke' }).click()
  const revoke = page.getByRole('dialog', { name: 'Revoke the key CRM?' })
  await revoke.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('table', { name: 'Ended keys' }).getByText('Revoked').waitFor()
  assert.equal((await service.get('/members?limit=1', key)).status, 401)
  assert.equal((await service.get('/members?limit=1', second)).status, 200)
  assert.deepEqual(withoutStatuses(complaints), [])
  await close()
})

test('what a key lacks is said at its field, a long name is refused there, and a double click makes one', {
  skip
}, async () => {
  const { page, complaints, close } = await openAdmin(service, { path: `${at}/integrations` })
  const before = (await keysNow()).length
  const form = await fillKey(page, 'x'.repeat(10_000), [])
  const submit = form.getByRole('button', { name: 'Create a key' })
  await submit.click()
  await form.getByText('Choose at least one thing that it may do').waitFor()
  await form.getByRole('button', { name: 'Only reading' }).click()
  assert.equal(await form.getByRole('checkbox', { checked: true }).count(), SCOPES.length / 2)
  await submit.click()
  await form.getByText(/1 to 200 characters/).waitFor()
  assert.equal((await form.getByLabel('Name').inputValue()).length, 10_000)
  assert.equal((await keysNow()).length, before)

  await form.getByLabel('Name').fill('Once')
  await submit.dblclick()
  await page.getByRole('button', { name: 'I have stored it' }).click()
  assert.equal((await keysNow()).filter(({ name }) => name === 'Once').length, 1)
  assert.deepEqual(withoutStatuses(complaints), [])
  await close()
})

test('who may only read sees keys and integrations, and nothing to change them with', { skip }, async () => {
  const { page, complaints, close, person } = await openAdmin(service, {
    path: `${at}/integrations`,
    role: 'read_only'
  })
  await page.getByRole('table', { name: 'Keys in use' }).waitFor()
  for (const path of ['', '/reward-points', '/platform']) {
    await page.goto(`${service.url}/admin${at}/integrations${path}`)
    await page.getByRole('heading', { level: 2 }).first().waitFor()
    await settled(page)
    assert.deepEqual(
      await page
        .locator('main')
        .getByRole('button', { name: /Create|Add|Roll|Revoke|Remove|Check|Compare/ })
        .count(),
      0
    )
  }
  const refused = await fetch(`${service.url}/admin/api${at}/keys`, {
    method: 'POST',
    headers: { cookie: person.cookie, origin: service.url, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'No' })
  })
  assert.equal(refused.status, 403)
  assert.deepEqual(complaints, [])
  await close()
})

test('an integration of reward points is added, pulled, changed by two people and removed', { skip }, async () => {
  let authorization: string | undefined
  const rewards = createServer((request, response) => {
    authorization = request.headers.authorization
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ balances: [{ email: 'ada@example.com', points: 120 }], next_cursor: null }))
  })
  await new Promise<void>((done) => rewards.listen(0, '127.0.0.1', done))
  beforeDrop(() => new Promise<void>((done) => rewards.close(() => done())))
  const from = `http://127.0.0.1:${(rewards.address() as AddressInfo).port}/balances`

  const { page, complaints, close } = await openAdmin(service, { path: `${at}/integrations/reward-points` })
  await page.getByText('No other service keeps points for this shop').waitFor()
  await page.getByRole('button', { name: 'Add an integration' }).click()
  const form = page.getByRole('dialog', { name: 'Add an integration' })
  await form.getByLabel('Key').fill('Smile!')
  await form.getByLabel('Pull from').fill(from)
  await form.getByLabel('Authorization', { exact: true }).fill('Bearer of-the-shop')
  await form.getByRole('button', { name: 'Save the integration' }).click()
  await form.getByText(/lower-case letters, digits and _/).waitFor()
  await form.getByLabel('Key').fill('smile')
  await form.getByRole('button', { name: 'Save the integration' }).click()
  await form.waitFor({ state: 'detached' })

  const row = page.getByRole('row', { name: /smile_points/ })
  await row.getByRole('button', { name: 'Pull now' }).click()
  await page.getByText('1 received, 1 stored, 0 of nobody known').waitFor()
  assert.equal(authorization, 'Bearer of-the-shop')
  assert.equal((await page.content()).includes('of-the-shop'), false)

  await row.getByRole('button', { name: 'Edit' }).click()
  const edit = page.getByRole('dialog', { name: 'Change smile' })
  await service.admin('POST', `${at}/reward-integrations`, { key: 'smile', pull: { every_minutes: 30 } })
  await edit.getByLabel('The shop shows these balances in its storefront').uncheck()
  await edit.getByRole('button', { name: 'Save the integration' }).click()
  await edit.getByText(/Somebody else has changed this integration/).waitFor()
  await edit.getByRole('button', { name: 'Cancel' }).click()
  await row.getByRole('button', { name: 'Edit' }).click()
  await edit.getByLabel('The shop shows these balances in its storefront').uncheck()
  await edit.getByRole('button', { name: 'Save the integration' }).click()
  await row.getByText('The storefront does not show them').waitFor()
  const [kept] = (await service.admin('GET', `${at}/reward-integrations`)).data
  assert.deepEqual([kept.shown, kept.pull.has_authorization, kept.balances], [false, true, 1])

  await row.getByRole('button', { name: 'Remove' }).click()
  const remove = page.getByRole('dialog', { name: 'Remove smile?' })
  await remove.getByText(/All of its balances \(1\) are deleted/).waitFor()
  await remove.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('No other service keeps points for this shop').waitFor()
  assert.deepEqual((await service.admin('GET', `${at}/reward-integrations`)).data, [])
  assert.deepEqual(withoutStatuses(complaints), [])
  await close()
})

test('the connection shows what the shop has not allowed and what the platform sends, and is checked', {
  skip
}, async () => {
  await service.admin('POST', `${at}/platform/check`)
  await service.db.inStore(store.storeId, ({ tx, storeId }) =>
    tx.run(sql`
      update stores set granted_scopes = array_remove(granted_scopes, 'write_orders') where store_id = ${storeId}`)
  )
  const { page, complaints, close } = await openAdmin(service, { path: `${at}/integrations/platform` })
  await page.getByText('Missing: 1').waitFor()
  const first = page.getByRole('table', { name: 'Access scopes' }).getByRole('row').nth(1)
  await first.getByText('write_orders').waitFor()
  await first.getByText('orders get no tags').waitFor()
  await page.getByRole('table', { name: 'Webhooks of the platform' }).getByText('As it should be').first().waitFor()
  await page.getByText(`${store.platform_url}/apps/svc-api`, { exact: true }).waitFor()

  await page.getByRole('button', { name: 'Check now' }).click()
  await page.getByText(/Checked. Corrected: \d+/).waitFor()
  await page.getByText('All scopes that the app needs are granted.').waitFor()
  await page.getByRole('button', { name: 'Compare and correct now' }).click()
  await page.getByText('The discounts are being compared and corrected').waitFor()
  assert.deepEqual(complaints, [])
  await close()
})
