// Changes by the platform: deleted and merged customers, revoked cards, the uninstalled app, the shop's time zone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeCredits } from '#credits'
import { int, nullable, row, sql, text } from '#kit/postgres'
import { markCustomersMerged } from '#members'
import { adjustPoints } from '#points'
import { platformAccess } from '#stores'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { testVault } from './store-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { controls } = service.sandbox

type Store = Awaited<ReturnType<typeof service.aStore>>

const inStore = <T>(store: Store, work: Parameters<typeof service.db.inStore<T>>[1]) =>
  service.db.inStore(store.storeId, work)

async function subscriptionOf(store: Store, contractId: string) {
  return inStore(store, ({ tx, storeId }) =>
    tx.one(
      row({
        status: text,
        cancelReason: nullable(text),
        memberId: int,
        nextCycle: int,
        nextBillingAt: nullable(text),
        paymentMethod: nullable(text)
      }),
      sql`select status, cancel_reason, member_id, next_cycle, payment_method::text as payment_method,
                 to_char(next_billing_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"') as next_billing_at
            from subscriptions where store_id = ${storeId} and platform_contract_id = ${contractId}`
    )
  )
}

async function onPlatform(store: Store, contractId: string): Promise<string> {
  const { status } = await service.sandboxDb.direct.one(
    row({ status: text }),
    sql`select status from sandbox.contracts where store_id = ${store.storeId} and id = ${contractId}`
  )
  return status
}

async function membersOf(store: Store) {
  return inStore(store, ({ tx, storeId }) =>
    tx.many(
      row({
        id: int,
        customer: text,
        status: nullable(text),
        into: nullable(int),
        credit: int,
        points: int,
        orders: int
      }),
      sql`
      select m.id, m.platform_customer_id as customer, m.status, m.merged_into as into,
             coalesce((select balance_minor from credit_accounts c where c.store_id = ${storeId} and c.member_id = m.id), 0) as credit,
             coalesce((select balance from points_accounts p where p.store_id = ${storeId} and p.member_id = m.id), 0) as points,
             (select count(*) from orders o where o.store_id = ${storeId} and o.member_id = m.id) as orders
        from members m where m.store_id = ${storeId} order by m.id`
    )
  )
}

const settle = (store: Store) => service.deps.settle(store.storeId)

test("a deleted customer's contracts end here and on the platform, and the member stays", async () => {
  const store = await service.aStore()
  const ada = await store.member('ada@example.com')
  const bob = await store.member('bob@example.com')
  await service.admin('POST', `${store.at}/sandbox/deletions`, { customer: ada.customer.id })
  const ended = await subscriptionOf(store, ada.contract_id)
  assert.deepEqual([ended.status, ended.cancelReason], ['cancelled', 'customer_deleted'])
  assert.equal(await onPlatform(store, ada.contract_id), 'CANCELLED')
  assert.equal((await subscriptionOf(store, bob.contract_id)).status, 'active')
  const [member] = await membersOf(store)
  assert.deepEqual([member!.customer, member!.status], [ada.customer.id, 'cancelled'])
  await store.advance({ by: 'P1M' })
  assert.equal((await controls.charges(store.storeId)).length, 1)
  await store.soundBooks()
})

test('a deletion whose message was lost is found by a reconciliation', async () => {
  const store = await service.aStore()
  const ada = await store.member('ada@example.com')
  await controls.setWebhookFaults({ storeId: store.storeId, faults: { drop: 1 } })
  await controls.deleteCustomer({ storeId: store.storeId, customerId: ada.customer.id })
  await settle(store)
  assert.equal((await subscriptionOf(store, ada.contract_id)).status, 'active')
  await service.admin('POST', `${store.at}/reconcile`, {})
  assert.equal((await subscriptionOf(store, ada.contract_id)).cancelReason, 'customer_deleted')
  await store.soundBooks()
})

test('after a merge one member has the subscriptions, credit, points and orders of both', async () => {
  const store = await service.aStore()
  const ada = await store.member('ada@example.com')
  const bob = await store.member('bob@example.com')
  const [a, b] = await membersOf(store)
  const june = Temporal.Instant.from('2026-06-01T00:00:00Z')
  const gift = { type: 'manual_add' as const, reason: 'Gift' }
  await inStore(store, async (ctx) => {
    await changeCredits(ctx, [
      { ...gift, memberId: a!.id, amountMinor: 1200, operationId: 'g1' },
      { ...gift, memberId: a!.id, amountMinor: 500, operationId: 'g2', expiresAt: june },
      { ...gift, memberId: b!.id, amountMinor: 100, operationId: 'g3' }
    ])
    await adjustPoints(ctx, [
      { memberId: a!.id, balance: 70, reason: 'Gift', operationId: 'p1' },
      { memberId: b!.id, balance: 5, reason: 'Gift', operationId: 'p2' }
    ])
  })
  await service.admin('POST', `${store.at}/sandbox/merges`, { customer: ada.customer.id, into: bob.customer.id })

  const [from, to] = await membersOf(store)
  assert.deepEqual([from!.status, from!.into, from!.credit, from!.points, from!.orders], ['cancelled', to!.id, 0, 0, 0])
  assert.deepEqual([to!.status, to!.into, to!.credit, to!.points, to!.orders], ['active', null, 1800, 75, 2])
  for (const { contract_id } of [ada, bob]) {
    const subscription = await subscriptionOf(store, contract_id)
    assert.deepEqual([subscription.memberId, subscription.status], [to!.id, 'active'])
  }
  const { count } = await inStore(store, ({ tx, storeId }) =>
    tx.one(
      row({ count: int }),
      sql`select count(*) as count from contract_activities where store_id = ${storeId} and member_id = ${from!.id}`
    )
  )
  assert.equal(count, 0)
  await store.advance({ by: 'P1M' })
  assert.equal((await controls.charges(store.storeId)).length, 2)
  // Credit keeps its expiry date: five of the eighteen expire in June.
  await store.advance({ to: '2026-06-02T00:00:00Z' })
  assert.equal((await membersOf(store))[1]!.credit, 1300)
  await store.soundBooks()
})

test('a customer merged into an unknown customer continues under the other id', async () => {
  const store = await service.aStore()
  const ada = await store.member('ada@example.com')
  const merge = { keptId: '77', deletedId: ada.customer.id }
  assert.equal(await inStore(store, (ctx) => markCustomersMerged(ctx, merge)), null)
  const renumbered = await membersOf(store)
  assert.deepEqual(
    renumbered.map(({ customer, status, into }) => [customer, status, into]),
    [['77', 'active', null]]
  )
  assert.equal(await inStore(store, (ctx) => markCustomersMerged(ctx, merge)), null)
  assert.deepEqual(await membersOf(store), renumbered)
})

test('a merge whose message was lost is found by a reconciliation', async () => {
  const store = await service.aStore()
  const ada = await store.member('ada@example.com')
  await controls.setWebhookFaults({ storeId: store.storeId, faults: { drop: 1 } })
  const bob = await store.customer('bob@example.com')
  await service.admin('POST', `${store.at}/sandbox/merges`, { customer: ada.customer.id, into: bob.id })
  await service.admin('POST', `${store.at}/reconcile`, {})
  const members = await membersOf(store)
  const { memberId, status } = await subscriptionOf(store, ada.contract_id)
  assert.equal(status, 'active')
  assert.equal(members.find(({ id }) => id === memberId)!.customer, bob.id)
  await store.soundBooks()
})

test('a revoked card is recorded, and its next charge fails as one without a card', async () => {
  const store = await service.aStore()
  const ada = await store.member('ada@example.com')
  assert.match((await subscriptionOf(store, ada.contract_id)).paymentMethod!, /4242/)
  await service.admin('POST', `${store.at}/sandbox/revocations`, { customer: ada.customer.id })
  assert.equal((await subscriptionOf(store, ada.contract_id)).paymentMethod, null)
  await store.advance({ by: 'P1M' })
  const { body } = await service.get('/billing-attempts?status=failed', store.key)
  assert.equal(body.data[0].error.code, 'invalid_payment_method')
  await store.soundBooks()
})

test('a store whose app is uninstalled stops, and continues when it is connected again', async () => {
  const store = await service.aStore()
  const ada = await store.member('ada@example.com')
  const bob = await store.member('bob@example.com')
  await service.admin('POST', `${store.at}/sandbox/uninstalls`, {})
  assert.equal((await service.admin('GET', store.at)).status, 'disconnected')
  await assert.rejects(platformAccess(service.db, testVault, store.storeId), { code: 'conflict' })
  const { sealed } = await inStore(store, ({ tx, storeId }) =>
    tx.one(
      row({ sealed: text }),
      sql`select encode(platform_credentials, 'hex') as sealed from stores where store_id = ${storeId}`
    )
  )
  const credentials = testVault.open(`stores.platform_credentials:${store.domain}`, Buffer.from(sealed, 'hex'))
  assert.equal(JSON.parse(credentials).accessToken, '')

  // Meanwhile two cycles become due and a customer is deleted, of which no message arrives.
  await store.advance({ by: 'P2M' })
  assert.deepEqual(await controls.charges(store.storeId), [])
  assert.equal((await service.get('/billing-attempts', store.key)).status, 401)
  await controls.deleteCustomer({ storeId: store.storeId, customerId: bob.customer.id })
  await assert.rejects(service.admin('POST', `${store.at}/reconcile`, {}), /409|disconnected/)

  const connected = await service.admin('POST', `${store.at}/connect`, {})
  assert.equal(connected.status, 'active')
  assert.equal((await subscriptionOf(store, bob.contract_id)).status, 'cancelled')
  assert.equal((await subscriptionOf(store, ada.contract_id)).status, 'active')
  // Of the missed cycles the latest is billed once.
  const charges = await controls.charges(store.storeId)
  assert.deepEqual(
    charges.map(({ contractId }) => contractId),
    [ada.contract_id]
  )
  // The deleted customer was not charged: the reconciliation ran before billing.
  assert.equal((await service.get('/billing-attempts', store.key)).body.meta.total, 1)
  const { data } = await service.admin('GET', `${store.at}/alerts`)
  assert.ok(data.some(({ kind }: { kind: string }) => kind === 'disconnected'))
  const cy = await store.member('cy@example.com')
  assert.equal((await subscriptionOf(store, cy.contract_id)).status, 'active')
  await store.soundBooks()
})

test('a late message about an uninstallation is ignored if the token works', async () => {
  const store = await service.aStore()
  await controls.setWebhookFaults({ storeId: store.storeId, faults: { late: 1, delayHours: 2 } })
  await controls.uninstall({ storeId: store.storeId })
  await service.admin('POST', `${store.at}/connect`, {})
  await store.advance({ by: 'PT3H' })
  assert.equal((await service.admin('GET', store.at)).status, 'active')
})

test('after a change of time zone, billing keeps its local days and hours, and no cycle is billed twice or skipped', async () => {
  const store = await service.aStore({ clock: '2026-01-31T15:00:00Z' })
  const ada = await store.member('ada@example.com')
  assert.equal((await subscriptionOf(store, ada.contract_id)).nextBillingAt, '2026-02-28T15:00Z')
  await store.advance({ to: '2026-02-10T00:00:00Z' })
  await service.admin('POST', `${store.at}/sandbox/shop`, { timezone: 'Asia/Tokyo', name: 'Moved' })
  const moved = await service.admin('GET', store.at)
  assert.deepEqual([moved.timezone, moved.name, moved.currency], ['Asia/Tokyo', 'Moved', 'USD'])
  // 10:00 in New York becomes 10:00 in Tokyo.
  assert.equal((await subscriptionOf(store, ada.contract_id)).nextBillingAt, '2026-02-28T01:00Z')
  await store.advance({ to: '2026-02-28T02:00:00Z' })
  await service.admin('POST', `${store.at}/sandbox/shop`, { timezone: 'America/Los_Angeles' })
  assert.equal((await subscriptionOf(store, ada.contract_id)).nextBillingAt, '2026-03-31T17:00Z')
  await store.advance({ to: '2026-05-01T00:00:00Z' })
  const charges = await controls.charges(store.storeId)
  assert.equal(charges.length, 3)
  assert.equal(new Set(charges.map(({ periodAt }) => String(periodAt))).size, 3)
  await store.soundBooks()
})

test('a message of more than a megabyte is accepted', async () => {
  const store = await service.aStore()
  const ada = await store.member('ada@example.com')
  const { domain, appSecret } = await platformAccess(service.db, testVault, store.storeId)
  const { createHmac } = await import('node:crypto')
  const send = async (bytes: number) => {
    const body = JSON.stringify({
      id: 1,
      admin_graphql_api_id: `gid://platform/Customer/${ada.customer.id}`,
      email: 'ada@example.com',
      first_name: `Ada${bytes}`,
      note: 'x'.repeat(bytes)
    })
    const { status } = await fetch(`${service.urls.public}/platform/webhooks`, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'x-platform-topic': 'customers/update',
        'x-platform-hmac-sha256': createHmac('sha256', appSecret).update(body).digest('base64'),
        'x-platform-shop-domain': domain,
        'x-platform-webhook-id': `big-${bytes}`
      }
    })
    return status
  }
  assert.equal(await send(3 * 1024 * 1024), 200)
  assert.equal(await send(9 * 1024 * 1024), 400)
  await settle(store)
  const { name } = await inStore(store, ({ tx, storeId }) =>
    tx.one(row({ name: nullable(text) }), sql`select first_name as name from members where store_id = ${storeId}`)
  )
  assert.equal(name, `Ada${3 * 1024 * 1024}`)
})
