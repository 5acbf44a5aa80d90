// People and their changes in the admin interface, in a real browser with the real service.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { looked, openAdmin, withoutStatuses } from './admin-browser.ts'
import { noBrowser } from './browser.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { picture } from './storefront-browser.ts'

const { url } = await testDatabase()
const service = await startService(url)
const skip = noBrowser
const store = await service.aStore({ name: 'Bean & Leaf', timezone: 'Europe/Vienna', currency: 'EUR' })
const people = async () => (await service.admin('GET', '/team/people')).data

test('somebody who is invited signs in with the role, which is changed, and is removed', { skip }, async () => {
  const { page, complaints, close } = await openAdmin(service, { path: `${store.at}/team` })
  await page.getByRole('button', { name: 'Invite somebody' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('E-mail address').fill('not an address')
  await dialog.getByRole('button', { name: 'Make the link' }).click()
  await dialog.getByText(/an e-mail address/).waitFor()
  await dialog.getByLabel('E-mail address').fill('grace@example.com')
  await dialog.getByRole('radio', { name: 'Developer' }).check()
  await dialog.getByRole('button', { name: 'Make the link' }).click()
  await page.getByText('The invitation for grace@example.com').waitFor()
  await picture(page, 'admin-team-link')
  const link = await page.getByLabel('Link', { exact: true }).inputValue()
  await page.getByRole('button', { name: 'I have stored it' }).click()

  const grace = await openAdmin(service, { path: link.split('/admin')[1]!, isSignedIn: false })
  await grace.page.getByText('You are invited with the role Developer.').waitFor()
  await grace.page.getByLabel('Name').fill(`Grace ${'Hopper '.repeat(20)}`.slice(0, 100).trim())
  await grace.page.getByLabel('Password', { exact: true }).fill('correct horse battery staple')
  await grace.page.getByRole('button', { name: 'Create account' }).click()
  await grace.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await grace.page.goto(`${service.url}/admin${store.at}/team`)
  await grace.page.getByText('grace@example.com · you').waitFor()
  assert.equal(await grace.page.getByRole('button', { name: 'Invite somebody' }).count(), 0)
  assert.equal(await grace.page.getByRole('link', { name: /Grace/ }).count(), 0)

  await page.reload()
  await page.getByRole('link', { name: /Grace/ }).click()
  await page.getByRole('radio', { name: 'Support' }).check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved', { exact: true }).waitFor()
  const found = (await people()).find(({ email }: { email: string }) => email === 'grace@example.com')
  assert.equal(found.role, 'support')

  await page.getByRole('button', { name: 'Make a link for a new password' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Make a link for a new password' }).click()
  assert.match(await page.getByLabel('Link', { exact: true }).inputValue(), /\/admin\/welcome#/)
  await page.getByRole('button', { name: 'I have stored it' }).click()

  await page.getByRole('button', { name: 'End all sessions' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End all sessions' }).click()
  await page.getByText('The sessions are ended').waitFor()
  await grace.page.goto(`${service.url}/admin${store.at}/team`)
  await grace.page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await grace.close()

  await page.getByRole('button', { name: 'Remove the account' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove the account' }).click()
  await page.getByText('The account is removed').waitFor()
  await page.waitForURL('**/team')
  assert.ok(!(await people()).some(({ email }: { email: string }) => email === 'grace@example.com'))

  await page.getByRole('link', { name: 'Changes' }).click()
  await page.getByText('Remove person', { exact: true }).waitFor()
  await page.getByText('Invite person', { exact: true }).first().waitFor()
  assert.deepEqual(withoutStatuses(complaints), [])
  await close()
})

test('the last owner stays one, and the service says so', { skip }, async () => {
  const { page, person, close } = await openAdmin(service, { path: `${store.at}/team` })
  for (const { id } of (await people()).filter(({ id, role }: any) => role === 'owner' && id !== person.id)) {
    await service.admin('DELETE', `/team/people/${id}`)
  }
  await page.goto(`${service.url}/admin${store.at}/team/people/${person.id}`)
  await page.getByRole('radio', { name: 'Support' }).check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText(/is the only owner/).waitFor()
  assert.equal((await people()).find(({ id }: any) => id === person.id).role, 'owner')
  await close()
})

test('a link that was not used is listed, and withdrawn', { skip }, async () => {
  await service.admin('POST', '/team/invitations', { email: 'olga@example.com', role: 'support' })
  const { page, complaints, close } = await openAdmin(service, { path: `${store.at}/team` })
  const row = page.getByRole('row', { name: /olga@example.com/ })
  await row.getByRole('button', { name: 'Withdraw' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
  await page.getByText('The link works no more').waitFor()
  await row.waitFor({ state: 'detached' })
  const { data } = await service.admin('GET', '/team/invitations')
  assert.equal(
    data.some(({ email }: any) => email === 'olga@example.com'),
    false
  )
  assert.deepEqual(complaints, [])
  await close()
})

test('the team is accessible in light and dark, and nothing is wider than the window', { skip }, async () => {
  const { page, person, complaints, close } = await openAdmin(service, { path: store.at })
  for (const part of ['', '/changes', `/people/${person.id}`]) {
    await page.goto(`${service.url}/admin${store.at}/team${part}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await looked(page, `admin-team${part.split('/')[1] ?? ''}`)
  }
  assert.deepEqual(complaints, [])
  await close()
})
