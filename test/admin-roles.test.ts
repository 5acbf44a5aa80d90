// Each role in the admin interface: no page asks for what the role may not, buttons are there for who may, and the session is refused the rest.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { type Permission, ROLES, type Role, rolesWith } from '#team'
import { openAdmin, settled, withoutStatuses } from './admin-browser.ts'
import { noBrowser } from './browser.ts'
import { testDatabase } from './database.ts'
import { operationsOf, pathOfNothing } from './openapi.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const skip = noBrowser
const store = await service.aStore({ name: 'Bean & Leaf' })
const { customer } = await store.member('ada@example.com')
await service.admin('POST', '/team/invitations', { email: 'open@example.com', role: 'support' })
const operations = operationsOf(await service.admin('GET', '/openapi.json'))

const mayBe = (role: Role, permission: Permission) => rolesWith(permission).includes(role)

/**
 * The pages of a store, from the list that the interface is made of; of those about one thing that of the member. Of pages with parts it
 * has the first one, whose tabs lead to the others.
 */
const pages = (await readFile(new URL('../web/admin/app/pages.ts', import.meta.url), 'utf8'))
  .matchAll(/path: '([^']*)'/g)
  .map(([, path]) => path!.replace('/:part?', '').replace(':customer', customer.id))
  .filter((path) => !path.includes(':'))
  .toArray()

/** Buttons by their page, with what they ask for. */
const BUTTONS: [path: string, name: string, permission: Permission][] = [
  [`members/${customer.id}`, 'Add store credit', 'support'],
  [`members/${customer.id}`, 'Set points', 'support'],
  ['plans', 'Create a plan', 'manage'],
  ['imports/platform', 'Read in the shop', 'develop'],
  ['imports/platform', 'Read orders', 'manage'],
  ['imports/credit', 'Check the file', 'manage'],
  ['imports/loyalty', 'Check the file', 'manage'],
  ['integrations', 'Create a key', 'develop'],
  ['integrations/reward-points', 'Add an integration', 'develop'],
  ['webhooks', 'Register an endpoint', 'develop'],
  ['team', 'Invite somebody', 'install'],
  ['team', 'Withdraw', 'install'],
  ['integrations/platform', 'Disconnect', 'install'],
  ['integrations/platform', 'Delete the store', 'install'],
  ['sandbox', '1 day ahead', 'develop'],
  ['sandbox', 'New sandbox store', 'install']
]

/** The pages that the tabs of this one lead to. */
async function tabsOf(page: Page): Promise<string[]> {
  const links = page.locator('.page-tabs a')
  const paths = await links.evaluateAll((all) => all.map((one) => (one as unknown as { pathname: string }).pathname))
  return paths.map((path) => path.split(`${store.at}/`)[1]!)
}

for (const role of ROLES) {
  test(`no page asks for what the role ${role} may not, and its buttons are those that it may use`, {
    skip
  }, async () => {
    const { page, complaints, close } = await openAdmin(service, { path: store.at, role })
    const refused: string[] = []
    page.on('response', (response) => {
      // What nobody has asked for yet is not there.
      if (response.status() < 400 || response.status() === 404) return
      refused.push(`${page.url()}: ${response.request().method()} ${response.url()}`)
    })
    const waiting = [...pages]
    for (const path of waiting) {
      await page.goto(`${service.url}/admin${store.at}/${path}`)
      await page.getByRole('heading', { level: 1 }).first().waitFor()
      await settled(page)
      // Who may the least would be refused first.
      if (role === 'read_only') waiting.push(...(await tabsOf(page)).filter((tab) => !waiting.includes(tab)))
      for (const [of, name, permission] of BUTTONS.filter(([of]) => of === path)) {
        const shown = await page.getByRole('button', { name, exact: true }).count()
        assert.equal(shown > 0, mayBe(role, permission), `${of}: ${name}`)
      }
    }
    assert.deepEqual(refused, [])
    assert.deepEqual(withoutStatuses(complaints), [])
    await close()
  })

  test(`from a page the role ${role} is refused what it may not, and nothing else`, { skip }, async () => {
    const { page, close } = await openAdmin(service, { path: `${store.at}/account`, role })
    await page.getByRole('heading', { level: 1 }).waitFor()
    const asked = operations.map((operation) => ({ method: operation.method, path: pathOfNothing(operation) }))
    const statuses = (await page.evaluate(`(${askAll})(${JSON.stringify(asked)})`)) as number[]
    for (const [i, { id, scope }] of operations.entries()) {
      assert.equal(statuses[i] === 403, !mayBe(role, scope as Permission), `${id}: ${statuses[i]}`)
    }
    await close()
  })
}

/** Asks from within a page, with its cookies, one after the other. */
const askAll = `async (asked) => {
  const statuses = []
  for (const { method, path } of asked) {
    const body = method === 'GET' ? {} : { body: '{}', headers: { 'content-type': 'application/json' } }
    statuses.push((await fetch(path, { method, ...body })).status)
  }
  return statuses
}`
