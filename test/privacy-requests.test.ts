// Requests about personal data, as the platform and operators make them: recorded, carried out, refused, and their ends.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int, row, sql, text } from '#kit/postgres'
import { receiveCompliance } from '#privacy'
import { eraseStore, listDeletingStores } from '../src/stores/delete-store.ts'
import { testDatabase } from './database.ts'
import { csv } from './import-builder.ts'
import { OPERATOR_TOKEN, startService } from './service-builder.ts'
import { tracesInDatabase } from './traces.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { db, sandbox, urls } = service
const inbound = `${urls.public}/platform/webhooks`

type Store = Awaited<ReturnType<typeof service.aStore>>
const admin = ({ at }: Store, method: string, path: string, body?: unknown) =>
  service.admin(method, `${at}${path}`, body)
const settle = ({ storeId }: Store) => service.deps.settle(storeId)
const requests = async (store: Store) => (await admin(store, 'GET', '/privacy')).data
const refusal = async (store: Store, method: string, path: string, body?: unknown) => {
  const response = await fetch(`${urls.public}/admin/api${store.at}${path}`, {
    method,
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body)
  })
  return [response.status, ((await response.json()) as any).error?.message]
}
/** A message of the platform with any body, signed. */
async function message(store: Store, topic: string, body: object) {
  await sandbox.controls.sendCompliance({ storeId: store.storeId, topic: 'shop/redact', uri: inbound })
  await service.sandboxDb.inInstallation((tx) =>
    tx.run(sql`
      update sandbox.webhook_messages set topic = ${topic}, body = ${JSON.stringify(body)}
       where store_id = ${store.storeId} and topic = 'shop/redact'`)
  )
  await settle(store)
}

test('a data request becomes a file, which is fetched once asked for, and goes when the person does', async () => {
  const store = await service.aStore()
  const { storeId } = store
  const { customer } = await store.member('greta.garnet@example.com')
  await settle(store)
  await sandbox.controls.sendCompliance({ storeId, topic: 'customers/data_request', customerId: customer.id })
  await settle(store)
  const [request] = await requests(store)
  const { id, status, source, platform_request_id, due_at, received_at, rows } = request
  assert.deepEqual([status, source, platform_request_id], ['ready', 'platform', '9999'])
  assert.equal(Temporal.Instant.from(received_at).until(due_at).total('hours'), 30 * 24)
  const [alert] = (await admin(store, 'GET', '/alerts')).data
  assert.match(alert.message, new RegExp(`perennial privacy export ${id}\\b`))

  const file = await admin(store, 'GET', `/privacy/${id}/export`)
  assert.deepEqual(file.customer.emails, ['greta.garnet@example.com'])
  assert.equal(file.held.members[0].email, 'greta.garnet@example.com')
  assert.equal(file.held.subscriptions.length, 1)
  assert.equal(file.held.orders.length, 1)
  assert.deepEqual(
    rows,
    Object.fromEntries(Object.entries<unknown[]>(file.held).map(([table, held]) => [table, held.length]))
  )
  assert.doesNotMatch(JSON.stringify(file), /lease_token|store_id/)
  assert.equal((await requests(store))[0].status, 'done')

  // Another one that nobody fetches is over with its file.
  await admin(store, 'POST', '/privacy', { topic: 'customers/data_request', customer: 'greta.garnet@example.com' })
  const [second] = await requests(store)
  assert.equal(second.status, 'ready')
  await store.advance({ by: 'P27D' })
  const { findings } = await service.deps.doctor(storeId)
  assert.deepEqual(
    findings.map(({ check }: any) => check),
    ['privacy_requests_overdue']
  )
  await store.advance({ by: 'P4D' })
  assert.equal((await requests(store))[0].status, 'refused')
  assert.deepEqual(await refusal(store, 'GET', `/privacy/${second.id}/export`), [
    404,
    `The file of ${second.id} is no longer kept`
  ])

  await admin(store, 'POST', '/privacy', { topic: 'customers/data_request', customer: customer.id })
  await admin(store, 'POST', '/privacy', { topic: 'customers/redact', customer: customer.id, end_subscriptions: true })
  await store.advance({ by: 'PT1H' })
  const [redact, third] = await requests(store)
  assert.deepEqual([redact.status, third.status, third.reason], ['done', 'refused', 'The person was erased meanwhile'])
  assert.equal((await refusal(store, 'GET', `/privacy/${third.id}/export`))[0], 404)
  assert.deepEqual(
    await tracesInDatabase(url, { words: ['garnet'], phone: '0000000000000', numbers: [customer.id] }),
    {}
  )
  assert.deepEqual(await refusal(store, 'GET', `/privacy/${redact.id}/export`), [
    404,
    `${redact.id} is no data request, and has no file`
  ])
})

test('an operator ends no subscription by mistake, and the same request is not made twice', async () => {
  const store = await service.aStore()
  const { customer } = await store.member('olga.opal@example.com')
  await settle(store)
  const erase = { topic: 'customers/redact', customer: 'olga.opal@example.com' }
  assert.deepEqual(await refusal(store, 'POST', '/privacy', erase), [
    409,
    'The customer has 1 running subscription, which would end at once: say end_subscriptions where that is wanted'
  ])
  assert.deepEqual(await refusal(store, 'POST', '/privacy', { topic: 'customers/redact' }), [
    400,
    'customer must be given, or else phone'
  ])
  assert.equal((await refusal(store, 'POST', '/privacy', { ...erase, customer: 'cust_999999' }))[0], 400)
  assert.equal((await refusal(store, 'POST', '/privacy', { topic: 'customers/redact', phone: '12' }))[0], 400)
  const first = await admin(store, 'POST', '/privacy', { ...erase, end_subscriptions: true })
  assert.equal(first.status, 'checking')
  const again = await admin(store, 'POST', '/privacy', { ...erase, end_subscriptions: true })
  assert.equal(again.id, first.id)
  await store.advance({ by: 'PT1H' })
  const { body } = await service.get('/members', store.key)
  const [member] = body.data
  assert.deepEqual(
    [member.status, member.customer.email, member.customer.first_name, member.customer.shopify_id],
    ['cancelled', null, null, `gid://platform/Customer/0${member.id.slice('mem_'.length)}`]
  )
  const patched = await service.patch(`/members/${member.id}`, store.key, { email: 'back@example.com' })
  assert.deepEqual(
    [patched.status, patched.body.error.message],
    [400, `The personal data of member ${member.id} was erased, and no new data can be added`]
  )
  const made = await refusal(store, 'POST', '/subscriptions', {
    customer: customer.id,
    plan_id: (await admin(store, 'GET', '/plans')).data[0].id,
    next_billing_date: '2026-06-01'
  })
  assert.match(String(made[1]), /must be a customer whose data was not erased/)

  await store.member('giver@example.com')
  await settle(store)
  const [held] = (await admin(store, 'GET', '/subscriptions')).data
  const gift = `/subscriptions/${held.id}/gift`
  for (const receiver of [member.id.replace('mem_', 'cust_'), customer.id]) {
    assert.deepEqual(
      await refusal(store, 'POST', gift, { receiver }),
      [400, 'receiver must be a customer whose data was not erased'],
      receiver
    )
  }
})

test('a person without a row is found by address and phone, also where only a refused row of a file has them', async () => {
  const store = await service.aStore()
  const { id } = await admin(store, 'POST', '/imports', { source: 'csv' })
  await fetch(`${urls.public}/admin/api${store.at}/imports/${id}/rows`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'text/csv' },
    body: csv(['email', 'plan', 'next_billing_date'], [['pia.pearl@example.com', '+44 20 7946 0958', '2026-09-01']])
  })
  await settle(store)
  const wanted = { words: ['pia.pearl'], phone: '442079460958', numbers: [] }
  assert.deepEqual(Object.keys(await tracesInDatabase(url, wanted)), ['import_rows'])
  await admin(store, 'POST', '/privacy', { topic: 'customers/redact', phone: '+44 (20) 7946-0958' })
  await store.advance({ by: 'PT1H' })
  const left = await tracesInDatabase(url, wanted)
  assert.deepEqual(left, {})
  const [request] = await requests(store)
  assert.deepEqual([request.status, request.customer_id, request.rows], ['done', null, { import_rows: 1 }])
})

test('a customer who is erased before they are known is stored without the person when they come', async () => {
  const store = await service.aStore()
  const { storeId } = store
  const customer = { id: '7700000000001', email: 'rosa.ruby@example.com', firstName: 'Rosa', lastName: 'Ruby' }
  await db.inStore(storeId, (ctx) =>
    receiveCompliance(ctx, 'customers/redact', { customer: { id: Number(customer.id), email: customer.email } })
  )
  await store.advance({ by: 'PT1H' })
  await sandbox.controls.importFixtures({ storeId, customers: [customer], contracts: [] })
  await admin(store, 'POST', '/sandbox/orders', { customer: customer.id, total: '30.00', country: 'US' })
  await settle(store)
  await admin(store, 'POST', '/sandbox/joins', { customer: customer.id, plan: 'VIP' })
  await settle(store)
  await store.advance({ by: 'P1M' })
  const wanted = { words: ['rosa.ruby', 'Rosa', 'Ruby'], phone: '0000000000000', numbers: [customer.id] }
  assert.deepEqual(await tracesInDatabase(url, wanted), {})
  const { orders, live } = await db.inStore(storeId, ({ tx }) =>
    tx.one(
      row({ orders: int, live: int }),
      sql`
      select (select count(*) from orders o join members m on m.store_id = ${storeId} and m.id = o.member_id
               where o.store_id = ${storeId} and m.erased_at is not null) as orders,
             (select count(*) from subscriptions where store_id = ${storeId} and status in ('active', 'paused')) as live`
    )
  )
  assert.deepEqual([orders >= 1, live], [true, 0])
  const { contractId } = await db.inStore(storeId, ({ tx }) =>
    tx.one(
      row({ contractId: text }),
      sql`select platform_contract_id as contract_id from subscriptions where store_id = ${storeId}`
    )
  )
  const { data: alerts } = await admin(store, 'GET', '/alerts')
  assert.deepEqual(
    alerts.map(({ kind, message }: { kind: string; message: string }) => [kind, message]),
    [
      [
        'erased_customer_subscribed',
        `Contract ${contractId} belongs to a customer whose data was erased. Its subscription was cancelled at once, and the service cancels the contract on the platform too: there is nothing more to be charged. What the checkout has charged is not paid back by that. Please refund its order on the platform if it was paid.`
      ]
    ]
  )
  // What the alert says is so: nobody has cancelled the contract there, and nobody has paid the order back.
  const { contracts } = await service.deps.connectorOf(storeId)
  const there = await contracts.find(contractId)
  assert.equal(there.ok && there.value!.status, 'cancelled')
  assert.deepEqual((await service.deps.doctor(storeId)).findings, [])
})

test('a message that names nobody is refused, and one that comes while the store is disconnected is carried out', async () => {
  const store = await service.aStore()
  const { customer } = await store.member('jade.jasper@example.com')
  await settle(store)
  await message(store, 'customers/redact', { shop_domain: store.domain, customer: {} })
  const [refused] = await requests(store)
  assert.deepEqual(
    [refused.status, refused.reason],
    ['refused', 'The message names no customer: neither id, e-mail address nor phone']
  )
  await service.admin('POST', `${store.at}/disconnect`, {})
  await message(store, 'customers/redact', { customer: { id: Number(customer.id), email: 'jade.jasper@example.com' } })
  await store.advance({ by: 'PT1H' })
  // What the platform has of them is deleted when the store is connected again.
  const [waiting] = await requests(store)
  assert.equal(waiting.status, 'checking')
  assert.match(waiting.reason, /^The platform still has .*: the store is disconnected from it$/)
  const wanted = { words: ['jade.jasper'], phone: '0000000000000', numbers: [] }
  assert.deepEqual(await tracesInDatabase(url, wanted), {})
  await sandbox.controls.install({ storeId: store.storeId, accessToken: store.platform_token })
  await service.admin('POST', `${store.at}/connect`, { access_token: store.platform_token })
  await store.advance({ by: 'PT1H' })
  assert.equal((await requests(store))[0].status, 'done')
  assert.deepEqual(await tracesInDatabase(url, { ...wanted, numbers: [customer.id] }), {})
})

test('a shop that has uninstalled the app is deleted with everything; that it was asked for stays', async () => {
  const store = await service.aStore()
  const { storeId } = store
  await store.member('sara.sapphire@example.com')
  await settle(store)
  // While the app is installed the message is an old one.
  await sandbox.controls.sendCompliance({ storeId, topic: 'shop/redact', uri: inbound })
  await settle(store)
  const [old] = await requests(store)
  assert.deepEqual([old.topic, old.status], ['shop/redact', 'refused'])

  await service.admin('POST', `${store.at}/sandbox/uninstalls`, {})
  await settle(store)
  await sandbox.controls.sendCompliance({ storeId, topic: 'shop/redact', uri: inbound })
  await settle(store).catch(() => {})
  // From here on it is as if the store was not there; the housekeeping removes its rows.
  assert.deepEqual(await listDeletingStores(db), [storeId])
  assert.equal(await eraseStore(db, storeId), true)
  assert.deepEqual(
    await tracesInDatabase(url, { words: ['sapphire', store.domain], phone: '0000000000000', numbers: [] }),
    {}
  )
  const kept = await db.inInstallation((tx) =>
    tx.many(
      row({ requested: text, deleted: text }),
      sql`
      select requested_at::text as requested, deleted_at::text as deleted from erased_shops where deleted_store = ${storeId}`
    )
  )
  assert.equal(kept.length, 1)
})
