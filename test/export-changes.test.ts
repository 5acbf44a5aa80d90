// `since_updated`: whatever changes a row of the Data API moves its change time, with the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { upsertFromContracts } from '#contracts'
import { endpointOf, planPage, readPageRequest } from '#exports'
import { upsertCustomers } from '#members'
import { recordReports } from '#orders'
import { type ExportedRow, readPlan } from '../src/exports/read-plan.test-helper.ts'
import { aContract, anOrder } from './contract-builder.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { db } = service
const { controls } = service.sandbox

const KEYS = { orders: 'order_id', subscriptions: 'shopify_contract_id' } as const
type Kind = keyof typeof KEYS

async function aShop() {
  const store = await service.aStore({ timezone: 'Europe/Berlin' })
  const { storeId } = store
  const settle = () => service.deps.settle(storeId)
  const read = async (kind: Kind, query: Record<string, string> = {}): Promise<Map<string, ExportedRow>> => {
    const endpoint = endpointOf(kind)
    const rows = new Map<string, ExportedRow>()
    for (let since = 0, isEnd = false; !isEnd; ) {
      const request = readPageRequest(endpoint, { ...query, since_id: String(since) })
      const { data, meta } = await readPlan(url, await planPage(db, storeId, endpoint, request))
      for (const row of data) rows.set(String(row[KEYS[kind]]), row)
      since = Number(meta.last_id)
      isEnd = !meta.has_more
    }
    return rows
  }
  let day = Temporal.PlainDate.from('2026-02-01')
  /** The rows that another day's change alters, and that `since_updated` of that day has because of it. */
  const changedBy = async (act: () => Promise<unknown>): Promise<Record<Kind, string[]>> => {
    day = day.add({ days: 1 })
    await store.advance({ to: `${day}T12:00:00Z` })
    await settle()
    const before = { orders: await read('orders'), subscriptions: await read('subscriptions') }
    const today = { since_updated: day.toString() }
    const earlier = { orders: await read('orders', today), subscriptions: await read('subscriptions', today) }
    await act()
    await settle()
    const found: Record<Kind, string[]> = { orders: [], subscriptions: [] }
    for (const kind of Object.keys(KEYS) as Kind[]) {
      const [after, since] = [await read(kind), await read(kind, today)]
      for (const [id, row] of after) {
        if (JSON.stringify(row) === JSON.stringify(before[kind].get(id))) continue
        assert.deepEqual(since.get(id), row, `${kind} since ${day} lack ${id}`)
        if (!earlier[kind].has(id)) found[kind].push(id)
      }
      const tomorrow = await read(kind, { since_updated: day.add({ days: 1 }).toString() })
      assert.deepEqual([...tomorrow.keys()], [], `${kind} since tomorrow`)
    }
    return found
  }
  const join = async (email: string) => {
    const joined = await store.member(email)
    await settle()
    return { id: joined.customer.id, contract: joined.contract_id, order: `gid://platform/Order/${joined.order_id}` }
  }
  const place = async (customerId: string, more: object = {}) => {
    const { id } = await controls.order({ storeId, customerId, total: '40.00', ...more })
    await settle()
    return { id, row: `gid://platform/Order/${id}` }
  }
  return { store, storeId, settle, read, changedBy, join, place }
}

test('refund, dispute and redemption move the change time of their order, and of no other', async () => {
  const { storeId, store, changedBy, join, place } = await aShop()
  const member = await join('ann@example.com')
  const order = await place(member.id)
  await place(member.id)
  const only = { orders: [order.row], subscriptions: [] }
  assert.deepEqual(await changedBy(() => controls.refund({ storeId, orderId: order.id, amount: '1.00' })), only)
  assert.deepEqual(
    await changedBy(() => controls.dispute({ storeId, orderId: order.id, type: 'inquiry' } as never)),
    only
  )
  assert.deepEqual(
    await changedBy(() => controls.dispute({ storeId, orderId: order.id, status: 'lost' } as never)),
    only
  )

  await service.post(`/store-credits/${member.id}/add`, store.key, { amount: 30, reason: 'x' })
  let paid = { id: '', row: '' }
  await changedBy(async () => {
    paid = await place(member.id, { credit: '10.00' })
  })
  const restored = await changedBy(() => controls.refund({ storeId, orderId: paid.id, amount: '40.00' }))
  assert.deepEqual(restored.orders, [paid.row])
})

test('an e-mail and a name move the change times of the subscriptions and orders that show them', async () => {
  const { store, storeId, settle, changedBy, join, place, read } = await aShop()
  const member = await join('bea@example.com')
  await join('other@example.com')
  await place(member.id)
  const person = (await service.get('/members?limit=100', store.key)).body.data.find(
    (one: { customer: { email: string } }) => one.customer.email === 'bea@example.com'
  )
  const renamed = await changedBy(() => service.patch(`/members/${person.id}`, store.key, { last_name: 'Ito' }))
  assert.deepEqual(renamed.subscriptions, [member.contract])
  assert.equal((await read('subscriptions')).get(member.contract)!.customer_name?.toString().includes('Ito'), true)

  // A customer without a membership, whose order has no name of its own.
  const { id } = await store.customer('guest@example.com')
  const order = await place(id)
  await settle()
  const named = await changedBy(() =>
    db.inStore(storeId, (ctx) =>
      upsertCustomers(ctx, [{ id, email: 'guest@example.com', firstName: 'Gil', lastName: 'Guest' }])
    )
  )
  assert.deepEqual(named.orders, [order.row])
})

test('a pause, a resumption, a cancellation and a failed charge move the change time of the subscription', async () => {
  const { store, changedBy, join, settle, read } = await aShop()
  const member = await join('cy@example.com')
  const { id } = (await service.get('/subscriptions?limit=1', store.key)).body.data[0]
  const only = { orders: [], subscriptions: [member.contract] }
  assert.deepEqual(await changedBy(() => service.post(`/subscriptions/${id}/pause`, store.key, {})), only)
  assert.deepEqual(await changedBy(() => service.post(`/subscriptions/${id}/resume`, store.key, {})), only)
  assert.deepEqual(await changedBy(() => service.post(`/subscriptions/${id}/cancel`, store.key, {})), only)
  const other = await join('dan@example.com')
  await store.card(other.id, 'insufficient_funds')
  await store.advance({ to: '2026-03-10T12:00:00Z' })
  await settle()
  const failed = await read('subscriptions', { since_updated: '2026-03-04' })
  assert.deepEqual(
    [...failed].map(([contract, row]) => [contract, row.last_charge_status]),
    [[other.contract, 'Failed']]
  )
})

test('a charge that is paid late moves the change time of the order of its cycle, which shows the failures', async () => {
  const { store, settle, join, read } = await aShop()
  const member = await join('dee@example.com')
  await store.card(member.id, 'insufficient_funds')
  await store.advance({ to: '2026-03-01T12:00:00Z' })
  await store.card(member.id, 'success')
  await store.advance({ to: '2026-03-20T12:00:00Z' })
  await settle()
  const rows = [...(await read('orders', { since_updated: '2026-03-01' })).values()]
  // The first order shows when the first renewal was charged.
  assert.deepEqual(
    rows.map((row) => [row.order_tag, row.auto_charge_failed_count, row.auto_charge_failure_reasons !== '']),
    [
      ['New-vip', 0, false],
      ['recharge', 1, true]
    ]
  )
})

test('an order that is linked to its contract later, and the first-order facts of its customer, move change times', async () => {
  const { store, storeId, settle, changedBy, place } = await aShop()
  const { id: customerId } = await store.customer('eve@example.com')
  const [first, second] = [await place(customerId), await place(customerId)]
  await settle()
  const changed = await changedBy(async () => {
    const began = Temporal.Instant.from('2026-01-31T15:00:00Z')
    const customer = { ...aContract(began).customer!, id: customerId }
    // The platform's own order is newer than this one, so that only its place is taken from here.
    const order = anOrder(began.subtract({ hours: 1 }), { id: first.id, customerId })
    const contract = aContract(began, { customer, originOrder: { ...aContract(began).originOrder!, id: first.id } })
    await db.inStore(storeId, (ctx) => upsertFromContracts(ctx, [contract], [order]))
  })
  assert.deepEqual(changed.orders.toSorted(), [first.row, second.row].toSorted())
})

test('an order that waits for its contract in vain moves its change time when it counts as plain', async () => {
  const { store, storeId, settle, place, read } = await aShop()
  const { id: customerId } = await store.customer('ida@example.com')
  // The first order of the customer is another one, so that nothing of the customer changes.
  await place(customerId)
  await store.advance({ to: '2026-02-02T22:55:00Z' })
  const at = Temporal.Instant.from('2026-02-02T22:55:00Z')
  const order = anOrder(at, { customerId, sourceName: 'subscription_contract_checkout_one' })
  const reports = { orders: [order], refunds: [], transactions: [], disputes: [] }
  await db.inStore(storeId, (ctx) => recordReports(ctx, reports, 'platform'))
  await settle()
  const row = `gid://platform/Order/${order.id}`
  assert.equal((await read('orders')).get(row)!.checkout_type, '')
  // Past the midnight of the shop, and past its ten minutes.
  await store.advance({ to: '2026-02-02T23:06:00Z' })
  await settle()
  const changed = await read('orders', { since_updated: '2026-02-03' })
  assert.deepEqual(
    [...changed].map(([id, { checkout_type }]) => [id, checkout_type]),
    [[row, 'PAYG']]
  )
})

test('a merge of customers moves the change times of what the other one takes over', async () => {
  const { store, settle, changedBy, join, place } = await aShop()
  const [from, into] = [await join('fay@example.com'), await join('gus@example.com')]
  const order = await place(from.id)
  await settle()
  const changed = await changedBy(() =>
    service.admin('POST', `${store.at}/sandbox/merges`, { customer: from.id, into: into.id })
  )
  assert.ok(changed.orders.includes(order.row))
  assert.ok(changed.subscriptions.includes(from.contract))
})

test('another time zone prints rows anew and moves no change time', async () => {
  const { store, join, read } = await aShop()
  const member = await join('hal@example.com')
  await service.admin('POST', `${store.at}/clock/advance`, { to: '2026-02-10T12:00:00Z' })
  const before = (await read('subscriptions')).get(member.contract)!.start_date
  await service.admin('POST', `${store.at}/sandbox/shop`, { timezone: 'Asia/Tokyo' })
  await service.deps.settle(store.storeId)
  const after = (await read('subscriptions')).get(member.contract)!.start_date
  assert.notEqual(after, before)
  assert.deepEqual([...(await read('orders', { since_updated: '2026-02-10' })).keys()], [])
})
