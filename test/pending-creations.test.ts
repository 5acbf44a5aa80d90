// Subscriptions that operators create: of products, and those whose response was lost and whose request is not repeated.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { row, sql, text } from '#kit/postgres'
import { adminOf, aSubscriptionRequest } from './admin-calls.ts'
import { commandLine } from './command-line.ts'
import { testDatabase } from './database.ts'
import { aStoreWithEvents } from './recorded-events.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { call } = adminOf(service)

/** A shop with Ada, who has a card, and a product plan that sells coffee. */
async function aShop() {
  const store = await aStoreWithEvents(service)
  const ada = await store.customer('ada@example.com')
  await store.customer('bo@example.com')
  const productOf = async (title: string) => {
    const { product } = await store.shop(
      `mutation($product: ProductCreateInput!) { productCreate(product: $product) {
         product { id variants(first: 1) { nodes { id } } } userErrors { message } } }`,
      { product: { title, status: 'ACTIVE' } }
    )
    return { productId: product.id as string, variantId: product.variants.nodes[0].id as string }
  }
  const [beans, mug] = [await productOf('Beans'), await productOf('Mug')]
  const coffee = await store.plan({ name: 'Coffee', type: 'product', price: '15.00', product_ids: [beans.productId] })
  await store.settle()
  const requested = {
    customer: 'ada@example.com',
    plan_id: `plan_${coffee.id}`,
    variant_id: beans.variantId,
    next_billing_date: '2026-02-10'
  }
  const create = (over: object, key?: string) => call(store, 'POST', '/subscriptions', { ...requested, ...over }, key)
  const contracts = async () => (await service.sandbox.controls.counts(store.storeId)).contracts
  return { store, ada, beans, mug, coffee, create, contracts }
}

test('an operator creates a subscription of products with variant, quantity and price per item', async () => {
  const { store, coffee, create, contracts } = await aShop()
  const created = await create({ quantity: 3 }, 'order-1')
  assert.equal(created.status, 201, JSON.stringify(created.body))
  const { plan_id, plan_name, price, status } = created.body
  assert.deepEqual([plan_id, plan_name, price, status], [`plan_${coffee.id}`, 'Coffee', 45, 'active'])
  assert.equal((await create({ quantity: 3 }, 'order-1')).body.id, created.body.id)
  assert.equal(await contracts(), 1)
  await store.advance({ to: '2026-02-11T00:00:00Z' })
  const { data } = (await service.get(`/billing-attempts?subscription_id=${created.body.id}`, store.key)).body
  assert.deepEqual(
    data.map((a: any) => [a.status, a.amount]),
    [['success', 45]]
  )
  await store.soundBooks()
})

test('the command creates a subscription with a variant id and a price per item', async () => {
  const { store, beans, coffee } = await aShop()
  const created = await commandLine(service).json(
    ...['subscription', 'create', '--store', store.domain, '--customer', 'ada@example.com', '--date', '2026-02-10'],
    ...[
      '--plan',
      `plan_${coffee.id}`,
      '--variant',
      beans.variantId.split('/').at(-1)!,
      '--quantity',
      '2',
      '--price',
      '12.50'
    ]
  )
  assert.equal(created.price, 25)
})

test('the variant must be sold by the plan; a membership accepts neither variant nor quantity', async () => {
  const { store, mug, create, contracts } = await aShop()
  const refused = async (over: object) => {
    const { status, body } = await create(over)
    return `${status} ${body.error?.message} (${body.error?.details?.[0].code})`
  }
  const [vip] = (await store.plans()).filter(({ name }: { name: string }) => name === 'VIP')
  const accepts = /^400 variant_id must be the id of a variant of a product that the plan sells/
  assert.match(await refused({ variant_id: undefined }), accepts)
  assert.match(await refused({ variant_id: mug.variantId }), accepts)
  assert.match(await refused({ variant_id: mug.variantId }), /\(invalid\)$/)
  assert.match(await refused({ variant_id: '999999' }), /plan sells \(not_found\)$/)
  assert.match(await refused({ variant_id: 'beans' }), /^400 variant_id must be the platform's number of a variant/)
  assert.match(await refused({ quantity: 0 }), /^400 quantity must be an integer from 1 to 1000/)
  assert.match(await refused({ receiver: 'bo@example.com' }), /^400 receiver is accepted only with a membership/)
  assert.match(
    await refused({ plan_id: `plan_${vip!.id}` }),
    /^400 variant_id is accepted only with a plan of products/
  )
  assert.match(
    await refused({ plan_id: `plan_${vip!.id}`, variant_id: undefined, quantity: 2 }),
    /^400 quantity is accepted only with a plan of products/
  )
  assert.equal(await contracts(), 0)
})

/** Requests a membership from a platform whose response and messages are lost. */
async function aLostRequest(isExecuted: boolean) {
  const { store, contracts } = await aShop()
  await service.sandbox.controls.setWebhookFaults({ storeId: store.storeId, faults: { drop: 1 } })
  const [vip] = (await store.plans()).filter(({ name }: { name: string }) => name === 'VIP')
  const {
    create: ask,
    responseLost,
    callLost,
    aMinuteLater
  } = await aSubscriptionRequest(service, store, { planId: vip!.id })
  await assert.rejects(isExecuted ? responseLost() : callLost(), { code: 'unavailable' })
  return {
    store,
    contracts,
    ask,
    aMinuteLater,
    subscriptions: async () => (await service.get('/subscriptions', store.key)).body.data as any[],
    alerts: () =>
      service.db.inStore(store.storeId, ({ tx, storeId }) =>
        tx.many(row({ kind: text }), sql`select kind from alerts where store_id = ${storeId}`)
      ),
    waiting: () =>
      service.db.inStore(store.storeId, ({ tx, storeId }) =>
        tx.many(row({ kind: text }), sql`select kind from jobs where store_id = ${storeId}`)
      )
  }
}

test('a subscription whose response and messages are lost is found on the platform and synced', async () => {
  const { store, contracts, subscriptions, aMinuteLater, waiting, alerts, ask } = await aLostRequest(true)
  await store.settle()
  assert.deepEqual(await subscriptions(), [], 'a response may still arrive')
  await aMinuteLater()
  await store.advance({ by: 'PT5M' })
  const [created, ...more] = await subscriptions()
  assert.deepEqual([created.status, created.next_billing_date, more], ['active', '2026-02-10T05:00:00.000Z', []])
  const { body } = await service.get(`/subscriptions/${created.id}/activity`, store.key)
  assert.deepEqual(
    body.data.map(({ kind, actor }: any) => [kind, actor]),
    [['created', 'operator']]
  )
  assert.deepEqual([await waiting(), await alerts()], [[], []])
  assert.deepEqual(await ask(), { id: Number(created.id.slice('sub_'.length)), isRepeated: true })
  assert.equal(await contracts(), 1)
  await store.soundBooks()
})

test('a request that never reached the platform is abandoned after a day with an alert, and can be repeated', async () => {
  const { store, contracts, subscriptions, aMinuteLater, waiting, alerts, ask } = await aLostRequest(false)
  await aMinuteLater()
  await store.advance({ by: 'PT23H' })
  assert.deepEqual(
    (await waiting()).map(({ kind }) => kind),
    ['finish-creation']
  )
  await store.advance({ by: 'PT7H' })
  assert.deepEqual([await waiting(), await alerts()], [[], [{ kind: 'creation_abandoned' }]])
  assert.deepEqual(await subscriptions(), [])
  assert.equal((await ask()).isRepeated, false)
  assert.equal(await contracts(), 1)
  await store.settle()
  assert.deepEqual(await waiting(), [])
  await store.soundBooks()
})
