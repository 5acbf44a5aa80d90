// Plans that are sold in some countries only: the sandbox's checkout refuses others, and a contract from elsewhere is paused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int, row, sql } from '#kit/postgres'
import { adminOf } from './admin-calls.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { call } = adminOf(service)

async function aShop({ countries = ['US', 'CA'] }: { countries?: string[] } = {}) {
  const store = await service.aStore()
  const plan = (await service.admin('GET', `${store.at}/plans`)).data[0].id as string
  await service.admin('PATCH', `${store.at}/plans/${plan}`, { allowed_countries: countries })
  const settle = () => service.deps.settle(store.storeId)
  await settle()
  const customer = async (country: string | null, email = 'ada@example.com') =>
    (await service.admin('POST', `${store.at}/sandbox/customers`, { email, ...(country && { country }) })).id as string
  /** As a platform that does not check it. */
  const join = async (id: string) => {
    const joined = await service.admin('POST', `${store.at}/sandbox/joins`, { customer: id, plan: 'VIP' })
    await settle()
    return joined as { order_id: string; contract_id: string }
  }
  const subscription = async () => {
    const [found] = (await service.get('/subscriptions', store.key)).body.data
    return found
  }
  const alerts = async () =>
    (await call(store, 'GET', '/alerts')).body.data
      .filter(({ kind }: { kind: string }) => kind === 'contract_from_elsewhere')
      .map(({ message }: { message: string }) => message)
  const checks = async () =>
    (
      await service.db.inStore(store.storeId, ({ tx }) =>
        tx.one(row({ count: int }), sql`select count(*) as count from country_checks where store_id = ${store.storeId}`)
      )
    ).count
  return { ...store, plan, settle, customer, join, subscription, alerts, checks }
}

test('a contract from elsewhere is paused before its first renewal, once, with an alert that says why', async () => {
  const shop = await aShop()
  await shop.join(await shop.customer('FR'))
  const { id, status } = await shop.subscription()
  assert.equal(status, 'paused')
  const [alert, ...others] = await shop.alerts()
  assert.deepEqual(others, [])
  assert.match(alert, new RegExp(`^${id} is of the plan VIP, which is sold in US, CA, and its customer is in FR\\.`))
  const [entry] = (await service.get(`/subscriptions/${id}/activity`, shop.key)).body.data
  assert.deepEqual([entry.kind, entry.actor], ['paused', 'scheduler'])
  await shop.advance({ by: 'P40D' })
  assert.equal((await service.get('/billing-attempts', shop.key)).body.data.length, 0)

  // Who resumes it has decided.
  await service.post(`/subscriptions/${id}/resume`, shop.key)
  await shop.advance({ by: 'P40D' })
  assert.equal((await shop.subscription()).status, 'active')
  assert.equal((await service.get('/billing-attempts', shop.key)).body.data[0].status, 'success')
  assert.equal((await shop.alerts()).length, 1)
})

for (const [what, given, country] of [
  ['from one of the countries', {}, 'CA'],
  ['of a plan that is sold everywhere', { countries: [] }, 'FR']
] as const) {
  test(`a contract ${what} goes on, and nothing is left to be checked`, async () => {
    const shop = await aShop(given as { countries?: string[] })
    await shop.join(await shop.customer(country))
    assert.equal((await shop.subscription()).status, 'active')
    assert.deepEqual([await shop.checks(), await shop.alerts()], [0, []])
  })
}

test('a country that becomes known later counts a day before the first renewal; one that never does keeps nothing from it', async () => {
  const [late, never] = [await aShop(), await aShop()]
  for (const shop of [late, never]) {
    await shop.join(await shop.customer(null))
    assert.equal((await shop.subscription()).status, 'active')
    assert.equal(await shop.checks(), 1)
  }
  await service.db.inStore(late.storeId, (ctx) =>
    ctx.tx.run(sql`update members set country_code = 'FR' where store_id = ${ctx.storeId}`)
  )
  await late.advance({ to: '2026-02-27T14:59:00Z' })
  assert.equal((await late.subscription()).status, 'active')
  await late.advance({ to: '2026-02-27T15:00:00Z' })
  assert.equal((await late.subscription()).status, 'paused')
  assert.equal((await late.alerts()).length, 1)

  await never.advance({ by: 'P29D' })
  assert.equal((await service.get('/billing-attempts', never.key)).body.data[0].status, 'success')
  assert.deepEqual([(await never.subscription()).status, await never.checks(), await never.alerts()], ['active', 0, []])
})

test('the country of the order counts before that of the customer, and a country that is added meanwhile is allowed', async () => {
  const shop = await aShop()
  const id = await shop.customer('FR')
  await service.admin('POST', `${shop.at}/sandbox/orders`, { customer: id, country: 'CA', plans: ['VIP'] })
  await shop.settle()
  assert.equal((await shop.subscription()).status, 'active')
  assert.deepEqual(await shop.alerts(), [])

  const other = await aShop()
  const bob = await other.customer(null)
  await other.join(bob)
  await service.admin('PATCH', `${other.at}/plans/${other.plan}`, { allowed_countries: ['FR'] })
  await service.db.inStore(other.storeId, (ctx) =>
    ctx.tx.run(sql`update members set country_code = 'FR' where store_id = ${ctx.storeId}`)
  )
  await other.advance({ by: 'P29D' })
  assert.equal((await other.subscription()).status, 'active')
})

test('the sandbox’s checkout refuses other countries, by what the app says in the shop’s metafields, and nothing is sold', async () => {
  const shop = await aShop()
  const refused = await call(shop, 'POST', '/sandbox/orders', {
    customer: await shop.customer('US'),
    country: 'FR',
    plans: ['VIP']
  })
  assert.equal(refused.status, 409)
  assert.equal(refused.body.error.message, 'VIP is sold in US, CA only, not in FR')
  await shop.settle()
  assert.equal(await shop.subscription(), undefined)

  const at = `${service.urls.sandbox}/${shop.domain}`
  const form = (path: string, fields: Record<string, string>, cookie = '') =>
    fetch(`${at}${path}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded', cookie },
      body: new URLSearchParams(fields).toString()
    })
  const jean = await shop.customer('FR', 'jean@example.com')
  const session = (await form('/session', { customer: jean })).headers.getSetCookie().map((one) => one.split(';')[0])
  const home = await (await fetch(`${at}/`, { headers: { cookie: session.join('; ') } })).text()
  const plan = /name="plan" value="([0-9]+)"/.exec(home)![1]!
  await form('/join', { plan }, session.join('; '))
  await shop.settle()
  assert.equal(await shop.subscription(), undefined)
})
