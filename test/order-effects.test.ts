// What follows from orders: the contracts they belong to, what kind of order each was, its tags, and when its customer ordered first.
// With the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { audit } from '#audit'
import { upsertFromContracts } from '#contracts'
import { int, row, sql } from '#kit/postgres'
import { findCustomerId, parseCustomerId } from '#members'
import { listFirstOrders } from '#order-effects'
import { recordReports } from '#orders'
import type { PlatformContract, PlatformOrder, PlatformTransaction } from '#platform'
import { aContract, anOrder } from './contract-builder.ts'
import { testDatabase } from './database.ts'
import { aStoreWithEvents } from './recorded-events.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { db } = service

async function aShop() {
  const store = await aStoreWithEvents(service)
  const { storeId } = store
  // Some of these orders were placed before the clock's first day: the store was connected long before.
  await db.inStore(storeId, ({ tx }) =>
    tx.run(sql`update order_beginnings set begins_at = begins_at - interval '1 year' where store_id = ${storeId}`)
  )
  const settle = () => service.deps.settle(storeId)
  const show = (id: string) => service.admin('GET', `${store.at}/orders/${id}`)
  const list = async (customer: string) =>
    ((await service.admin('GET', `${store.at}/orders?customer=${customer}`)).data as { id: string }[]).map(
      ({ id }) => id
    )
  /** checkout_type, order_tag, charge_number, autocharge_status and the tags of an order. */
  const kind = async (id: string) => {
    const { classification: c } = await show(id)
    return c && [c.checkout_type, c.order_tag, c.charge_number, c.autocharge_status, c.tags.toSorted()]
  }
  const plan = (body: object) =>
    service.admin('POST', `${store.at}/plans`, { interval: 'month', price: '29.00', ...body })
  const place = async (customerId: string, order: object = { total: '40.00' }) => {
    const { id } = await service.sandbox.controls.order({ storeId, customerId, ...order })
    await settle()
    return id
  }
  const join = async (email: string, planName = 'VIP') => {
    const joined = await store.member(email, planName)
    await settle()
    return { id: joined.customer.id, orderId: joined.order_id, contractId: joined.contract_id }
  }
  const customer = async (email: string) => (await store.customer(email)).id as string
  const inStore = <T>(work: Parameters<typeof db.inStore<T>>[1]) => db.inStore(storeId, work)
  const firsts = (customerId: string) =>
    inStore(async (ctx) => {
      const memberId = await findCustomerId(ctx, parseCustomerId(customerId, 'platform'))
      const [first] = await listFirstOrders(ctx, [memberId!])
      if (!first) return null
      const at = (instant: Temporal.Instant | null) => instant?.toString().slice(0, 10) ?? null
      return [
        first.checkoutType,
        at(first.firstAt),
        at(first.membershipAt),
        at(first.membershipRenewalAt),
        at(first.productAt),
        at(first.productRenewalAt)
      ]
    })
  /** A plan that sells subscriptions of a product. */
  const coffee = async () => {
    const { product } = await store.shop(
      `mutation($product: ProductCreateInput!) { productCreate(product: $product) { product { id } userErrors { message } } }`,
      { product: { title: 'Beans', status: 'ACTIVE' } }
    )
    return plan({ name: 'Coffee', type: 'product', price: '15.00', product_ids: [product.id] })
  }
  const tagsOf = async (id: string) => {
    const connector = await service.deps.connectorOf(storeId)
    const found = await connector.tags.findMany('order', [id])
    assert.ok(found.ok)
    return found.value.get(id)!.toSorted()
  }
  /** Orders that the platform reports without the sandbox knowing them. */
  const report = async (...orders: PlatformOrder[]) => {
    await inStore((ctx) => recordReports(ctx, { orders, refunds: [], transactions: [], disputes: [] }, 'platform'))
    await settle()
  }
  const takeOver = async (contract: PlatformContract, orders: PlatformOrder[]) => {
    await inStore((ctx) => upsertFromContracts(ctx, [contract], orders))
    await settle()
  }
  const isRight = store.soundBooks
  return {
    store,
    storeId,
    coffee,
    settle,
    show,
    list,
    kind,
    plan,
    place,
    join,
    customer,
    inStore,
    report,
    takeOver,
    firsts,
    tagsOf,
    isRight
  }
}

test('a payment with credit that is reported after its order, or gone back, has its tags, also where the ledger knows of none', async () => {
  const { storeId, place, customer, inStore, settle, kind, tagsOf, isRight } = await aShop()
  const id = await place(await customer('ada@example.com'))
  assert.deepEqual(await kind(id), ['PAYG', '', null, '', []])
  const at = Temporal.Instant.from('2026-01-31T16:00:00Z')
  const payment = {
    orderId: id,
    parentId: null,
    gateway: 'shopify_store_credit',
    giftCardId: null,
    status: 'success',
    processedAt: at
  }
  const report = async (transaction: PlatformTransaction) => {
    const reports = { orders: [], refunds: [], transactions: [transaction], disputes: [] }
    await inStore((ctx) => recordReports(ctx, reports, 'message'))
    await settle()
  }
  await report({ ...payment, id: '501', kind: 'sale', amountMinor: 700 })
  assert.deepEqual(await tagsOf(id), ['credits-redeemed'])
  await report({ ...payment, id: '502', parentId: '501', kind: 'refund', amountMinor: 200 })
  assert.deepEqual(await tagsOf(id), ['credits-redeemed', 'credits-redeemed-restored'])
  await isRight()

  await inStore(({ tx }) =>
    tx.run(sql`delete from wanted_tags where store_id = ${storeId} and tag = 'credits-redeemed-restored'`)
  )
  const { findings } = await service.admin('POST', '/doctor', {})
  const checks: string[] = findings.map(({ check }: { check: string }) => check)
  assert.ok(checks.includes('order_tags_follow'), checks.join())
})

test('a signup, its renewals and a plain order of a member each have their kind, number and tags, also on the platform', async () => {
  const { store, join, kind, list, place, show, firsts, tagsOf, isRight } = await aShop()
  const { id, orderId } = await join('ada@example.com')
  assert.deepEqual(await kind(orderId), ['VIP', 'New-vip', 1, '', ['charge-1', 'new-VIP']])
  assert.deepEqual(await tagsOf(orderId), ['charge-1', 'new-VIP'])
  await store.advance({ by: 'P2M' })
  const [third, second] = await list(id)
  assert.deepEqual(await kind(second!), ['VIP', 'recharge', 2, '', ['VIP-Recharge', 'charge-2']])
  assert.deepEqual(await kind(third!), ['VIP', 'recharge', 3, '', ['VIP-Recharge', 'charge-3']])
  const { subscriptions } = await show(third!)
  assert.deepEqual(
    subscriptions.map((one: Record<string, unknown>) => [one.part, one.order_number, one.billing_attempt_id !== null]),
    [['renewal', 3, true]]
  )
  const plain = await place(id)
  assert.deepEqual(await kind(plain), ['VIP', '', null, '', ['VIP']])
  assert.deepEqual(await firsts(id), ['VIP', '2026-01-31', '2026-01-31', '2026-02-28', null, null])
  const [member] = (await service.admin('GET', `${store.at}/members`)).data
  assert.deepEqual(
    [member.first_orders.checkout_type, member.first_orders.membership_renewal, member.first_orders.product],
    ['VIP', '2026-02-28T15:00:00.000Z', null]
  )
  await isRight()
})

test('a plain order makes a person a customer, PAYG and without tags', async () => {
  const { customer, place, kind, firsts, tagsOf, isRight } = await aShop()
  const id = await customer('bo@example.com')
  const order = await place(id)
  assert.deepEqual(await kind(order), ['PAYG', '', null, '', []])
  assert.deepEqual(await tagsOf(order), [])
  assert.deepEqual(await firsts(id), ['PAYG', '2026-01-31', null, null, null, null])
  await isRight()
})

test('a trial checkout has its own tag and is order 1; the first full charge after it is a recharge and order 2', async () => {
  const { store, plan, join, kind, list, isRight } = await aShop()
  await plan({ name: 'Gold', type: 'vip', tier: 'Club', trial_price: '1.00', trial_days: 14 })
  const { id, orderId } = await join('tia@example.com', 'Gold')
  assert.deepEqual(await kind(orderId), ['VIP', 'trial fee', 1, '', ['Club-trial', 'charge-1']])
  await store.advance({ by: 'P15D' })
  const [charged] = await list(id)
  assert.deepEqual(await kind(charged!), ['VIP', 'recharge', 2, '', ['Club-Recharge', 'charge-2']])
  await isRight()
})

test('a product subscription has its own tags, with the plain tier besides when its customer is a member', async () => {
  const { store, join, coffee, kind, place, list, firsts, isRight } = await aShop()
  await coffee()
  const { id, orderId } = await join('cy@example.com', 'Coffee')
  assert.deepEqual(await kind(orderId), ['Product Subscription', 'New-SubsProd', 1, '', ['New-SubsProd', 'charge-1']])
  await store.advance({ by: 'P1M' })
  const [renewed] = await list(id)
  const renewal = ['Product Subscription', 'SubsProd-Recharge', 2, '', ['SubsProd-Recharge', 'charge-2']]
  assert.deepEqual(await kind(renewed!), renewal)
  await store.advance({ by: 'PT1H' })
  // Now a member besides; the next renewal of the product is an order of somebody active.
  await place(id, { lines: [{ plan: 'VIP' }] })
  assert.deepEqual(await kind(renewed!), renewal)
  await store.advance({ to: '2026-04-01T12:00:00Z' })
  const orders = await Promise.all((await list(id)).map(kind))
  assert.deepEqual(
    orders.find((one) => one[1] === 'SubsProd-Recharge' && one[2] === 3),
    ['Product Subscription', 'SubsProd-Recharge', 3, '', ['SubsProd-Recharge', 'VIP', 'charge-3']]
  )
  assert.deepEqual(await firsts(id), [
    'Product Subscription',
    '2026-01-31',
    '2026-02-28',
    '2026-03-28',
    '2026-01-31',
    '2026-02-28'
  ])
  await isRight()
})

test('an order with a membership and a subscribed product has both sets of tags, and the columns of the membership', async () => {
  const { coffee, customer, place, kind, isRight } = await aShop()
  await coffee()
  const id = await customer('di@example.com')
  const order = await place(id, { lines: [{ plan: 'VIP' }, { plan: 'Coffee' }] })
  assert.deepEqual(await kind(order), ['VIP', 'New-vip', 1, '', ['New-SubsProd', 'charge-1', 'new-VIP']])
  await isRight()
})

const START = Temporal.Instant.from('2026-01-31T15:00:00Z')
const days = (n: number) => START.add({ hours: 24 * n })
const ADA = { id: '900000001', email: 'ada@example.com', firstName: null, lastName: null, updatedAt: START }

test('an order of a contract waits ten minutes for it by the clock of the store, counts as plain then, and is linked when it comes', async () => {
  const { store, show, kind, report, takeOver, firsts } = await aShop()
  const order = anOrder(START, { customerId: ADA.id, sourceName: 'subscription_contract_checkout_one' })
  await report(order)
  const { classification } = await show(order.id)
  assert.deepEqual(
    [classification.checkout_type, classification.waits_until, classification.tags],
    [null, '2026-01-31T15:10:00.000Z', []]
  )
  assert.deepEqual(await firsts(ADA.id), [null, '2026-01-31', null, null, null, null])
  await store.advance({ by: 'PT9M' })
  assert.equal((await show(order.id)).classification.checkout_type, null)
  await store.advance({ by: 'PT1M' })
  assert.deepEqual(await kind(order.id), ['PAYG', '', null, '', []])
  // A contract without a plan of ours counts as a product subscription.
  await takeOver(aContract(START, { customer: ADA, originOrder: { id: order.id } as never }), [order])
  assert.deepEqual(await kind(order.id), ['Product Subscription', 'New-SubsProd', 1, '', ['New-SubsProd', 'charge-1']])
  assert.deepEqual(await firsts(ADA.id), ['Product Subscription', '2026-01-31', null, null, '2026-01-31', null])
})

test('first-order dates are right when an older order becomes known late, and when one is cancelled', async () => {
  const { report, firsts } = await aShop()
  const of = (day: number) => anOrder(days(day), { customerId: ADA.id })
  const [older, oldest, newer] = [of(-5), of(-9), of(-2)]
  await report(newer)
  assert.equal((await firsts(ADA.id))![1], '2026-01-29')
  await report(older)
  assert.equal((await firsts(ADA.id))![1], '2026-01-26')
  await report(oldest)
  assert.equal((await firsts(ADA.id))![1], '2026-01-22')
  await report({ ...oldest, updatedAt: days(-1), cancelledAt: days(-1) })
  assert.equal((await firsts(ADA.id))![1], '2026-01-26')
  await report(
    { ...older, updatedAt: days(-1), cancelledAt: days(-1) },
    { ...newer, updatedAt: days(-1), cancelledAt: days(-1) }
  )
  assert.equal(await firsts(ADA.id), null)
})

test('an order that the platform gives to another customer counts in the first dates of that one only', async () => {
  const { report, firsts, customer } = await aShop()
  const [older, newer] = [anOrder(days(-5), { customerId: ADA.id }), anOrder(days(-2), { customerId: ADA.id })]
  await report(older, newer)
  const other = await customer('eve@example.com')
  await report({ ...older, customerId: other, updatedAt: days(-1) })
  assert.deepEqual([(await firsts(ADA.id))![1], (await firsts(other))![1]], ['2026-01-29', '2026-01-26'])
  await report({ ...newer, customerId: other, updatedAt: days(-1) })
  assert.deepEqual([await firsts(ADA.id), (await firsts(other))![1]], [null, '2026-01-26'])
})

test('two customers who are merged have the first dates of both', async () => {
  const { store, storeId, settle, join, customer, place, firsts } = await aShop()
  const plain = await customer('eve@example.com')
  await place(plain)
  await store.advance({ by: 'P3D' })
  const { id } = await join('ed@example.com')
  assert.deepEqual(await firsts(id), ['VIP', '2026-02-03', '2026-02-03', null, null, null])
  await service.sandbox.controls.mergeCustomers({ storeId, customerId: plain, intoId: id })
  await settle()
  assert.deepEqual(await firsts(id), ['PAYG', '2026-01-31', '2026-02-03', null, null, null])
  assert.equal(await firsts(plain), null)
})

test('an order is VIP if its customer was active when it was placed: not before, not while paused, nor after the end', async () => {
  const { store, storeId, join, kind, place, report, inStore } = await aShop()
  const { id } = await join('fay@example.com')
  const [{ id: subscription }] = (await service.get('/subscriptions', store.key)).body.data
  const act = async (action: string) => {
    await store.advance({ by: 'PT1H' })
    assert.equal((await service.post(`/subscriptions/${subscription}/${action}`, store.key, {})).status, 200)
    await store.advance({ by: 'PT1H' })
  }
  const type = async (order: string) => (await kind(order))![0]
  await act('pause')
  assert.equal(await type(await place(id)), 'PAYG')
  await act('resume')
  assert.equal(await type(await place(id)), 'VIP')
  await act('cancel')
  assert.equal(await type(await place(id)), 'PAYG')
  // Of orders that become known late the time counts at which they were placed.
  const of = (at: string) => anOrder(Temporal.Instant.from(at), { customerId: id })
  const [before, paused, active] = [of('2026-01-30T12:00:00Z'), of('2026-01-31T16:30:00Z'), of('2026-01-31T18:30:00Z')]
  await report(before, paused, active)
  assert.deepEqual([await type(before.id), await type(paused.id), await type(active.id)], ['PAYG', 'PAYG', 'VIP'])

  // Doctor derives it from the history of the membership, whatever is stored with the orders.
  const named = async () =>
    (await inStore(audit)).findings.flatMap(({ check, message }) => (check === 'order_tiers_held' ? message : []))
  const count = (order: string, tier: string | null) =>
    inStore(({ tx }) =>
      tx.run(sql`
        update order_effects set active_tier_name = ${tier}
         where store_id = ${storeId}
           and order_id = (select id from orders where store_id = ${storeId} and platform_order_id = ${order})`)
    )
  assert.deepEqual(await named(), [])
  await count(paused.id, 'VIP')
  assert.deepEqual(await named(), [
    'counts as one of an active member (VIP); its customer held no active membership when it was placed'
  ])
  await count(paused.id, null)
  await count(active.id, null)
  assert.deepEqual(await named(), ['counts as one of nobody active; its customer held VIP when it was placed'])
  await count(active.id, 'Gold')
  assert.deepEqual(await named(), [
    'counts as one of an active member (Gold); its customer held VIP when it was placed'
  ])
  await count(active.id, 'VIP')
  assert.deepEqual(await named(), [])
})

test('of a gift the receiver was active from the day on which it was given, and the giver until then', async () => {
  const { store, join, customer, kind, settle, report } = await aShop()
  const giver = (await join('gus@example.com')).id
  const receiver = await customer('rita@example.com')
  await settle()
  await store.advance({ by: 'P2D' })
  const [{ id: subscription }] = (await service.get('/subscriptions', store.key)).body.data
  assert.equal((await service.post(`/subscriptions/${subscription}/gift`, store.key, { receiver })).status, 200)
  await store.advance({ by: 'P2D' })
  const of = (customerId: string, at: string) => anOrder(Temporal.Instant.from(at), { customerId })
  const orders = [giver, receiver].flatMap((id) => [of(id, '2026-02-01T15:00:00Z'), of(id, '2026-02-03T15:00:00Z')])
  await report(...orders)
  const types = await Promise.all(orders.map(async ({ id }) => (await kind(id))![0]))
  assert.deepEqual(types, ['VIP', 'PAYG', 'PAYG', 'VIP'])
})

test('who holds VIP and Elite was an Elite member when the order was placed', async () => {
  const { store, storeId, plan, join, place, kind, settle } = await aShop()
  await plan({ name: 'Top', type: 'elite', tier: 'Top' })
  const { id } = await join('eli@example.com')
  await service.sandbox.controls.join({ storeId, customerId: id, plan: 'Top' })
  await settle()
  await store.advance({ by: 'PT1H' })
  assert.deepEqual(await kind(await place(id)), ['VIP', '', null, '', ['Top']])
})

test('of two memberships that one order began Elite counts, whichever became known first', async () => {
  const { store, plan, kind, report, takeOver } = await aShop()
  await plan({ name: 'Top', type: 'elite', tier: 'Top' })
  const order = anOrder(days(-2), { customerId: ADA.id })
  await report(order)
  for (const name of ['VIP', 'Top']) {
    const sold = (await store.plans()).find((one: { name: string }) => one.name === name)!
    const contract = aContract(days(-2), { customer: ADA, originOrder: { id: order.id } as never })
    const line = { ...contract.lines[0]!, sellingPlanId: sold.platformSellingPlanId }
    await takeOver({ ...contract, lines: [line] }, [order])
  }
  assert.deepEqual(await kind(order.id), ['VIP', 'New-vip', 1, '', ['charge-1', 'new-Top']])
})

test('an order of an earlier cycle that becomes known late raises the numbers of those after it', async () => {
  const { store, storeId, join, kind, list, inStore, settle, isRight } = await aShop()
  const { id } = await join('lou@example.com')
  await store.advance({ by: 'P62D' })
  const [last, middle] = await list(id)
  const touch = async (orderId: string) => {
    await service.sandbox.controls.refund({ storeId, orderId, amount: '1.00' })
    await settle()
  }
  const numbers = async () => [(await kind(middle!))![2], (await kind(last!))![2]]
  assert.deepEqual(await numbers(), [2, 3])
  // As if nobody had heard that the second cycle was paid.
  const hear = (change: ReturnType<typeof sql>) => inStore(({ tx }) => tx.run(change))
  const ofMiddle = sql`delete from order_links where store_id = ${storeId} and order_number = 2`
  const unpaid = sql`update subscriptions set cycles_paid = cycles_paid - 1 where store_id = ${storeId}`
  await hear(ofMiddle)
  await hear(unpaid)
  await touch(last!)
  assert.equal((await kind(last!))![2], 2)
  await hear(sql`update subscriptions set cycles_paid = cycles_paid + 1 where store_id = ${storeId}`)
  await touch(middle!)
  assert.deepEqual(await numbers(), [2, 3])
  await isRight()
})

test('a membership that becomes known late makes orders VIP that were placed since it began', async () => {
  const { store, kind, report, takeOver } = await aShop()
  const plain = anOrder(days(-1), { customerId: ADA.id })
  const signup = anOrder(days(-2), { customerId: ADA.id })
  await report(plain, signup)
  assert.equal((await kind(plain.id))![0], 'PAYG')
  const [vip] = await store.plans()
  const contract = aContract(days(-2), { customer: ADA, originOrder: { id: signup.id } as never })
  const line = { ...contract.lines[0]!, sellingPlanId: vip!.platformSellingPlanId }
  await takeOver({ ...contract, lines: [line] }, [signup])
  assert.deepEqual(await kind(plain.id), ['VIP', '', null, '', ['VIP']])
  assert.deepEqual(await kind(signup.id), ['VIP', 'New-vip', 1, '', ['charge-1', 'new-VIP']])
})

test('the tags of a disputed order: won none, prevented or a refunded inquiry an alert, lost or accepted the bank', async () => {
  const { store, storeId, settle, customer, place, kind } = await aShop()
  const id = await customer('gil@example.com')
  const { dispute, refund } = service.sandbox.controls
  const tags = async (order: string) => {
    await settle()
    return (await kind(order))![4]
  }
  const change = (orderId: string, status: string, type = 'chargeback') =>
    dispute({ storeId, orderId, type, status } as Parameters<typeof dispute>[0])
  const order = await place(id)
  await change(order, 'needs_response')
  assert.deepEqual(await tags(order), [])
  await change(order, 'lost')
  assert.deepEqual(await tags(order), ['Chargeback-Bank-Refund'])
  await store.advance({ by: 'PT1M' })
  await change(order, 'won')
  assert.deepEqual(await tags(order), [])
  const inquiry = await place(id)
  await change(inquiry, 'needs_response', 'inquiry')
  assert.deepEqual(await tags(inquiry), [])
  await refund({ storeId, orderId: inquiry, amount: '5.00' })
  assert.deepEqual(await tags(inquiry), ['Chargeback-Alert-Refund'])
  const prevented = await place(id)
  await change(prevented, 'prevented')
  assert.deepEqual(await tags(prevented), ['Chargeback-Alert-Refund'])
})

test('a recharge that is disputed or refunded says so in autocharge_status', async () => {
  const { store, storeId, settle, join, list, kind } = await aShop()
  const { id } = await join('hal@example.com')
  await store.advance({ by: 'P1M' })
  const [recharge] = await list(id)
  const { dispute, refund } = service.sandbox.controls
  const status = async () => {
    await settle()
    return (await kind(recharge!))![3]
  }
  await dispute({ storeId, orderId: recharge!, type: 'chargeback' })
  assert.equal(await status(), 'Dispute')
  await dispute({ storeId, orderId: recharge!, status: 'won' })
  assert.equal(await status(), '')
  await refund({ storeId, orderId: recharge! })
  assert.equal(await status(), 'refunded')
})

test('attributes and credit give their tags; mystery_gift only while order gifts are enabled', async () => {
  const { store, storeId, settle, customer, place, kind } = await aShop()
  const { refund } = service.sandbox.controls
  const id = await customer('ida@example.com')
  const attributes = [
    { name: 'deliverySchedule', value: 'Mon, Thu' },
    { name: 'mystery_gift', value: 'true' }
  ]
  const gifts = (enabled: 0 | 1) =>
    service.admin('PATCH', `${store.at}/storefront-settings/order_gift`, { value: { enabled } })
  const tags = async (orderId: string) => (await kind(orderId))![4]
  const order = await place(id, { total: '40.00', attributes })
  assert.deepEqual(await tags(order), ['deliverySchedule: Mon  Thu'])
  await gifts(1)
  const gift = await place(id, { total: '40.00', attributes })
  assert.deepEqual(await tags(gift), ['deliverySchedule: Mon  Thu', 'mystery_gift'])
  // The setting changes no order by itself, and an order that has the tag keeps it.
  await gifts(0)
  for (const orderId of [order, gift]) await refund({ storeId, orderId, amount: '1.00' })
  await settle()
  assert.deepEqual([await tags(order), (await tags(gift)).length], [['deliverySchedule: Mon  Thu'], 2])
  await gifts(1)
  await refund({ storeId, orderId: order, amount: '1.00' })
  await settle()
  assert.deepEqual(await tags(order), ['deliverySchedule: Mon  Thu', 'mystery_gift'])
})

test('doctor derives the tags of credit and attributes anew', async () => {
  const { store, storeId, settle, customer, place, kind, inStore, isRight } = await aShop()
  const id = await customer('gil@example.com')
  await service.post(`/store-credits/${id}/add`, store.key, { amount: 30, reason: 'x' })
  await settle()
  await service.admin('PATCH', `${store.at}/storefront-settings/order_gift`, { value: { enabled: 1 } })
  const attributes = [
    { name: 'deliverySchedule', value: ' \u00a0in the early morning, but not before seven,' },
    { name: 'mystery_gift', value: ' TRUE ' }
  ]
  const order = await place(id, { total: '40.00', credit: '10.00', attributes })
  await service.sandbox.controls.refund({ storeId, orderId: order, amount: '4.00' })
  await settle()
  const all = [
    'credits-redeemed',
    'credits-redeemed-restored',
    'deliverySchedule: in the early morning',
    'mystery_gift'
  ]
  assert.deepEqual((await kind(order))![4], all)
  await place(id, { total: '5.00', attributes: [{ name: 'deliverySchedule', value: ' , ' }] })
  await isRight()
  const found = async () =>
    (await service.admin('POST', '/doctor', { store: store.domain })).findings.flatMap(
      ({ check, message }: { check: string; message: string }) => (check === 'order_tags_follow' ? message : [])
    )
  const rename = (from: string, to: string) =>
    inStore(({ tx }) =>
      tx.run(sql`
      update wanted_tags set tag = ${to}, tag_key = lower(${to})
       where store_id = ${storeId} and kind = 'order' and tag = ${from}`)
    )
  for (const tag of all.slice(0, 3)) {
    await rename(tag, 'other')
    assert.deepEqual(await found(), [
      `is not to have the tag ${tag}, which follows from its kind`,
      'is to have the tag other, which does not follow from its kind'
    ])
    await rename('other', tag)
  }
  await isRight()
  await inStore(({ tx }) =>
    tx.run(sql`update orders set attributes = '[]' where store_id = ${storeId} and attributes <> '[]'`)
  )
  assert.deepEqual(await found(), [
    `is to have the tag ${all[2]}, which does not follow from its kind`,
    'is to have the tag mystery_gift, which does not follow from its kind'
  ])
})

test('orders of nobody, in another currency or with a negative total have their kind; nobody has first dates of an order of nobody', async () => {
  const { report, kind, firsts, inStore } = await aShop()
  const nobody = anOrder(START, { customerId: null })
  const foreign = anOrder(days(-1), { customerId: ADA.id, currency: 'EUR' })
  const negative = anOrder(days(-2), { customerId: ADA.id, totalMinor: -500 })
  await report(nobody, foreign, negative)
  for (const { id } of [nobody, foreign, negative]) assert.deepEqual(await kind(id), ['PAYG', '', null, '', []])
  assert.equal((await firsts(ADA.id))![1], '2026-01-29')
  const { count } = await inStore(({ tx, storeId }) =>
    tx.one(row({ count: int }), sql`select count(*)::integer as count from first_orders where store_id = ${storeId}`)
  )
  assert.equal(count, 1)
})
