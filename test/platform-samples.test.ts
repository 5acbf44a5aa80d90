// The platform's published sample messages, sent to the real endpoint, must lead to the right rows.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { int, nullable, row, sql, text } from '#kit/postgres'
import { platformAccess } from '#stores'
import { findSubscriptionByContract } from '#subscriptions'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { testVault } from './store-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const sample = (topic: string) =>
  readFile(new URL(`./fixtures/platform/payloads/${topic.replace('/', '__')}.json`, import.meta.url))

let sent = 0
async function deliver(storeId: number, topic: string, given?: { secret?: string; body?: Buffer; id?: string }) {
  const { domain, appSecret } = await platformAccess(service.db, testVault, storeId)
  const body = given?.body ?? (await sample(topic))
  const response = await fetch(`${service.urls.public}/platform/webhooks`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-platform-topic': topic,
      'x-platform-shop-domain': domain,
      'x-platform-webhook-id': given?.id ?? `sample-${++sent}`,
      'x-platform-api-version': '2026-07',
      'x-platform-triggered-at': '2026-02-01T00:00:00Z',
      'x-platform-hmac-sha256': createHmac('sha256', given?.secret ?? appSecret)
        .update(body)
        .digest('base64')
    },
    body: new Uint8Array(body)
  })
  return response.status
}
const count = (storeId: number) =>
  service.db.inStore(
    storeId,
    async ({ tx }) =>
      (
        await tx.one(
          row({ count: int }),
          sql`select count(*) as count from inbound_webhooks where store_id = ${storeId}`
        )
      ).count
  )

const CONTRACTS = {
  create: ['402440842', 'active', 'active'],
  update: ['7879037765', 'active', 'active'],
  activate: ['4488765614', 'active', 'active'],
  pause: ['3334363200', 'paused', 'paused'],
  cancel: ['9264106522', 'cancelled', 'cancelled'],
  fail: ['9633163704', 'failed', 'failed'],
  expire: ['3953017108', 'expired', 'expired']
} as const

async function aStoreWithSamples() {
  const store = await service.aStore({ currency: 'CAD', clock: '2026-02-01T00:00:00Z' })
  const contracts = [...Object.values(CONTRACTS), ['9998878778', 'active', 'active'] as const]
  await service.sandbox.controls.importFixtures({
    storeId: store.storeId,
    customers: [{ id: '1', email: 'steve@example.com', firstName: 'Steve', lastName: 'Shipper' }],
    orders: [{ id: '1', customerId: '1', total: '29.00', currency: 'CAD' }],
    contracts: contracts.map(([id, status]) => ({
      id,
      customerId: '1',
      price: '29.00',
      currency: 'CAD',
      interval: 'WEEK',
      intervalCount: 4,
      status: status.toUpperCase() as 'ACTIVE',
      originOrderId: '1'
    }))
  })
  return store
}

test("every contract topic leads to a subscription with the platform's status", async () => {
  const store = await aStoreWithSamples()
  for (const topic of Object.keys(CONTRACTS)) {
    assert.equal(await deliver(store.storeId, `subscription_contracts/${topic}`), 200, topic)
  }
  await service.deps.settle(store.storeId)
  const rows = await service.db.inStore(store.storeId, ({ tx }) =>
    tx.many(
      row({ contract: text, status: text, interval: text, intervalCount: int, currency: text, customer: text }),
      sql`select s.platform_contract_id as contract, s.status, s.interval, s.interval_count, s.currency,
                 m.platform_customer_id as customer
            from subscriptions s join members m on m.store_id = s.store_id and m.id = s.member_id
           where s.store_id = ${store.storeId} order by s.platform_contract_id`
    )
  )
  assert.deepEqual(
    rows,
    Object.values(CONTRACTS)
      .map(([contract, , status]) => ({
        contract,
        status,
        interval: 'week',
        intervalCount: 4,
        currency: 'CAD',
        customer: '1'
      }))
      .sort((a, b) => (a.contract < b.contract ? -1 : 1))
  )
})

for (const [topic, status, errorCode] of [
  ['success', 'success', null],
  ['failure', 'failed', 'card_declined'],
  ['challenged', 'pending', null]
] as const) {
  test(`a billing attempt's ${topic} settles the attempt with that key`, async () => {
    const store = await aStoreWithSamples()
    const contract = JSON.stringify({
      ...JSON.parse((await sample('subscription_contracts/create')).toString()),
      id: 9998878778,
      admin_graphql_api_id: 'gid://platform/SubscriptionContract/9998878778'
    })
    await deliver(store.storeId, 'subscription_contracts/create', { body: Buffer.from(contract) })
    await service.deps.settle(store.storeId)
    await service.db.inStore(store.storeId, async (ctx) => {
      const { id } = (await findSubscriptionByContract(ctx, '9998878778'))!
      await ctx.tx.run(sql`
        insert into billing_attempts (store_id, subscription_id, cycle_index, attempt_number, status, idempotency_key,
          amount_minor, currency, scheduled_at, submitted_at, check_at, created_at)
        values (${store.storeId}, ${id}, 2, 1, 'pending', '9a453d81-d41d-403e-806f-714dee215ff9', 2900, 'CAD', ${ctx.now},
                ${ctx.now}, ${ctx.now.add({ hours: 24 })}, ${ctx.now})`)
    })
    assert.equal(await deliver(store.storeId, `subscription_billing_attempts/${topic}`), 200)
    await service.deps.settle(store.storeId)
    const { body } = await service.get('/billing-attempts', store.key)
    assert.deepEqual([body.data[0].status, body.data[0].error?.code ?? null], [status, errorCode])
    if (topic === 'success') assert.equal(body.data[0].order.shopify_id, 'gid://platform/Order/1')
  })
}

test('every order topic leads to one order, with exact ids above 2^53', async () => {
  const store = await aStoreWithSamples()
  for (const topic of ['create', 'updated', 'paid', 'cancelled'])
    assert.equal(await deliver(store.storeId, `orders/${topic}`), 200)
  await service.deps.settle(store.storeId)
  const rows = await service.db.inStore(store.storeId, ({ tx }) =>
    tx.many(
      row({
        id: text,
        name: text,
        number: text,
        total: int,
        status: text,
        customer: nullable(text),
        country: nullable(text)
      }),
      sql`select o.platform_order_id as id, o.name, o.number, o.total_minor as total, o.financial_status as status,
                 m.platform_customer_id as customer, o.country_code as country
            from orders o left join members m on m.store_id = o.store_id and m.id = o.member_id
           where o.store_id = ${store.storeId}`
    )
  )
  const customer = JSON.parse((await sample('orders/create')).toString())
    .customer.admin_graphql_api_id.split('/')
    .at(-1)
  assert.deepEqual(rows, [
    { id: '820982911946154508', name: '#9999', number: '1234', total: 40495, status: 'voided', customer, country: 'US' }
  ])
})

test('every customer topic leads to one customer, who is not a member', async () => {
  const store = await aStoreWithSamples()
  for (const topic of ['create', 'update']) assert.equal(await deliver(store.storeId, `customers/${topic}`), 200)
  await service.deps.settle(store.storeId)
  const rows = await service.db.inStore(store.storeId, ({ tx }) =>
    tx.many(
      row({ id: text, email: nullable(text), first: nullable(text), status: nullable(text), country: nullable(text) }),
      sql`select platform_customer_id as id, email, first_name as first, status, country_code as country from members
           where store_id = ${store.storeId}`
    )
  )
  assert.deepEqual(rows, [
    { id: '706405506930370084', email: 'bob@biller.com', first: 'Bob', status: null, country: 'CA' }
  ])
  assert.equal((await service.get('/members', store.key)).body.meta.total, 0)
})

test('a wrong signature is 401 and stores nothing; a repeated message is stored once', async () => {
  const store = await aStoreWithSamples()
  assert.equal(await deliver(store.storeId, 'orders/create', { secret: 'guessed' }), 401)
  assert.equal(await count(store.storeId), 0)
  assert.equal(await deliver(store.storeId, 'orders/create', { id: 'same' }), 200)
  assert.equal(await deliver(store.storeId, 'orders/create', { id: 'same' }), 200)
  assert.equal(await count(store.storeId), 1)
})
