// What alters a row of the Data API without an event of its own is noticed all the same: a page that was kept is made anew, and says what the database does.
import assert from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { changeCredits, reserveCredit } from '#credits'
import {
  createExportWorkers,
  createPageCache,
  type EndpointName,
  endpointOf,
  planPage,
  readPageRequest
} from '#exports'
import { int, row, sql } from '#kit/postgres'
import { upsertCustomers } from '#members'
import { recordReports } from '#orders'
import { insertRows, NEEDED } from '../src/exports/stored-rows.test-helper.ts'
import { refreshOrders } from '../src/order-effects/refresh-orders.ts'
import { restoreOrders } from '../src/spending/redemptions/restore-orders.ts'
import { mergeCustomers } from '../src/sync/customers/merge-customers.ts'
import { anOrder } from './contract-builder.ts'
import { beforeDrop, testDatabase } from './database.ts'
import { aStore } from './store-builder.ts'

const { db, url } = await testDatabase()
const workers = createExportWorkers({ url, threads: 1, limits: { firstBytesMs: 60_000 } })
beforeDrop(() => workers.close())
const { signal } = new AbortController()

/** A store with these customers, and its pages through a cache. */
async function aShop(...customerIds: string[]) {
  const store = await aStore(db)
  const { storeId } = store
  const customers = await store.inStore((ctx) =>
    upsertCustomers(
      ctx,
      customerIds.map((id) => ({ id, email: `${id}@example.com`, firstName: 'Ann', lastName: id }))
    )
  )
  let from: string | null = null
  const cache = createPageCache({
    db,
    exports: workers,
    onPage: (source) => {
      from = source
    }
  })
  beforeDrop(async () => cache.close())
  /** The first page, compared with the database, and where it came from. */
  const read = async (name: EndpointName, pageSize: number) => {
    const endpoint = { ...endpointOf(name), pageSize }
    const request = readPageRequest(endpoint, {})
    from = null
    const bytes = await buffer(
      (await cache.open({ storeId, endpoint, request }, { encoding: 'identity', signal })).bytes
    )
    const readFrom = from
    const {
      endpoint: _,
      page: __,
      now: ___,
      staysWhile: ____,
      ...plan
    } = await planPage(db, storeId, endpoint, request)
    assert.equal(bytes.toString(), (await buffer(await workers.stream(plan))).toString(), `${name} is out of date`)
    return readFrom
  }
  /** Reads a page until it is kept, and again after `change`, which alters it. */
  const isNoticed = async (pages: [EndpointName, number][], change: () => Promise<unknown>) => {
    for (const [name, size] of pages) {
      await read(name, size)
      assert.equal(await read(name, size), 'cache')
    }
    await change()
    for (const [name, size] of pages) assert.equal(await read(name, size), 'database', name)
  }
  const order = (id: number, values: object) => {
    const at = '2026-01-05T12:00:00Z'
    return store.inStore((ctx) =>
      insertRows(ctx, 'orders', [
        {
          store_id: storeId,
          id,
          platform_order_id: String(id),
          name: `#${id}`,
          number: String(id),
          currency: store.currency,
          total_minor: 4000,
          tax_minor: 0,
          discount_minor: 0,
          refunded_minor: 0,
          financial_status: 'paid',
          tags: [],
          discount_codes: [],
          processed_at: at,
          platform_updated_at: at,
          created_at: at,
          updated_at: at,
          ...values
        }
      ])
    )
  }
  const memberOf = (id: string) => customers.get(id)!.id
  const credit = (memberId: number, type: 'manual_add' | 'redemption' | 'forfeit', amountMinor: number, more = {}) =>
    store.inStore((ctx) => {
      const operationId = crypto.randomUUID()
      return changeCredits(ctx, [{ memberId, type, amountMinor, reason: 'a reason', operationId, ...more }])
    })
  return { ...store, read, isNoticed, order, memberOf, credit, cache }
}

test('a customer with nothing of their own who is merged leaves the page', async () => {
  const { storeId, isNoticed } = await aShop('1', '2', '3', '4')
  await isNoticed([['customers', 2]], () => mergeCustomers(db, storeId, { keptId: '4', deletedId: '1' }, null))
})

test('what was restored by refunds is hidden once the cancellation of its order is known', async () => {
  const { inStore, isNoticed, memberOf, order, credit, storeId } = await aShop('1')
  const memberId = memberOf('1')
  await order(900, { member_id: memberId, financial_status: 'refunded', refunded_minor: 4000 })
  await credit(memberId, 'manual_add', 3000)
  await credit(memberId, 'redemption', -1000, { orderId: 900 })
  await inStore((ctx) => restoreOrders(ctx, [900]))
  for (let n = 0; n < 3; n++) await credit(memberId, 'manual_add', 1)
  await inStore(({ tx, now }) =>
    tx.run(sql`update orders set cancelled_at = ${now}, updated_at = ${now} where store_id = ${storeId} and id = 900`)
  )
  const pages: [EndpointName, number][] = [
    ['store-credits', 4],
    ['credits-history', 100]
  ]
  await isNoticed(pages, () => inStore((ctx) => restoreOrders(ctx, [900])))
})

test('an order that is classified already shows the failures of its cycle once its attempt is known, also by since_updated', async () => {
  const { inStore, isNoticed, memberOf, order, storeId, currency } = await aShop('1')
  const memberId = memberOf('1')
  const [at, later] = ['2026-01-05T12:00:00Z', '2026-02-05T12:00:00Z']
  const stored = { store_id: storeId, currency, created_at: at }
  await inStore((ctx) =>
    insertRows(ctx, 'subscriptions', [
      {
        ...stored,
        ...NEEDED.subscription,
        id: 700,
        member_id: memberId,
        platform_contract_id: '700',
        name: 'Club',
        status: 'active',
        price_minor: 2900,
        interval: 'month',
        interval_count: 1,
        anchor_at: at,
        updated_at: at
      }
    ])
  )
  const lines = [{ contractId: '700', title: 'x', quantity: 1, priceMinor: 1 }]
  await order(901, { member_id: memberId, processed_at: later, lines })
  for (const id of [902, 903]) await order(id, { member_id: memberId, processed_at: later })
  const attempt = { ...stored, ...NEEDED.attempt, subscription_id: 700, cycle_index: 2, scheduled_at: at }
  const declined = { error_code: 'insufficient_funds', error_message: 'Declined' }
  await inStore((ctx) =>
    insertRows(ctx, 'billing_attempts', [
      { ...attempt, ...declined, id: 1, idempotency_key: 'k1', attempt_number: 1, status: 'failed', completed_at: at }
    ])
  )
  await inStore((ctx) =>
    insertRows(ctx, 'billing_attempts', [
      { ...attempt, id: 2, idempotency_key: 'k2', attempt_number: 2, status: 'pending', check_at: later }
    ])
  )
  await inStore((ctx) => refreshOrders(ctx, [901, 902, 903]))
  await inStore(({ tx }) =>
    tx.run(sql`
      update billing_attempts set status = 'success', check_at = null, completed_at = ${later}::timestamptz, order_id = 901
       where store_id = ${storeId} and id = 2`)
  )
  await isNoticed([['orders', 2]], () => inStore((ctx) => refreshOrders(ctx, [901])))
  const { facts } = await inStore(({ tx }) =>
    tx.one(
      row({ facts: int }),
      sql`
      select count(*) as facts from facts
       where store_id = ${storeId} and name = 'order.effects_changed' and (refs ->> 'orderId')::bigint = 901`
    )
  )
  await inStore((ctx) => refreshOrders(ctx, [901]))
  const again = await inStore(({ tx }) =>
    tx.one(
      row({ facts: int }),
      sql`
      select count(*) as facts from facts
       where store_id = ${storeId} and name = 'order.effects_changed' and (refs ->> 'orderId')::bigint = 901`
    )
  )
  assert.equal(again.facts, facts)
})

test('a forfeit that finds nothing available is an entry of no amount, which customers and the history show', async () => {
  const { inStore, isNoticed, memberOf, credit } = await aShop('1', '2', '3')
  const memberId = memberOf('1')
  await credit(memberId, 'manual_add', 1000)
  await inStore((ctx) =>
    reserveCredit(ctx, [
      { memberId, amountMinor: 1000, reason: 'checkout', operationId: 'r', expiresAt: ctx.now.add({ hours: 1 }) }
    ])
  )
  const pages: [EndpointName, number][] = [
    ['customers', 2],
    ['credits-history', 100]
  ]
  await isNoticed(pages, () => credit(memberId, 'forfeit', -1000, { isCapped: true }))
})

test('an order that belongs to the customer who was kept changes entries of the one who was merged', async () => {
  const { inStore, isNoticed, memberOf, credit, storeId } = await aShop('21', '22', '23')
  const memberId = memberOf('21')
  const at = Temporal.Instant.from('2026-03-02T10:00:00Z')
  const order = anOrder(at, { customerId: '21' })
  const report = (one: typeof order) =>
    inStore((ctx) => recordReports(ctx, { orders: [one], refunds: [], transactions: [], disputes: [] }, 'platform'))
  await report(order)
  const { id: orderId } = await inStore(({ tx }) =>
    tx.one(row({ id: int }), sql`select id from orders where store_id = ${storeId}`)
  )
  await credit(memberId, 'manual_add', 3000)
  await credit(memberId, 'redemption', -1000, { orderId })
  await credit(memberId, 'manual_add', 1)
  await mergeCustomers(db, storeId, { keptId: '22', deletedId: '21' }, null)
  const pages: [EndpointName, number][] = [
    ['store-credits', 2],
    ['credits-history', 100]
  ]
  await isNoticed(pages, () =>
    report({ ...order, name: '#RENAMED', sourceName: 'pos', updatedAt: at.add({ minutes: 1 }) })
  )
})

test('kept pages count as exports that a store has at once, until their last byte or until the reader leaves', async () => {
  const { storeId, cache, read } = await aShop('1', '2', '3')
  assert.equal(await read('customers', 2), 'database')
  const endpoint = { ...endpointOf('customers'), pageSize: 2 }
  const wanted = { storeId, endpoint, request: readPageRequest(endpoint, {}) }
  const open = (leaving = signal) => cache.open(wanted, { encoding: 'identity', signal: leaving })
  const leaving = new AbortController()
  const pages = await Promise.all([open(leaving.signal), ...Array.from({ length: 7 }, () => open())])
  await assert.rejects(open(), { message: 'Too many exports at once: the limit is 8 of a store' })
  const closed = new Promise((resolve) => pages[0]!.bytes.once('close', resolve))
  leaving.abort()
  await closed
  pages.push(await open())
  await assert.rejects(open(), { message: 'Too many exports at once: the limit is 8 of a store' })
  for (const { bytes } of pages.slice(1)) await buffer(bytes)
  for (let n = 0; n < 9; n++) await buffer((await open()).bytes)
})
