// Each role on each page of the admin interface: no page asks for what the role may not, and offers nothing that the service would refuse.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { type Permission, ROLES, type Role, rolesWith } from '#team'
import { openAdmin, settled } from './admin-browser.ts'
import { noBrowser } from './browser.ts'
import { testDatabase } from './database.ts'
import { type Operation, operationsOf } from './openapi.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const skip = noBrowser
const store = await service.aStore({ name: 'Bean & Leaf' })
const { customer } = await store.member('ada@example.com')
const operations = operationsOf(await service.admin('GET', '/openapi.json'))

/** The pages of a store, from the list that the interface is made of; those about one thing only where it is there. */
const paths = await pathsOfPages()

async function pathsOfPages(): Promise<string[]> {
  const list = await readFile(new URL('../web/admin/app/pages.ts', import.meta.url), 'utf8')
  const declared = [...list.matchAll(/path: '([^']*)'/g)].map(([, path]) => path!.replace('/:part?', ''))
  const filled = declared.map((path) => path.replace(':customer', customer.id))
  return filled.filter((path) => !path.includes(':'))
}

/** What the buttons of a page would ask, by the role that may: a word of each on the pages where it is. */
const ACTIONS: [path: string, button: RegExp, permission: Permission][] = [
  [`members/${customer.id}`, /^Add store credit$/, 'support'],
  [`members/${customer.id}`, /^Set points$/, 'support'],
  [`members/${customer.id}`, /^Write them again$/, 'develop'],
  ['plans', /^(Create|Add|New).* plan/, 'manage'],
  ['integrations', /^(Create|Add|New).* key/, 'develop'],
  ['webhooks', /^(Create|Add|Register|New).* endpoint/, 'develop'],
  ['team', /^Invite/, 'install'],
  ['imports', /import/i, 'manage']
]

for (const role of ROLES) {
  test(`the role ${role} is asked for nothing that it may not on any page`, { skip }, async () => {
    const { page, complaints, close } = await openAdmin(service, { path: store.at, role })
    const refused: string[] = []
    page.on('response', (response) => {
      if ([401, 403].includes(response.status()))
        refused.push(`${page.url()}: ${response.request().method()} ${response.url()}`)
    })
    for (const path of paths) {
      await page.goto(`${service.url}/admin${store.at}/${path}`)
      await page.getByRole('heading', { level: 1 }).first().waitFor()
      await settled(page)
      for (const [of, name, permission] of ACTIONS) {
        if (of !== path) continue
        const shown = await page.getByRole('main').getByRole('button', { name }).count()
        assert.equal(shown > 0, mayBe(role, permission), `${path}: ${name} for ${role}`)
      }
    }
    assert.deepEqual(refused, [])
    assert.deepEqual(complaints, [])
    await close()
  })

  test(`the interface of the role ${role} is refused what it may not, and nothing else`, { skip }, async () => {
    const { page, close } = await openAdmin(service, { path: `${store.at}/account`, role })
    await page.getByRole('heading', { level: 1 }).waitFor()
    const asked = operations.map(({ method, path }) => ({ method, path: pathOf({ path }) }))
    const statuses = (await page.evaluate(askAll, asked)) as number[]
    for (const [i, { id, scope }] of operations.entries()) {
      assert.equal(statuses[i] === 403, !mayBe(role, scope as Permission), `${id}: ${statuses[i]}`)
    }
    await close()
  })
}

const mayBe = (role: Role, permission: Permission) => rolesWith(permission).includes(role)

/** Nothing that these name is there, so that what may be called changes nothing. */
const pathOf = ({ path }: Pick<Operation, 'path'>) => `/admin/api${path.replace(/\{\w+\}/g, 'none')}`

/** Asks from within the page, with its cookies, one after the other. */
async function askAll(asked: { method: string; path: string }[]): Promise<number[]> {
  const statuses: number[] = []
  for (const { method, path } of asked) {
    const body = method === 'GET' ? {} : { body: '{}', headers: { 'content-type': 'application/json' } }
    statuses.push((await fetch(path, { method, ...body })).status)
  }
  return statuses
}
