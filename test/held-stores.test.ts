// A hold that begins while the service is at work: what is claimed from then on, what was claimed and is not sent yet, and what
// people ask for meanwhile. Status checks of the runner are left out here: work that has begun does not ask them again.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { Engine } from '#kit/engines'
import { int, row, sql } from '#kit/postgres'
import { evictPlatformAccess, mayChangePlatform, unmarkRestored } from '#stores'
import { createDeliveryEngine } from '#webhooks'
import { createEngines } from '../src/app/engines.ts'
import { noMail } from '../src/app/mail.ts'
import { createBillingEngine } from '../src/billing/billing-engine.ts'
import { holdRestoredStore } from '../src/sync/restored-store.ts'
import { changeContractStatus } from './change-contract-status.ts'
import { connectorTo, withCalls } from './connectors.ts'
import { beforeDrop, testDatabase } from './database.ts'
import { receiptFiles } from './receipt-files.ts'
import { aReceiver } from './receiver.ts'
import { startService } from './service-builder.ts'
import { testVault } from './store-builder.ts'
import { until } from './until.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { db } = service
const FEBRUARY = '2026-03-01T15:00:00Z'

type Store = Awaited<ReturnType<typeof service.aStore>>

const hold = (store: Store) => db.inStore(store.storeId, holdRestoredStore)
/** How many charges the platform has been asked for. */
async function asked({ storeId }: Store): Promise<number> {
  const { count } = await service.sandboxDb.direct.one(
    row({ count: int }),
    sql`select count(*) as count from sandbox.billing_attempts where store_id = ${storeId}`
  )
  return count
}
const passTime = (store: Store, to: string) =>
  db.inInstallation((tx) => tx.run(sql`update stores set clock_at = ${to} where store_id = ${store.storeId}`))
/** A connector that knows nothing of holds. */
const ungated = (store: Store) =>
  connectorTo({
    storeId: store.storeId,
    profile: 'platform',
    url: store.platform_url,
    accessToken: store.platform_token
  })

async function runToEnd(engine: Engine, { storeId }: Store): Promise<void> {
  while ((await engine.runOnce(storeId)) > 0);
  await engine.endUnderWay?.(storeId)
}

async function aStoreOf(members: number): Promise<Store> {
  const store = await service.aStore()
  for (let i = 0; i < members; i++) {
    const customer = await service.deps.sandbox.createCustomer(store.storeId, {
      email: `person-${i}@example.com`,
      firstName: null,
      lastName: null,
      countryCode: null,
      provinceCode: null
    })
    await service.deps.sandbox.join(store.storeId, { customerId: customer.id, planName: 'VIP' })
  }
  await service.deps.settle(store.storeId)
  await passTime(store, FEBRUARY)
  return store
}

test('a hold that begins during a renewal run lets nothing more be claimed', async () => {
  const store = await aStoreOf(40)
  const connector = ungated(store)
  let sent = 0
  const engine = createBillingEngine({
    db,
    leaseOwner: 900,
    connectorOf: async () =>
      withCalls(connector, {
        billing: {
          createAttempts: async (requests) => {
            if (++sent === 1) await hold(store)
            return connector.billing.createAttempts(requests)
          }
        }
      })
  })
  await runToEnd(engine, store)
  assert.equal(sent, 32, 'what was claimed before it, and no more')
})

test('what was claimed before a hold and is not sent yet is not sent', async () => {
  const store = await aStoreOf(3)
  const engine = createBillingEngine({
    db,
    leaseOwner: 901,
    async connectorOf(storeId) {
      const connector = await service.deps.connectorOf(storeId)
      return withCalls(connector, {
        billing: {
          createAttempts: async (requests) => {
            await hold(store)
            // As after the five seconds for which a node remembers it.
            evictPlatformAccess(db, storeId)
            return connector.billing.createAttempts(requests)
          }
        }
      })
    }
  })
  await runToEnd(engine, store)
  assert.equal(await asked(store), 0)
  const connector = await service.deps.connectorOf(store.storeId)
  assert.ok((await connector.shop.read()).ok, 'the platform can still be read')
  assert.equal(await mayChangePlatform(db, testVault, store.storeId), false)
  await db.inStore(store.storeId, unmarkRestored)
  assert.equal(await mayChangePlatform(db, testVault, store.storeId), true, 'the end of a hold is seen at once')
})

test('a store whose platform knows more after a disconnection is not charged by work that has begun', async () => {
  const store = await aStoreOf(1)
  await db.inStore(store.storeId, ({ tx, storeId }) =>
    tx.run(sql`update stores set catching_up = true where store_id = ${storeId}`)
  )
  const engine = createBillingEngine({ db, leaseOwner: 902, connectorOf: async () => ungated(store) })
  await runToEnd(engine, store)
  assert.equal(await asked(store), 0)
  await db.inStore(store.storeId, ({ tx, storeId }) =>
    tx.run(sql`update stores set catching_up = false where store_id = ${storeId}`)
  )
  await runToEnd(engine, store)
  assert.equal(await asked(store), 1)
})

function aDeliveryEngine(options: { perEndpoint?: number } = {}) {
  const addresses = { loopback: true, allow: [] }
  const delivery = createDeliveryEngine({ db, leaseOwner: 903, vault: testVault, addresses, ...options })
  beforeDrop(() => delivery.stop(0))
  return delivery
}

/** Every engine of a node, in a node of its own. */
const engines = (): Engine[] =>
  createEngines({
    db,
    vault: testVault,
    addresses: { loopback: true, allow: [] },
    leaseOwner: 903,
    connectorOf: service.deps.connectorOf,
    canMail: async () => false,
    sendMail: noMail,
    maxCallMs: 40_000,
    receiptFiles,
    checkUninstalled: async () => {},
    checkConnection: async () => ({ ok: true, value: { changed: 0 } }),
    measure: () => {},
    onFactFailure: () => {},
    sandbox: service.sandbox.engine,
    delivery: aDeliveryEngine()
  })

/** Has the events of what was done queued for their receivers. */
async function makeFacts(store: Store): Promise<void> {
  for (const engine of engines()) if (engine.name.startsWith('facts')) await runToEnd(engine, store)
}

test('no engine that rests in a held store begins anything there, though it is at work', async () => {
  const receiver = await aReceiver()
  const store = await service.aStore()
  const { storeId } = store
  const ada = await store.member('ada@example.com')
  await store.member('bob@example.com')
  await service.admin('POST', `${store.at}/webhooks`, { url: receiver.url })
  await store.advance({ by: 'PT1M' })
  receiver.received.length = 0
  // Each has something to do: a message of the platform, a push and an event, an import, a warning, a renewal.
  assert.deepEqual(await changeContractStatus(store, ada.contract_id, 'Pause'), [])
  await until('the platform has sent its message', async () => {
    await service.sandbox.engine.runOnce(storeId)
    return (await messagesOf(store)) > 0
  })
  const { body } = await service.get('/subscriptions', store.key)
  const bob = body.data.find(({ customer }: { customer: { email: string } }) => customer.email === 'bob@example.com')
  assert.equal((await service.post(`/subscriptions/${bob.id}/pause`, store.key, {})).status, 200)
  assert.equal((await service.post(`/subscriptions/${bob.id}/resume`, store.key, {})).status, 200)
  await db.inStore(storeId, async ({ tx, now }) => {
    await tx.run(sql`
      insert into imports (store_id, source, mode, status, due_at, created_at)
      values (${storeId}, 'csv', 'live', 'receiving', ${now}, ${now})`)
    await tx.run(sql`
      update webhook_endpoints set failing_since = ${now.subtract({ hours: 30 })}, warn_at = ${now} where store_id = ${storeId}`)
    await tx.run(sql`update tag_owners set due_at = ${now} where store_id = ${storeId}`)
    await tx.run(sql`update metafield_owners set due_at = ${now}, is_read_first = true where store_id = ${storeId}`)
    await tx.run(sql`update metafield_stores set next_at = statement_timestamp() where store_id = ${storeId}`)
    await tx.run(sql`update tag_walks set next_at = statement_timestamp() where store_id = ${storeId}`)
    await tx.run(sql`
      insert into country_checks (store_id, subscription_id, due_at)
      select store_id, id, ${now} from subscriptions where store_id = ${storeId}`)
    await tx.run(sql`
      insert into contract_discounts (store_id, subscription_id, due_at)
      select store_id, id, ${now} from subscriptions where store_id = ${storeId}`)
    await tx.run(sql`
      insert into spending_accounts (store_id, member_id, due_at, changed_at)
      select store_id, id, ${now}, ${now} from members where store_id = ${storeId}
      on conflict (store_id, member_id) do update set due_at = excluded.due_at`)
    await tx.run(sql`
      insert into credit_reservations (store_id, member_id, amount_minor, status, aborted_by, reason, operation_id, lots, minors,
                                       expires_at, created_at, ended_at)
      select store_id, max(id), 100, 'aborted', 'released', 'a test', 'a test', '{}', '{}', ${now}, ${now}, ${now}
        from members where store_id = ${storeId} group by store_id`)
    await tx.run(sql`
      insert into credit_codes (store_id, member_id, reservation_id, code, amount_minor, status, ends_at, created_at, due_at)
      select store_id, member_id, id, 'SC-TEST', 100, 'ending', ${now}, ${now}, ${now}
        from credit_reservations where store_id = ${storeId}`)
    await tx.run(sql`
      insert into read_ins (store_id, part, phase, next_at, started_at)
      values (${storeId}, 'customers', 'start', statement_timestamp(), ${now})
      on conflict (store_id, part) do update set phase = 'start', next_at = excluded.next_at`)
    await tx.run(sql`update discount_stores set next_at = statement_timestamp() where store_id = ${storeId}`)
    await tx.run(sql`
      insert into contract_discount_walks (store_id, next_at) values (${storeId}, statement_timestamp())
      on conflict (store_id) do update set next_at = excluded.next_at`)
    await tx.run(sql`
      insert into spending_walks (store_id, next_at) values (${storeId}, ${now})
      on conflict (store_id) do update set next_at = excluded.next_at`)
    await tx.run(sql`
      with template as (
        insert into loyalty_templates (store_id, name, type, rules, required_points, code_prefix, is_enabled, created_at, updated_at)
        values (${storeId}, 'A test', 'percentage', '{"amount": 10, "applies_to": "all", "product_ids": [], "collection_ids": []}', 1, '', false, ${now}, ${now}) returning id),
      member as (select max(id) as id from members where store_id = ${storeId})
      insert into loyalty_coupons (store_id, member_id, template_id, name, type, percent_hundredths, product_ids, collection_ids, code,
                                   operation_id, created_at, updated_at, due_at)
      select ${storeId}, member.id, template.id, 'A test', 'amount_off_orders', 1000, '{}', '{}', 'TEST', 'a test', ${now}, ${now}, ${now}
        from template, member`)
    await tx.run(sql`
      insert into loyalty_referral_programs (store_id, next_at) values (${storeId}, statement_timestamp())
      on conflict (store_id) do update set next_at = excluded.next_at`)
    await tx.run(sql`
      insert into loyalty_coupon_walks (store_id, next_at) values (${storeId}, ${now})
      on conflict (store_id) do update set next_at = excluded.next_at`)
    await tx.run(sql`
      insert into granted_contracts (store_id, subscription_id, due_at)
      select store_id, max(id), ${now}::timestamptz from subscriptions where store_id = ${storeId} group by store_id`)
    await tx.run(sql`
      with offer as (
        insert into churn_offers (store_id, name, type, currency, credit_minor, is_on, created_at, updated_at)
        values (${storeId}, 'Stay', 'add_store_credits', 'USD', 100, true, ${now}, ${now}) returning id)
      insert into contract_offers (store_id, subscription_id, offer_id, name, type, currency, credit_minor, is_of_each_item, status,
                                   accepted_at, answer_by, updated_at)
      select ${storeId}, (select max(id) from subscriptions where store_id = ${storeId}), offer.id, 'Stay', 'add_store_credits', 'USD', 100,
             false, 'applying', ${now}, statement_timestamp() - interval '1 minute', ${now} from offer`)
  })
  await makeFacts(store)
  const resting = engines().filter(({ restsAfterRestore }) => restsAfterRestore)
  assert.equal(resting.length, 23)
  await passTime(store, FEBRUARY)
  await hold(store)
  for (const engine of resting) assert.equal(await engine.runOnce(storeId), 0, `${engine.name} works in a held store`)
  assert.deepEqual([receiver.received.length, await asked(store)], [0, 0])
  await db.inStore(storeId, unmarkRestored)
  evictPlatformAccess(db, storeId)
  for (const engine of resting) assert.ok((await engine.runOnce(storeId)) > 0, `${engine.name} had nothing to do`)
  for (const engine of resting) await runToEnd(engine, store)
})

/** Messages of the platform that wait. */
const messagesOf = async ({ storeId }: Store) => {
  const { count } = await db.inStore(storeId, ({ tx }) =>
    tx.one(
      row({ count: int }),
      sql`select count(*) as count from inbound_webhooks where store_id = ${storeId} and status = 'waiting'`
    )
  )
  return count
}

test('deliveries that wait in the memory of a node for their turn are not sent after a hold has begun', async () => {
  const store = await service.aStore()
  const { storeId } = store
  for (const name of ['ada', 'bob', 'eve', 'dan', 'flo']) await store.member(`${name}@example.com`)
  await store.advance({ by: 'PT1M' })
  let requests = 0
  const second = Promise.withResolvers<void>()
  const server = createServer(async (_, res) => {
    if (++requests === 2) await second.promise
    res.writeHead(204).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  beforeDrop(async () => void server.close())
  await service.admin('POST', `${store.at}/webhooks`, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  })
  const { body } = await service.get('/subscriptions', store.key)
  for (const { id } of body.data)
    assert.equal((await service.post(`/subscriptions/${id}/pause`, store.key, {})).status, 200)
  const delivery = aDeliveryEngine({ perEndpoint: 1 })
  await makeFacts(store)
  await until('one is being sent and others wait', async () => {
    await delivery.runOnce(storeId)
    return requests === 2
  })
  await hold(store)
  await delivery.runOnce(storeId)
  second.resolve()
  await runToEnd(delivery, store)
  assert.equal(requests, 2)
  await db.inStore(storeId, unmarkRestored)
  await runToEnd(delivery, store)
  assert.equal(requests, 5)
})

test('what would change the platform is refused while a store is held, with the reason; reading and local work go on', async () => {
  const store = await service.aStore()
  const { customer } = await store.member('ada@example.com')
  await hold(store)
  const plans = await service.admin('GET', `${store.at}/plans`)
  const plan = plans.data[0]
  const refused: [string, string, unknown][] = [
    ['POST', `${store.at}/plans`, { name: 'Other', type: 'vip', price: '5.00', interval: 'month' }],
    ['PATCH', `${store.at}/plans/${plan.id}`, { status: 'disabled' }],
    ['POST', `${store.at}/plans/${plan.id}/versions`, { price: '31.00', apply_to: 'new' }],
    ['POST', `${store.at}/subscriptions`, { customer: customer.id, plan_id: plan.id, next_billing_date: '2026-05-01' }]
  ]
  for (const [method, path, body] of refused) {
    await assert.rejects(service.admin(method, path, body), /: 503 .*on hold since it was restored from a backup/, path)
  }
  assert.equal((await service.admin('GET', `${store.at}/plans`)).data.length, plans.data.length)
})
