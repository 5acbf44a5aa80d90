// The page of retention in the admin interface, in a real browser with the real service and sandbox.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { looked, openAdmin, withoutStatuses } from './admin-browser.ts'
import { noBrowser } from './browser.ts'
import { aChurnShop, EVERY_TWO_MONTHS, QUARTER_OFF, TEN_CREDIT } from './churn-shop.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const skip = noBrowser
const shop = await aChurnShop(service)
const { at } = shop
const churn = (path: string) => service.admin('GET', `${at}/churn${path}`)

/** The contract of somebody who joins now. */
async function aContract(email: string) {
  const { customer } = await shop.member(email)
  const found = await service.admin('GET', `${at}/customers/${customer.id}`)
  const [subscription] = (await service.admin('GET', `${at}/subscriptions?customer_id=${found.id}`)).data
  return { contract: subscription.contract_id as string, subscription: subscription.id as string, customer }
}

test('an offer is created and switched on, and who cancels is given it', { skip }, async () => {
  const { contract, subscription, customer } = await aContract('ada@example.com')
  const { page, complaints, close } = await openAdmin(service, { path: `${at}/retention` })
  await page.getByText('No offers yet').waitFor()
  await page.getByRole('button', { name: 'Create an offer' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create an offer' })
  await dialog.getByLabel('Name').fill('A quarter off')
  await dialog.getByLabel('Whole percent').fill('250')
  await dialog.getByLabel('For how many cycles').fill('2')
  await dialog.getByRole('checkbox', { name: 'It is too expensive' }).check()
  await dialog.getByRole('switch', { name: 'Customers see it' }).uncheck()
  await dialog.getByRole('button', { name: 'Create an offer' }).click()
  await dialog.getByText('must be a whole number from 1 to 100').waitFor()
  await dialog.getByLabel('Whole percent').fill('25')
  await dialog.getByRole('button', { name: 'Create an offer' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('cell', { name: '25% off for 2 cycles' }).waitFor()
  const [offer] = (await churn('/offers')).data
  assert.deepEqual([offer.name, offer.enabled, offer.reasons], ['A quarter off', false, ['too_expensive']])
  assert.equal((await shop.accept(contract, offer.id, { as: customer.id })).status, 404)

  await page.getByRole('button', { name: 'Switch on: A quarter off' }).click()
  await page.getByRole('dialog').getByText('It is too expensive').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Switch on' }).click()
  await page.getByText('A quarter off is on').waitFor()

  await page.getByRole('link', { name: 'Try a contract' }).click()
  await page.getByLabel('Contract', { exact: true }).fill(subscription)
  await page.keyboard.press('Enter')
  await page.getByRole('row', { name: /A quarter off .* Yes US\$21\.75/ }).waitFor()
  assert.equal((await shop.accept(contract, offer.id, { as: customer.id })).status, 200)

  await page.getByRole('link', { name: 'Accepted offers' }).click()
  await page.getByRole('button', { name: `Revoke: ${subscription}` }).click()
  await page.getByText('What is left of the discount is taken off').waitFor()
  assert.equal((await churn('/accepted-offers')).data[0].status, 'active')
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('revoked here').waitFor()
  assert.equal((await churn('/accepted-offers')).data[0].ended_by, 'revoked')
  assert.deepEqual(withoutStatuses(complaints), [])
  await close()
})

test('a reason is renamed and switched off, and a second editor is told', { skip }, async () => {
  const { page, close } = await openAdmin(service, { path: `${at}/retention/reasons` })
  await page.getByRole('button', { name: 'Edit: I do not use it enough' }).click()
  const dialog = page.getByRole('dialog', { name: 'I do not use it enough' })
  await dialog.getByLabel('Title').fill('n'.repeat(10_000))
  await dialog.getByLabel('Position').fill('first')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('must be a text of 1 to 100 characters').waitFor()
  await dialog.getByText('must be a whole number from 1 to 100').waitFor()
  await dialog.getByLabel('Title').fill('I hardly use it')
  await dialog.getByLabel('Position').fill('1')
  await dialog.getByRole('switch', { name: 'Customers can choose it' }).uncheck()
  await service.admin('PATCH', `${at}/churn/reasons/not_using_enough`, { description: 'Tell us.' })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Somebody else has changed this').waitFor()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Reason saved').waitFor()
  const [first] = (await churn('/reasons')).data
  assert.deepEqual([first.alias, first.title, first.enabled], ['not_using_enough', 'I hardly use it', false])
  await close()
})

test('a contract that is not there is said, and who may only read has no action', { skip }, async () => {
  await shop.offer(TEN_CREDIT)
  const path = `${at}/retention/preview?contract=12345`
  const { page, close } = await openAdmin(service, { path, role: 'read_only' })
  await page.getByText('There is no contract 12345').waitFor()
  await page.getByRole('link', { name: 'Offers', exact: true }).click()
  await page.getByRole('table', { name: 'Offers' }).waitFor()
  for (const name of ['Create an offer', 'Edit: Stay']) {
    assert.equal(await page.getByRole('button', { name }).count(), 0, name)
  }
  await page.goto(`${service.url}/admin${at}/retention/nothing`)
  await page.getByText('There is no such page').waitFor()
  await close()
})

test('the save rate of a month is in words and bars', { skip }, async () => {
  const { contract, customer } = await aContract('bob@example.com')
  const offer = await shop.offer({ ...QUARTER_OFF, name: 'A month later' })
  await shop.ask('GET', '/churn/offers', { key: shop.key, query: { cancellation_reason: 'too_expensive' } })
  const query = { cancellation_reason: 'too_expensive' }
  assert.equal((await shop.accept(contract, offer, { as: customer.id }, query)).status, 200)
  await service.admin('POST', `${at}/clock/advance`, { by: 'P31D' })
  const row = (await churn('/report')).data.find((one: any) => one.offer_id === offer && one.accepted > 0)
  assert.deepEqual(row.after_30_days, { accepted: 1, active: 1 })
  const { page, close } = await openAdmin(service, { path: `${at}/retention/report` })
  const table = page.getByRole('table', { name: 'By reason and offer' })
  await table.getByRole('row', { name: /A month later [01] 1 100% · 1 of 1 – –/ }).waitFor()
  await page
    .getByRole('table', { name: 'By month' })
    .getByRole('row', { name: /^Total/ })
    .waitFor()
  await page.getByRole('combobox', { name: 'Months' }).click()
  await page.getByRole('option', { name: 'The last 3 months' }).click()
  await page.waitForURL('**/report?months=3')
  await close()
})

test('retention is accessible in light and dark, wide and narrow', { skip }, async () => {
  if (!(await churn('/offers')).data.some(({ name }: any) => name === 'Every two months')) {
    await shop.offer({ ...EVERY_TWO_MONTHS, name: 'Every two months', minMemberDays: 30, isForTrials: false })
    await shop.offer({ ...QUARTER_OFF, name: 'n'.repeat(255) })
  }
  const [{ contract_id: contract }] = (await service.admin('GET', `${at}/subscriptions`)).data
  const { page, complaints, close } = await openAdmin(service, { path: `${at}/retention` })
  for (const [name, path] of [
    ['offers', ''],
    ['reasons', '/reasons'],
    ['preview', `/preview?contract=${contract}`],
    ['accepted', '/accepted'],
    ['report', '/report']
  ] as const) {
    await page.goto(`${service.url}/admin${at}/retention${path}`)
    await page.getByRole('table').first().waitFor()
    await looked(page, `admin-retention-${name}`)
  }
  await page.goto(`${service.url}/admin${at}/retention`)
  await page.getByRole('button', { name: 'Edit: Every two months' }).click()
  await looked(page, `admin-retention-form`)
  assert.deepEqual(complaints, [])
  await close()
})
