// What a store had on its platform before it was connected is read in, by bulk operations of the sandbox over its socket: the same rows as
// if its messages had come, also after a stop in the middle, and nothing follows from the past.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { int, row, sql, text } from '#kit/postgres'
import { platformAccess } from '#stores'
import { createReadInEngine } from '../src/sync/read-in/read-in-engine.ts'
import { startReadIn } from '../src/sync/read-in/read-ins.ts'
import { connectorTo } from './connectors.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { db } = service
const { controls } = service.sandbox

type Store = Awaited<ReturnType<typeof service.aStore>>

/** A shop with customers, orders and a membership. */
async function fill({ storeId }: Store) {
  const ada = await controls.createCustomer({
    storeId,
    email: 'ada@example.com',
    firstName: 'Ada',
    country: 'AT',
    province: 'W'
  })
  const ben = await controls.createCustomer({ storeId, email: 'ben@example.com', lastName: 'Ben' })
  await controls.createCustomer({ storeId, email: 'eve@example.com', firstName: 'Eve' })
  const paid = await controls.order({ storeId, customerId: ada.id, total: '40.00', shipping: '5.00', taxPercent: 20 })
  await controls.order({
    storeId,
    customerId: ben.id,
    total: '12.50',
    attributes: [{ name: 'deliverySchedule', value: 'monday' }]
  })
  await controls.refund({ storeId, orderId: paid.id, amount: '10.00' })
  await controls.join({ storeId, customerId: ben.id, plan: 'VIP' })
  return { ada, ben }
}

const settle = ({ storeId }: Store) => service.deps.settle(storeId)

/** Until nothing is to be read: the platform is asked again after a second or more. */
async function finished(store: Store) {
  for (let n = 0; n < 60; n++) {
    const now = await service.admin('GET', `${store.at}/platform/read-in`)
    if (now.status !== 'running') return now
    await sleep(250)
    await settle(store)
  }
  return assert.fail('It is not read in after fifteen seconds')
}

async function readIn(store: Store, body: object = {}) {
  await service.admin('POST', `${store.at}/platform/read-in`, body)
  return finished(store)
}

const rows = (store: Store, query: ReturnType<typeof sql>) =>
  db.inStore(store.storeId, ({ tx }) => tx.many(row({ said: text }), query))

/**
 * What is stored about the shop, without what two shops cannot have alike: numbers, and when something became known here. Messages about
 * customers have no consents that were never given.
 */
async function contentOf(store: Store) {
  const { storeId } = store
  const members = await rows(
    store,
    sql`
    select (to_jsonb(m) - array['store_id', 'id', 'platform_customer_id', 'created_at', 'updated_at', 'platform_updated_at', 'plan_id',
              'account_state_at', 'email_consent', 'sms_consent'])::text
           as said from members m where store_id = ${storeId} order by email`
  )
  const orders = await rows(
    store,
    sql`
    select (to_jsonb(o) - array['store_id', 'id', 'platform_order_id', 'member_id', 'created_at', 'updated_at', 'message_digest', 'read_digest',
              'platform_updated_at', 'details_at', 'lines', 'changed_at', 'processed_at', 'tags', 'change_id', 'changed_in'])::text || m.email
           || (select string_agg(l ->> 'title' || (l ->> 'quantity') || (l ->> 'priceMinor'), ',') from jsonb_array_elements(o.lines) l)
           as said
      from orders o join members m on m.store_id = o.store_id and m.id = o.member_id
     where o.store_id = ${storeId} order by o.name`
  )
  const others = await rows(
    store,
    sql`
    select kind || status || coalesce(gateway, '') || amount_minor as said from order_transactions where store_id = ${storeId}
     union all select 'refund ' || amount_minor from platform_refunds where store_id = ${storeId}
     union all select 'subscription ' || status || price_minor from subscriptions where store_id = ${storeId}
     union all select 'first ' || checkout_type from first_orders where store_id = ${storeId}
     order by 1`
  )
  return { members, orders, others }
}

/** Every row of these tables, with its times: whatever is written changes one. */
const everything = (store: Store) =>
  rows(
    store,
    sql`
    select m::text as said from members m where store_id = ${store.storeId}
     union all select o::text from orders o where store_id = ${store.storeId}
     union all select s::text from subscriptions s where store_id = ${store.storeId} order by 1`
  )

/** A store that the messages about what the shop has never reach. */
async function anUntoldStore() {
  const store = await service.aStore()
  await settle(store)
  await controls.setWebhookFaults({ storeId: store.storeId, faults: { drop: 1 } })
  return store
}

/** As if the store had been connected only now: what was placed before is the past. */
const isConnectedNow = ({ storeId }: Store) =>
  db.inStore(storeId, ({ tx }) =>
    tx.run(sql`update order_beginnings set begins_at = begins_at + interval '1 second' where store_id = ${storeId}`)
  )

/** The tags of the shop's orders on the platform. */
const tagsThere = async ({ storeId }: Store) =>
  (
    await service.sandboxDb.direct.many(
      row({ said: text }),
      sql`select array_to_string(array(select unnest(tags) order by 1), ', ') as said from sandbox.orders where store_id = ${storeId} order by id`
    )
  ).map(({ said }) => said)

const hear = ({ storeId }: Store) => controls.setWebhookFaults({ storeId, faults: null })

test('a store that is read in has the rows of one that was told; a second time, and messages, change nothing', async () => {
  const told = await service.aStore()
  await settle(told)
  await fill(told)
  await settle(told)

  const untold = await anUntoldStore()
  await fill(untold)
  await settle(untold)
  await hear(untold)
  assert.deepEqual((await contentOf(untold)).orders, [])
  await isConnectedNow(untold)
  const done = await readIn(untold)
  assert.deepEqual(
    done.parts.map((one: any) => [one.part, one.status, one.seen, one.skipped]),
    [
      ['customers', 'done', 3, 0],
      ['contracts', 'done', 1, 0],
      ['orders', 'done', 3, 0]
    ]
  )
  assert.equal(done.status, 'done')
  await settle(untold)
  assert.deepEqual(await contentOf(untold), await contentOf(told))

  // Nothing follows from the past: no tags, no credit and no webhooks of orders that others have handled.
  assert.deepEqual(await tagsThere(told), ['', 'VIP, deliverySchedule: monday', 'charge-1, new-VIP'])
  assert.deepEqual(await tagsThere(untold), ['', '', ''])

  const before = await everything(untold)
  await readIn(untold)
  assert.deepEqual(await everything(untold), before)
  await untold.soundBooks()
})

test('a read that is stopped in the middle goes on at the next line, on another node too', async () => {
  const store = await anUntoldStore()
  const { storeId } = store
  const customers = Array.from({ length: 1_200 }, (_, i) => ({
    id: String(8_000_000_000 + i),
    email: `c${i}@example.com`,
    firstName: 'Ada'
  }))
  for (let i = 0; i < customers.length; i += 400)
    await controls.importFixtures({ storeId, customers: customers.slice(i, i + 400) })
  const owner = 999_997
  const engine = createReadInEngine({ db, leaseOwner: owner, connectorOf: service.deps.connectorOf, budgetMs: 0 })
  const place = async () =>
    (
      await db.inStore(storeId, ({ tx }) =>
        tx.many(
          row({ phase: text, linesRead: int, seen: int }),
          sql`select phase, lines_read, seen from read_ins where store_id = ${storeId} and part = 'customers'`
        )
      )
    )[0]!
  const change = (set: ReturnType<typeof sql>) => db.inStore(storeId, ({ tx }) => tx.run(set))
  await db.inStore(storeId, (ctx) => startReadIn(ctx, ctx.now))
  for (let n = 0; n < 20 && (await place()).linesRead === 0; n++) {
    await engine.runOnce(storeId)
    // The service's own engine is not to read: only the platform is to write its file.
    await change(sql`update read_ins set next_at = next_at + interval '1 day' where store_id = ${storeId}`)
    await settle(store)
    await change(
      sql`update read_ins set next_at = statement_timestamp() where store_id = ${storeId} and part = 'customers'`
    )
  }
  assert.deepEqual(await place(), { phase: 'read', linesRead: 500, seen: 500 })
  // The lease of a node that dies stays, until the node that leads releases it.
  await change(sql`update read_ins set lease_owner = ${owner}, leased_until = statement_timestamp() + interval '1 hour',
                          next_at = statement_timestamp() where store_id = ${storeId}`)
  await settle(store)
  assert.equal((await place()).linesRead, 500)
  await change(sql`update read_ins set lease_owner = null, leased_until = null where store_id = ${storeId}`)
  // One of the file leaves meanwhile.
  await hear(store)
  await controls.deleteCustomer({ storeId, customerId: customers[1_100]!.id })
  const done = await finished(store)
  assert.equal(done.parts[0].seen, 1_200)
  assert.equal(done.parts[0].lines_read, 1_200)
  const left = await rows(
    store,
    sql`select platform_customer_id as said from members where store_id = ${storeId} and platform_deleted_at is not null`
  )
  assert.deepEqual(left, [{ said: customers[1_100]!.id }])
})

test('operations that fail or have no room are begun again, and what may not be read is said', async () => {
  const store = await anUntoldStore()
  const { storeId } = store
  await fill(store)
  await hear(store)
  const soon = () =>
    db.inStore(storeId, ({ tx }) =>
      tx.run(sql`update read_ins set next_at = least(next_at, statement_timestamp()) where store_id = ${storeId}`)
    )
  await controls.setBulkFaults({
    storeId,
    faults: { next: [{ afterRoots: 1, status: 'FAILED', errorCode: 'INTERNAL_SERVER_ERROR' }] } as never
  })
  await service.admin('POST', `${store.at}/platform/read-in`, {})
  for (let n = 0; n < 60; n++) {
    await settle(store)
    const { parts } = await service.admin('GET', `${store.at}/platform/read-in`)
    if (parts[0].last_error) break
    await sleep(100)
  }
  const waiting = await service.admin('GET', `${store.at}/platform/read-in`)
  assert.match(waiting.parts[0].last_error, /The bulk operation is failed: internal_server_error/)
  assert.deepEqual([waiting.status, waiting.parts[0].failures], ['running', 1])
  await soon()
  const done = await finished(store)
  assert.deepEqual(
    done.parts.map((one: any) => [one.status, one.seen, one.failures, one.last_error]),
    [
      ['done', 3, 0, null],
      ['done', 1, 0, null],
      ['done', 3, 0, null]
    ]
  )

  await controls.setBulkFaults({
    storeId,
    faults: {
      next: ['customers', 'contracts', 'orders'].map(() => ({
        afterRoots: 0,
        status: 'FAILED',
        errorCode: 'ACCESS_DENIED'
      }))
    } as never
  })
  const denied = await readIn(store)
  assert.deepEqual(
    [denied.status, denied.parts.map((one: any) => one.status)],
    ['failed', ['failed', 'failed', 'failed']]
  )
  assert.match(denied.parts[0].last_error, /The app may not read customers: an access scope is not granted/)
  // Orders are read page by page then, each without what is withheld.
  assert.equal((await service.admin('GET', `${store.at}/order-import`)).status, 'done')
  const { warnings } = await service.admin('POST', '/doctor', { store: store.domain })
  assert.deepEqual(
    warnings.map((one: any) => one.check),
    ['store_read_in', 'store_read_in', 'store_read_in']
  )
  // The app has a scope more: what was denied is tried again.
  await service.admin('POST', `${store.at}/sandbox/access`, { without: ['write_customers'] })
  assert.equal((await finished(store)).parts[0].status, 'failed')
  await service.admin('POST', `${store.at}/sandbox/access`, { without: [] })
  const again = await finished(store)
  assert.deepEqual(
    again.parts.map((one: any) => one.status),
    ['done', 'done', 'failed']
  )
})

test('orders are those of as many days as asked; without read_all_orders it is said that older ones are not seen', async () => {
  const store = await anUntoldStore()
  const { storeId } = store
  const { ada } = await fill(store)
  await settle(store)
  await store.advance({ by: 'P20D' })
  await controls.order({ storeId, customerId: ada.id, total: '7.00' })
  await settle(store)
  await hear(store)
  const seen = async (days: number) => (await readIn(store, { orders_days: days })).parts[2].seen
  assert.equal(await seen(10), 1)
  assert.equal(await seen(30), 4)
  await db.inInstallation((q) =>
    q.run(
      sql`update stores set sandbox = false, clock_at = null, granted_scopes = array['read_orders'] where store_id = ${storeId}`
    )
  )
  assert.equal((await service.admin('GET', `${store.at}/platform/read-in`)).sees_all_orders, false)
})

test('where the platform throttles and has no room for a second operation, all is read a little later', async () => {
  const store = await anUntoldStore()
  const { storeId } = store
  await fill(store)
  await settle(store)
  await service.sandboxDb.inInstallation((q) =>
    q.run(sql`update sandbox.shops set cost_capacity = 300, cost_restore_rate = 20 where store_id = ${storeId}`)
  )
  await controls.setBulkFaults({ storeId, faults: { maxAtOnce: 1, next: [] } as never })
  // Another node takes what the platform gives.
  const access = await platformAccess(db, service.deps.vault, storeId)
  const other = connectorTo(access, { throttleWaitMs: 100 })
  const draining = setInterval(
    () => void other.orders.listUpdatedSince(Temporal.Instant.from('2020-01-01T00:00:00Z'), null),
    300
  )
  try {
    await service.admin('POST', `${store.at}/platform/read-in`, {})
    const errors = new Set<string>()
    for (let n = 0; n < 100; n++) {
      const now = await service.admin('GET', `${store.at}/platform/read-in`)
      for (const { last_error } of now.parts) if (last_error) errors.add(last_error)
      if (now.status !== 'running') break
      if (n === 20) clearInterval(draining)
      await sleep(200)
      await db.inStore(storeId, ({ tx }) =>
        tx.run(sql`update read_ins set next_at = statement_timestamp() where store_id = ${storeId} and next_at is not null
                      and finished_at is null`)
      )
      await settle(store)
    }
    const { status, parts } = await service.admin('GET', `${store.at}/platform/read-in`)
    assert.deepEqual([status, parts.map((one: any) => one.seen)], ['done', [3, 1, 3]])
    assert.ok(errors.has('Waiting for other bulk operations of the shop to end'), [...errors].join())
  } finally {
    clearInterval(draining)
  }
})

test('a message that comes in the middle is newer than the file', async () => {
  const store = await anUntoldStore()
  const { storeId } = store
  const { ada } = await fill(store)
  await settle(store)
  await db.inStore(storeId, (ctx) => startReadIn(ctx, ctx.now.subtract({ hours: 24 })))
  const engine = createReadInEngine({ db, leaseOwner: 999_996, connectorOf: service.deps.connectorOf })
  const phase = async () =>
    (await rows(store, sql`select phase as said from read_ins where store_id = ${storeId} and part = 'customers'`))[0]!
      .said
  for (let n = 0; n < 20 && (await phase()) !== 'read'; n++) {
    await engine.runOnce(storeId)
    await db.inStore(storeId, ({ tx }) =>
      tx.run(sql`update read_ins set next_at = next_at + interval '1 day' where store_id = ${storeId}`)
    )
    await settle(store)
    await db.inStore(storeId, ({ tx }) =>
      tx.run(
        sql`update read_ins set next_at = statement_timestamp() where store_id = ${storeId} and part = 'customers'`
      )
    )
  }
  assert.equal(await phase(), 'read')
  await hear(store)
  await db.inStore(storeId, ({ tx }) =>
    tx.run(sql`update read_ins set next_at = next_at + interval '1 day' where store_id = ${storeId}`)
  )
  await store.advance({ by: 'PT1H' })
  const connector = await service.deps.connectorOf(storeId)
  const changed = await connector.customers.update([{ id: ada.id, firstName: 'Augusta' }])
  assert.ok(changed[0]!.ok)
  await settle(store)
  const nameOfAda = () =>
    rows(store, sql`select first_name as said from members where store_id = ${storeId} and email = 'ada@example.com'`)
  assert.deepEqual(await nameOfAda(), [{ said: 'Augusta' }])
  await db.inStore(storeId, ({ tx }) =>
    tx.run(sql`update read_ins set next_at = statement_timestamp() where store_id = ${storeId}`)
  )
  assert.equal((await finished(store)).status, 'done')
  assert.deepEqual(await nameOfAda(), [{ said: 'Augusta' }])
})
