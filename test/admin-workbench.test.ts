// The workbench in the admin interface, and how it and the pages of integrations and webhooks look, with much and with little data.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { looked, openAdmin, withoutStatuses } from './admin-browser.ts'
import { noBrowser } from './browser.ts'
import { testDatabase } from './database.ts'
import { aDeadLetter } from './dead-letter.ts'
import { aReceiver } from './receiver.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url, { background: true })
const skip = noBrowser
const store = await service.aStore({ name: 'Bean & Leaf', timezone: 'Europe/Vienna', currency: 'EUR' })
const empty = await service.aStore({ name: 'Books' })
const { at } = store

/** Events of the store, once there is one that fits. */
async function eventWhere(query: string): Promise<{ id: string; sequence: number }> {
  for (;;) {
    const { data } = await service.admin('GET', `${at}/events?sort=newest&limit=1&${query}`)
    if (data.length > 0) return data[0]
  }
}

const customerOf = (reference: string) => service.admin('GET', `${at}/customers/${reference}`)

test('new events appear by themselves until that is paused, and an event leads to its deliveries', {
  skip
}, async () => {
  const receiver = await aReceiver()
  const endpoint = await service.admin('POST', `${at}/webhooks`, { url: receiver.url, events: ['member.created'] })
  receiver.secret = endpoint.secret
  await store.member('ada@example.com')
  await eventWhere('type=member.created')
  const { page, complaints, close } = await openAdmin(service, { path: `${at}/workbench`, role: 'support' })
  const events = page.getByRole('table', { name: 'Events' })
  await events.getByText('ada@example.com').first().waitFor()

  await store.member('bob@example.com')
  await events.getByText('bob@example.com').first().waitFor()
  const shown = await events.getByRole('row').count()
  const { data } = await service.admin('GET', `${at}/events`)
  assert.equal(shown, data.length + 1)

  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText(/^Paused · /).waitFor()
  const { customer: cleo } = await store.member('cleo@example.com')
  const { sequence } = await eventWhere(`type=member.created&customer=${cleo.id}`)
  assert.equal(await events.getByText('cleo@example.com').count(), 0)
  await page.getByRole('button', { name: 'Go on' }).click()
  await events.getByText('cleo@example.com').first().waitFor()

  await page.getByRole('combobox', { name: 'Event type' }).click()
  await page.getByRole('option', { name: 'member.created' }).click()
  await page.waitForURL('**/workbench?type=member.created')
  await page.getByText(/ · 3 are kept/).waitFor()
  await events.getByRole('row').nth(3).waitFor()
  assert.equal(await events.getByRole('row').count(), 4)
  await events
    .getByRole('row', { name: /cleo@example.com/ })
    .getByRole('link')
    .click()
  await page.waitForURL(`**/workbench?type=member.created&sequence=${sequence}`)
  const chosen = page.getByRole('region', { name: 'Event', exact: true })
  await chosen.getByText('Somebody has become a member.').waitFor()
  await chosen.getByText('Delivered', { exact: true }).waitFor()
  const member = chosen.getByRole('link', { name: 'cleo@example.com' })
  assert.equal(await member.getAttribute('href'), `/admin${at}/members/${(await customerOf(cleo.id)).id}`)
  await chosen.getByRole('link', { name: endpoint.id }).click()
  await page.getByRole('heading', { level: 1, name: 'Delivery of member.created' }).waitFor()
  await page.getByRole('link', { name: 'Show it in the workbench' }).click()
  await page.waitForURL(`**/workbench?sequence=${sequence}`)
  await chosen.getByText('Somebody has become a member.').waitFor()

  await page.getByLabel('Customer', { exact: true }).fill('cust_999999')
  await page.getByRole('button', { name: 'Find: Customer' }).click()
  await page.getByText('No event matches these filters').waitFor()
  await page.goto(`${service.url}/admin${at}/workbench?sequence=999999999`)
  await page.getByText(/This event is no longer kept/).waitFor()
  assert.deepEqual(withoutStatuses(complaints), [])
  await close()
})

test('the list goes back page by page', { skip }, async () => {
  const many = await service.aStore({ name: 'Many' })
  const { customer } = await many.member('dan@example.com')
  for (let i = 0; i < 52; i++) {
    await service.admin('POST', `${many.at}/store-credits/${customer.id}/add`, {
      amount: '1.00',
      reason: `Number ${i}`
    })
  }
  while ((await service.admin('GET', `${many.at}/events?type=store_credit.added&limit=1`)).total < 52);
  const { page, complaints, close } = await openAdmin(service, {
    path: `${many.at}/workbench?type=store_credit.added`
  })
  const rows = page.getByRole('table', { name: 'Events' }).getByRole('row')
  await rows.nth(50).waitFor()
  await page.getByText(/52 are kept/).waitFor()
  await page.getByRole('link', { name: 'Older' }).click()
  await page.getByRole('heading', { name: 'Older events' }).waitFor()
  await rows.nth(2).waitFor()
  assert.equal(await rows.count(), 3)
  await page.getByRole('link', { name: 'To the newest' }).click()
  await rows.nth(50).waitFor()
  assert.deepEqual(complaints, [])
  await close()
})

test('a request leads to its event, the event to its delivery, and back', { skip }, async () => {
  const { customer } = await store.member('trail@example.com')
  const key = (await service.admin('POST', `${at}/keys`, { name: 'Warehouse' })).key
  const { headers } = await service.post(`/store-credits/${customer.id}/add`, key, { amount: 5, reason: 'Late' })
  const id = headers.get('x-request-id')!
  await service.post(`/store-credits/${customer.id}/add`, key, { amount: -5 })
  const reader = await openAdmin(service, { path: `${at}/workbench/requests`, role: 'support' })
  const { page, complaints, close } = reader
  const requests = page.getByRole('table', { name: 'API requests' })
  await requests.getByRole('row').filter({ hasText: '400' }).first().getByText('Warehouse').waitFor()
  await requests.getByRole('link', { name: `Events of ${id}` }).click()
  await page.getByText(/1 are kept/).waitFor()
  await page.getByRole('link', { name: 'store_credit.added' }).click()
  await page.getByRole('link', { name: id }).click()
  await page.getByLabel('Request', { exact: true }).waitFor()
  await requests.getByRole('row').nth(1).waitFor()
  assert.equal(await requests.getByRole('row').count(), 2)
  await page.getByLabel('Request', { exact: true }).fill('nothing')
  await page.getByRole('button', { name: 'Find: Request' }).click()
  await page.getByText('There is no such request here').waitFor()
  assert.deepEqual(complaints, [])
  await close()
})

test('a dead letter is retried, by those who may; only owners see requests with their ids', { skip }, async () => {
  const { id } = await service.db.inStore(store.storeId, async (ctx) => ({ id: await aDeadLetter(ctx) }))
  const reader = await openAdmin(service, { path: `${at}/workbench/dead-letters`, role: 'support' })
  await reader.page.getByText('It failed').waitFor()
  assert.equal(await reader.page.getByRole('button', { name: 'Retry' }).count(), 0)
  await reader.page.goto(`${service.url}/admin${at}/workbench/requests`)
  await reader.page.getByText('Only owners see who has changed what.').waitFor()
  await reader.close()

  const { page, complaints, close, person } = await openAdmin(service, { path: `${at}/workbench/dead-letters` })
  await page.getByRole('button', { name: 'Retry' }).click()
  const dialog = page.getByRole('dialog', { name: `Try ${id} again?` })
  const answer = page.waitForResponse((response) => response.url().endsWith('/retry'))
  await dialog.getByRole('button', { name: 'Retry' }).click()
  const requestId = (await answer).headers()['x-request-id']!
  await page.getByText('It is tried again').waitFor()
  await page.getByRole('link', { name: 'Requests' }).click()
  const row = page.getByRole('row', { name: new RegExp(requestId) })
  await row.getByText('retryDeadLetter').waitFor()
  await row.getByText(person.name).waitFor()
  await row.getByRole('cell', { name: '202', exact: true }).waitFor()
  assert.deepEqual(complaints, [])
  await close()
})

test('all pages look right with much and with little', { skip }, async (_t) => {
  const broken = await aReceiver(() => 500)
  const long = 'x'.repeat(200)
  const { id } = await service.admin('POST', `${at}/webhooks`, { url: broken.url, description: long })
  await service.admin('POST', `${at}/keys`, { name: long, scopes: ['read:members', 'write:store_credits'] })
  const old = await service.admin('POST', `${at}/keys`, { name: 'Warehouse', scopes: ['read:data'] })
  await service.admin('POST', `${at}/keys/${old.id}/roll`, { overlap: 24 })
  await service.admin('DELETE', `${at}/keys/${(await service.admin('POST', `${at}/keys`, { name: 'Gone' })).id}`)
  await service.admin('POST', `${at}/reward-integrations`, {
    key: 'smile',
    pull: { url: 'http://127.0.0.1:9/balances' }
  })
  await service.admin('POST', `${at}/reward-integrations`, { key: 'growave', shown: false })
  await service.admin('POST', `${at}/webhooks/${id}/roll`, {})
  const { webhook_id } = await service.admin('POST', `${at}/webhooks/${id}/test`, { event: 'billing.success' })
  await store.member(`${'l'.repeat(50)}@example.com`)
  await service.db.inStore(store.storeId, aDeadLetter)
  const { sequence } = await eventWhere('type=member.created')
  while ((await service.admin('GET', `${at}/webhook-deliveries/${webhook_id}`)).status === 'retrying');

  const pages = [
    ['keys', `${at}/integrations`],
    ['rewards', `${at}/integrations/reward-points`],
    ['platform', `${at}/integrations/platform`],
    ['endpoints', `${at}/webhooks`],
    ['endpoint', `${at}/webhooks/${id}`],
    ['deliveries', `${at}/webhooks/deliveries`],
    ['delivery', `${at}/webhooks/deliveries/${webhook_id}`],
    ['signature', `${at}/webhooks/signature?delivery=${webhook_id}`],
    ['events', `${at}/workbench?sequence=${sequence}`],
    ['dead-letters', `${at}/workbench/dead-letters`],
    ['requests', `${at}/workbench/requests`]
  ] as const
  const little = [
    ['no-rewards', `${empty.at}/integrations/reward-points`],
    ['no-endpoints', `${empty.at}/webhooks`],
    ['no-deliveries', `${empty.at}/webhooks/deliveries`],
    ['no-events', `${empty.at}/workbench`],
    ['no-dead-letters', `${empty.at}/workbench/dead-letters`]
  ] as const
  const { page, complaints, close } = await openAdmin(service, { path: at })
  for (const [name, path] of [...pages, ...little]) {
    await page.goto(`${service.url}/admin${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await looked(page, name)
  }
  const dialogs = [
    ['create-key', `${at}/integrations`, 'Create a key'],
    ['add-rewards', `${at}/integrations/reward-points`, 'Add an integration'],
    ['register', `${at}/webhooks`, 'Register an endpoint'],
    ['test-send', `${at}/webhooks/${id}`, 'Send a test'],
    ['bulk', `${at}/webhooks/deliveries`, 'Resend what has failed']
  ] as const
  for (const [name, path, button] of dialogs) {
    await page.goto(`${service.url}/admin${path}`)
    await page.getByRole('button', { name: button }).click()
    await page.getByRole('dialog').waitFor()
    await looked(page, name)
  }
  assert.deepEqual(withoutStatuses(complaints), [])
  await close()
})
