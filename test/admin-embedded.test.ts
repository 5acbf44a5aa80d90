// The admin interface in the admin of a shop: what its session tokens may call, and the page itself in a real browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sessionToken } from '../sandbox/oauth/app.ts'
import { noBrowser, openBrowser } from './browser.ts'
import { testDatabase } from './database.ts'
import { operationsOf } from './openapi.ts'
import { SANDBOX_APP, startService } from './service-builder.ts'
import { accessible, picture } from './storefront-browser.ts'

const { url } = await testDatabase()
const service = await startService(url)
const operations = operationsOf(await service.admin('GET', '/openapi.json'))

const ours = await service.aStore({ name: 'Ours' })
const theirs = await service.aStore({ name: 'Theirs' })
await ours.member('ada@example.com')

const now = () => Temporal.Now.instant()
const tokenOf = (shop: string, at = now(), app = SANDBOX_APP) =>
  sessionToken({ ...app, url: () => service.url }, shop, at)

async function ask(method: string, path: string, token: string, body?: unknown) {
  const response = await fetch(`${service.url}/admin/api${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' })
    },
    ...(body !== undefined && { body: JSON.stringify(body) })
  })
  const text = await response.text()
  return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text }
}

test('a session token shows its own store, and nothing of the installation', async () => {
  const me = await ask('GET', '/me', tokenOf(ours.domain))
  assert.deepEqual(me.body, {
    person: null,
    role: 'staff',
    store: ours.id,
    permissions: ['view', 'support', 'develop', 'manage']
  })
  const { body } = await ask('GET', '/stores', tokenOf(ours.domain))
  assert.deepEqual(
    body.data.map(({ id }: { id: string }) => id),
    [ours.id]
  )
  assert.equal((await ask('GET', `${ours.at}/members`, tokenOf(ours.domain))).body.total, 1)
  assert.equal((await ask('GET', `/status?store=${theirs.id}`, tokenOf(ours.domain))).status, 404)
  assert.equal((await ask('GET', '/status', tokenOf(ours.domain))).body.stores, 1)
})

test('no operation answers about another store, or about the installation unless it says so', async () => {
  const forStaff = ['getMe', 'getPlatformApp', 'getStatus', 'listLoyaltyRuleTypes', 'listStores']
  for (const { id, method, path } of operations) {
    const isOfStore = path.includes('{store}')
    const at = path.replace('{store}', theirs.id).replace(/\{\w+\}/g, 'none')
    const { status } = await ask(method, at, tokenOf(ours.domain), method === 'GET' ? undefined : {})
    // What is wrong with a body is said before its store is looked for.
    if (isOfStore) assert.ok([400, 403, 404, 415].includes(status), `${id}: ${status}`)
    else assert.equal(status, forStaff.includes(id) ? 200 : 403, id)
  }
})

test('who runs a shop may not connect, end or release its store', async () => {
  for (const path of ['connect', 'delete', 'disconnect', 'release']) {
    assert.equal((await ask('POST', `${ours.at}/${path}`, tokenOf(ours.domain), {})).status, 403, path)
  }
})

test('a change is in the name of the shop', async () => {
  const token = tokenOf(ours.domain)
  assert.equal((await ask('PATCH', `${ours.at}/settings`, token, { reactivation_grace_hours: 5 })).status, 200)
  const { data } = await service.admin('GET', `/changes?store=${ours.id}`)
  assert.equal(data[0].operation, 'updateSettings')
  assert.match(JSON.stringify(data[0]), new RegExp(`Staff 1 of ${ours.domain}`))
})

test('a token that is old, of another app or of a shop without a store proves nothing', async () => {
  const hour = Temporal.Duration.from({ hours: 1 })
  for (const token of [
    tokenOf(ours.domain, now().subtract(hour)),
    tokenOf(ours.domain, now().add(hour)),
    tokenOf(ours.domain, now(), { ...SANDBOX_APP, clientSecret: 'another' }),
    tokenOf(ours.domain, now(), { ...SANDBOX_APP, clientId: 'another' }),
    tokenOf('nowhere.example'),
    `${tokenOf(ours.domain)}x`
  ]) {
    assert.equal((await ask('GET', '/me', token)).status, 401)
  }
})

test('in the admin of its shop the interface opens without signing in, and in no other frame', {
  skip: noBrowser
}, async () => {
  const domain = 'embedded.example'
  await service.sandbox.controls.openShop({ domain, name: 'Embedded', timezone: 'Europe/Vienna', currency: 'EUR' })
  const browser = await openBrowser()
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    const problems: string[] = []
    page.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())))
    page.on('pageerror', (err) => void problems.push(err.message))
    const frame = page.frameLocator('iframe')
    await page.goto(`${service.urls.sandbox}/${domain}/admin/apps/sandbox-app`)
    await frame.getByText('The shop is connected.').waitFor()
    await frame.getByRole('link', { name: 'Open Perennial' }).click()
    await frame.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    // The next time it opens at once.
    await page.goto(`${service.urls.sandbox}/${domain}/admin/apps/sandbox-app`)
    await frame.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await frame.getByRole('link', { name: 'Members', exact: true }).click()
    await frame.getByText('No members yet').waitFor()
    await picture(page, 'admin-embedded')
    assert.equal(await frame.getByRole('button', { name: 'Sign in' }).count(), 0)
    await frame.getByRole('button', { name: /Staff of the shop/ }).click()
    assert.equal(await frame.getByRole('menuitem', { name: 'Sign out' }).count(), 0)
    assert.deepEqual(problems, [])

    // Another page may not show it, with or without the parameters.
    for (const query of ['', `?embedded=1&shop=${domain}`]) {
      await page.goto('data:text/html,<iframe></iframe>')
      await page.evaluate(`document.querySelector('iframe').src = '${service.url}/admin/${query}'`)
      await page.waitForTimeout(1000)
      assert.equal(await frame.locator('#root *').count(), 0)
    }
    // Past the admin there is no token: it is refused, and says so.
    await page.goto(`${service.url}/admin/?embedded=1&shop=${domain}`)
    await page.getByRole('alert').getByText('The page is not in the admin of a shop').waitFor()
    await accessible(page, 'without a token')
  } finally {
    await browser.close()
  }
})
