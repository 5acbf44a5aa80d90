// What a discount function of the platform cannot read is refused where it is entered, and a plan's product is in the sales channels.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestedScopes } from '#platform'
import { adminOf } from './admin-calls.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { call } = adminOf(service)

const ids = (count: number, from = 1) =>
  Array.from({ length: count }, (_, i) => String(9_000_000_000_000_000_000n + BigInt(from + i)))
const collections = (collection_ids: string[]) => ({
  value: 10,
  type: 'percentage',
  applies_to: 'collection',
  collection_ids
})
const products = (product_ids: string[]) => ({ value: 10, type: 'percentage', applies_to: 'product', product_ids })

async function aShop() {
  const store = await service.aStore()
  const vip = (await service.admin('GET', `${store.at}/plans`)).data[0].id as string
  const change = (plan: string, body: object) => call(store, 'PATCH', `/plans/${plan}`, body)
  const add = (body: object) =>
    call(store, 'POST', '/plans', { name: 'More', type: 'elite', price: '9.00', interval: 'month', ...body })
  const details = async (done: Promise<{ status: number; body: any }>) => {
    const { status, body } = await done
    return [status, body.error?.details?.[0]?.field ?? null, body.error?.details?.[0]?.message ?? null]
  }
  return { store, vip, change, add, details }
}

test('more than 100 collections in all perks are refused with the field, also together with the other main plan', async () => {
  const { vip, change, add, details } = await aShop()
  const both = (own: number, welcome: number) => ({
    perks: { discount: collections(ids(own)), welcome_offer: collections(ids(welcome, own + 1)) }
  })
  assert.deepEqual(await details(change(vip, both(61, 40))), [
    400,
    'perks.discount.collection_ids',
    'must come to at most 100 collections of all perks in all: they are 101'
  ])
  assert.deepEqual(await details(change(vip, both(40, 61))), [
    400,
    'perks.welcome_offer.collection_ids',
    'must come to at most 100 collections of all perks in all: they are 101'
  ])
  assert.equal((await change(vip, both(60, 40))).status, 200)
  assert.deepEqual(await details(add({ perks: { discount: collections(ids(1, 500)) } })), [
    400,
    'perks.discount.collection_ids',
    'must come to at most 100 collections of all perks in all, counted with those of the main plan VIP: they are 101'
  ])
  assert.equal((await add({ perks: { discount: collections(ids(100)) } })).status, 201, 'the same ones count once')
})

test('a main plan with which there would be more than 100 is refused', async () => {
  const { store, vip, change, add, details } = await aShop()
  // Neither is a main plan when it is made: the oldest enabled ones are.
  await add({})
  const other = await add({ name: 'Other', status: 'enabled', perks: { discount: collections(ids(60)) } })
  assert.equal(other.status, 201)
  assert.equal((await change(vip, { perks: { discount: collections(ids(60, 200)) } })).status, 200)
  assert.deepEqual(await details(call(store, 'PATCH', '/settings', { main_plan: { elite: other.body.id } })), [
    400,
    'main_plan.elite',
    'must be a plan with which the perks of both main plans come to at most 100 collections in all: they would be 120'
  ])
})

test('settings of a plan above 10,000 bytes are refused with the field that takes most of them', async () => {
  const { vip, change, details } = await aShop()
  const perks = { discount: products(ids(250)), welcome_offer: products(ids(249)) }
  const [status, field, message] = await details(change(vip, { perks }))
  assert.deepEqual([status, field], [400, 'perks.discount.product_ids'])
  assert.match(
    message,
    /^must be shorter: the settings of the plan come to 1\d{4} bytes, and a discount function reads at most 10000$/
  )
  assert.equal((await change(vip, { perks: { discount: products(ids(250)) } })).status, 200)
})

test('the product of a plan is in every sales channel from its creation, and again when it is enabled', async () => {
  const { store, add, change } = await aShop()
  const graphql = async (query: string) => {
    const response = await fetch(`${store.platform_url}/admin/api/2026-07/graphql.json`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-platform-access-token': store.platform_token },
      body: JSON.stringify({ query })
    })
    return ((await response.json()) as any).data
  }
  const plan = (await add({})).body
  const of = `products(first: 1, query: "title:'More'") { nodes { id resourcePublicationsV2(first: 9) { nodes { publication { id } } } } }`
  const channels = async () => {
    const [product] = (await graphql(`{ ${of} }`)).products.nodes
    const all = product.resourcePublicationsV2.nodes.map((one: any) => one.publication.id as string)
    return { id: product.id as string, all: all.sort() as string[] }
  }
  const { id, all } = await channels()
  assert.equal(all.length, 3)
  await graphql(
    `mutation { publishableUnpublish(id: "${id}", input: [{ publicationId: "${all[0]}" }]) { userErrors { message } } }`
  )
  assert.equal((await channels()).all.length, 2)
  assert.equal((await change(plan.id, { status: 'enabled' })).status, 200)
  assert.deepEqual((await channels()).all, all)
  assert.equal((await change(plan.id, { status: 'enabled' })).status, 200, 'it can be repeated')
  assert.deepEqual((await channels()).all, all)
})

test('without the scope the plan is made all the same, and an alert says what is left', async () => {
  const { store, add } = await aShop()
  await service.sandbox.controls.setAccess({
    storeId: store.storeId,
    scopes: requestedScopes.filter((scope) => !scope.endsWith('_publications'))
  })
  assert.equal((await add({})).status, 201)
  const { data } = (await call(store, 'GET', '/alerts')).body
  assert.match(data[0].message, /may not publish the product of the plan More .*read_publications/s)
})

test('a trial that is removed leaves no price in the selling plan', async () => {
  const { store, vip, change } = await aShop()
  const connector = await service.deps.connectorOf(store.storeId)
  const prices = async () => {
    const response = await fetch(`${store.platform_url}/admin/api/2026-07/graphql.json`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-platform-access-token': store.platform_token },
      body: JSON.stringify({
        query:
          '{ sellingPlanGroups(first: 5) { nodes { name sellingPlans(first: 2) { nodes { pricingPolicies { __typename } } } } } }'
      })
    })
    const groups = ((await response.json()) as any).data.sellingPlanGroups.nodes
    return groups
      .find(({ name }: { name: string }) => name === 'VIP')
      .sellingPlans.nodes.map((one: { pricingPolicies: unknown[] }) => one.pricingPolicies.length)
  }
  assert.ok(connector)
  await change(vip, { trial_type: 'days', trial_days: 7, trial_price: '1.00' })
  assert.deepEqual(await prices(), [2])
  await change(vip, { trial_type: null, trial_days: 0 })
  assert.deepEqual(await prices(), [0])
})
