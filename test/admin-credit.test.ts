// Store credit in the admin interface, in a real browser with the real service and sandbox.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { looked, openAdmin, settled, withoutStatuses } from './admin-browser.ts'
import { noBrowser } from './browser.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { picture } from './storefront-browser.ts'

const { url } = await testDatabase()
const service = await startService(url)
const skip = noBrowser
const store = await service.aStore({ name: 'Bean & Leaf', timezone: 'Europe/Vienna', currency: 'EUR' })
const { customer: ada } = await store.member('ada.adler@example.com')
const { customer: bob } = await store.member('bob.brandt@example.com')
await service.admin('POST', `${store.at}/plans`, {
  name: 'Gold',
  type: 'vip',
  price: '59.00',
  interval: 'month',
  perks: { store_credit: { amount: '25.00', type: 'coupon' } }
})
const { customer: cleo } = await store.member('cleo.conrad@example.com', 'Gold')
await service.deps.settle(store.storeId)
const codesOf = async (customer: { id: string }): Promise<any[]> =>
  (await service.admin('GET', `${store.at}/store-credits/${customer.id}/codes`)).data
const credit = (customer: { id: string }) => service.admin('GET', `${store.at}/store-credits/${customer.id}`)
const pageOf = (email: string) => `${store.at}/credit?customer=${encodeURIComponent(email)}`

test('support finds a customer, adds, deducts and corrects credit with a preview, and sees what is refused', {
  skip
}, async () => {
  const { page, complaints, close } = await openAdmin(service, { path: `${store.at}/credit`, role: 'support' })
  await page.getByRole('textbox', { name: 'Customer' }).fill('nobody@example.com')
  await page.getByRole('button', { name: 'Find' }).click()
  await page.getByText('There is no such customer').waitFor()
  await page.getByRole('textbox', { name: 'Customer' }).fill('ada.adler@example.com')
  await page.getByRole('button', { name: 'Find' }).click()
  await page.getByText('There is no entry yet').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Compare with the platform' }).count(), 0)

  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Add credit' }).click()
  await dialog.getByRole('button', { name: 'Add credit' }).click()
  await dialog.getByText(/must be.*above 0/).waitFor()
  await dialog.getByLabel('Amount (EUR)').fill('25.50')
  await dialog.getByText('The balance goes from €0.00 to €25.50.').waitFor()
  await dialog.getByRole('button', { name: 'Add credit' }).click()
  await dialog.getByText(/is not blank/).waitFor({ timeout: 10_000 })
  await dialog.getByLabel('Reason').fill(`Sorry ${'o'.repeat(300)}`)
  await dialog.getByLabel('Expires').fill('2027-01-31')
  await picture(page, 'admin-credit-add')
  await dialog.getByRole('button', { name: 'Add credit' }).dblclick()
  await dialog.waitFor({ state: 'detached' })
  assert.deepEqual([(await credit(ada)).balance, (await credit(ada)).entries.length], [25.5, 1])

  await page.getByRole('button', { name: 'Deduct credit' }).click()
  await dialog.getByLabel('Amount (EUR)').fill('100')
  await dialog.getByLabel('Reason').fill('Too much')
  await dialog.getByRole('button', { name: 'Deduct credit' }).click()
  await dialog.getByText(/25\.5/).first().waitFor()
  await dialog.getByLabel('Amount (EUR)').fill('5.50')
  await dialog.getByText('The balance goes from €25.50 to €20.00.').waitFor()
  await dialog.getByRole('button', { name: 'Deduct credit' }).click()
  await dialog.waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Set the balance' }).click()
  await dialog.getByLabel('What the customer really has (EUR)').fill('12')
  await dialog.getByLabel('Reason').fill('Counted again')
  await dialog.getByRole('button', { name: 'Set the balance' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.equal((await credit(ada)).balance, 12)

  await page.getByRole('button', { name: 'Forfeit all' }).click()
  await dialog.getByText('The balance goes from €12.00 to €0.00.').waitFor()
  await dialog.getByLabel('Reason').fill('Closed')
  await dialog.getByRole('button', { name: 'Forfeit all' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('cell', { name: 'Forfeited', exact: true }).waitFor()
  assert.deepEqual(
    (await credit(ada)).entries.map(({ type }: { type: string }) => type),
    ['forfeit', 'reconciled', 'manual_deduct', 'manual_add']
  )
  assert.deepEqual(withoutStatuses(complaints), [])
  await close()
})

test('the second of two who change an account is told, and compares it with the platform', { skip }, async () => {
  const { page, complaints, close } = await openAdmin(service, { path: pageOf('bob.brandt@example.com') })
  await page.getByRole('button', { name: 'Add credit' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Amount (EUR)').fill('3')
  await dialog.getByLabel('Reason').fill('Mine')
  await service.admin('POST', `${store.at}/store-credits/${bob.id}/add`, { amount: '3.00', reason: 'Theirs' })
  await dialog.getByRole('button', { name: 'Add credit' }).click()
  await dialog.getByText(/Somebody else has changed this/).waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  assert.equal((await credit(bob)).balance, 3)

  await page.getByRole('button', { name: 'Compare with the platform' }).click()
  await dialog.getByRole('button', { name: 'Compare with the platform' }).click()
  await page.getByText('The account is compared').waitFor()
  await page.getByRole('button', { name: 'Compare all with the platform' }).click()
  await dialog.getByRole('button', { name: 'Compare all with the platform' }).click()
  await page.getByText(/accounts are compared/).waitFor()
  await page.getByRole('button', { name: 'Expire what is due' }).click()
  await dialog.getByRole('button', { name: 'Expire what is due' }).click()
  await page.getByText('Expired credit and ended reservations: 0.').waitFor()
  assert.deepEqual(withoutStatuses(complaints), [])
  await close()
})

test('support makes a code that spends credit, sees what is refused, and revokes it', { skip }, async () => {
  const { page, complaints, close } = await openAdmin(service, {
    path: `${store.at}/members/${cleo.id}`,
    role: 'support'
  })
  await page.getByRole('link', { name: 'The account and its codes' }).click()
  await page.getByText('There is no code yet').waitFor()
  const dialog = page.getByRole('dialog', { name: 'Create a code that spends store credit' })
  await page.getByRole('button', { name: 'Create a code' }).click()
  await dialog.getByText('all that the customer can spend now, €25.00').waitFor()
  await dialog.getByLabel('Takes off at most (EUR)').fill('30')
  await dialog.getByLabel('Minutes for which it can be used').fill('a while')
  await dialog.getByRole('button', { name: 'Create a code' }).click()
  await dialog.getByText(/an integer from 1 to 1440 minutes/).waitFor()
  await dialog.getByLabel('Minutes for which it can be used').fill('90')
  await dialog.getByRole('button', { name: 'Create a code' }).click()
  await dialog.locator('[aria-invalid=true]').waitFor()
  assert.equal(await dialog.getByLabel('Takes off at most (EUR)').inputValue(), '30')
  assert.deepEqual(await codesOf(cleo), [])
  await dialog.getByLabel('Takes off at most (EUR)').fill('10.50')
  await picture(page, 'admin-credit-code')
  await dialog.getByRole('button', { name: 'Create a code' }).dblclick()
  await dialog.waitFor({ state: 'detached' })
  const [made, ...others] = await codesOf(cleo)
  assert.deepEqual([made.status, made.amount, others], ['active', 10.5, []])
  await page.getByText(`The code is ${made.code}`).waitFor()
  await page.getByRole('row', { name: new RegExp(`${made.code} .*Can be used €10.50`) }).waitFor()
  await page.getByText('Reserved for checkouts').waitFor()
  await page.goto(page.url())
  await page.getByRole('button', { name: `Revoke: ${made.code}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('The code is revoked').waitFor()
  await page.getByRole('button', { name: `Revoke: ${made.code}` }).waitFor({ state: 'detached' })
  assert.equal((await codesOf(cleo))[0].ended_by, 'revoked')
  assert.deepEqual(withoutStatuses(complaints), [])

  await page.goto(`${service.url}/admin${pageOf('ada.adler@example.com')}`)
  await page.getByText('no plan whose credit is spent by codes').waitFor()
  await settled(page)
  assert.equal(await page.getByRole('button', { name: 'Create a code' }).count(), 0)
  await close()
})

test('who may only read sees an account and no way to change it', { skip }, async () => {
  const { page, complaints, close } = await openAdmin(service, {
    path: pageOf('bob.brandt@example.com'),
    role: 'read_only'
  })
  await page.getByText('Theirs').waitFor()
  await settled(page)
  await page.goto(`${service.url}/admin${pageOf('cleo.conrad@example.com')}`)
  await page.getByRole('region', { name: 'Codes that spend credit' }).getByText('Revoked').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Create a code' }).count(), 0)
  assert.equal(await page.getByRole('button', { name: /^Revoke/ }).count(), 0)
  await page.goto(`${service.url}/admin${pageOf('bob.brandt@example.com')}`)
  await page.getByText('Theirs').waitFor()
  for (const name of ['Add credit', 'Forfeit all', 'Expire what is due', 'Compare all with the platform']) {
    assert.equal(await page.getByRole('button', { name }).count(), 0, name)
  }
  assert.deepEqual(complaints, [])
  await close()
})

test('credit is accessible in light and dark, and nothing is wider than the window', { skip }, async () => {
  const { page, complaints, close } = await openAdmin(service, { path: store.at })
  for (const [name, path] of [
    ['credit', `${store.at}/credit`],
    ['credit-account', pageOf('ada.adler@example.com')],
    ['credit-codes', pageOf('cleo.conrad@example.com')]
  ] as const) {
    await page.goto(`${service.url}/admin${path}`)
    await page.getByRole('heading', { level: 1, name: 'Credit' }).waitFor()
    await looked(page, `admin-${name}`)
  }
  assert.deepEqual(complaints, [])
  await close()
})
