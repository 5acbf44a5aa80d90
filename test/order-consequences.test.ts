// What refunds and disputes of a membership's order lead to: credit and points are taken back and given back, a lost dispute may cancel.
// With the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { upsertFromContracts } from '#contracts'
import { changeCredits } from '#credits'
import { int, row, sql } from '#kit/postgres'
import { findCustomerId, parseCustomerId } from '#members'
import { findOrderId, recordReports } from '#orders'
import type { PlatformOrder } from '#platform'
import { adjustPoints, earnPoints } from '#points'
import { listAlerts } from '#stores'
import { aContract, anOrder } from './contract-builder.ts'
import { testDatabase } from './database.ts'
import { aStoreWithEvents } from './recorded-events.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { db } = service
const { dispute, refund } = service.sandbox.controls

/** A shop whose plan Gold costs 40.00 and issues 10.00 of credit with each paid cycle, and a member of it. */
async function aShop(creditType = 'storecredit') {
  const store = await aStoreWithEvents(service)
  const { storeId } = store
  await service.admin('POST', `${store.at}/plans`, {
    name: 'Gold',
    type: 'vip',
    price: '40.00',
    interval: 'month',
    perks: { store_credit: { amount: '10.00', type: creditType } }
  })
  const settle = () => service.deps.settle(storeId)
  const { customer, order_id: orderId } = await store.member('ada@example.com', 'Gold')
  await settle()
  const inStore = <T>(work: Parameters<typeof db.inStore<T>>[1]) => db.inStore(storeId, work)
  const credit = async (id = customer.id) =>
    (await service.get(`/store-credits/${id}`, store.key)).body.data.balance as number
  /** Type, amount and shortfall of the entries since the first one, oldest first. */
  const entries = async (id = customer.id) =>
    (await service.get(`/store-credits/${id}/history`, store.key)).body.data
      .map(({ type, amount }: { type: string; amount: number }) => [type, amount])
      .toReversed()
  const advance = () => store.advance({ by: 'PT1M' })
  const refunds = async (amount?: string, id = orderId) => {
    await refund({ storeId, orderId: id, ...(amount !== undefined && { amount }) })
    await settle()
  }
  const disputes = async (status: string, type?: string, id = orderId) => {
    await advance()
    await dispute({ storeId, orderId: id, status, ...(type && { type }) } as Parameters<typeof dispute>[0])
    await settle()
  }
  const memberId = (await inStore((ctx) => findCustomerId(ctx, parseCustomerId(customer.id, 'platform'))))!
  const ourOrder = (id = orderId) => inStore(async (ctx) => (await findOrderId(ctx, id, 'platform'))!)
  /** Has the order looked at again: something else of it changes. */
  const touch = async () => {
    await advance()
    await service.sandbox.controls.cancelOrder({ storeId, orderId })
    await settle()
  }
  const spend = (amountMinor: number) =>
    inStore((ctx) =>
      changeCredits(ctx, [
        { memberId, type: 'manual_deduct', amountMinor: -amountMinor, reason: 'x', operationId: `t:${Math.random()}` }
      ])
    )
  const add = (amountMinor: number) =>
    inStore((ctx) =>
      changeCredits(ctx, [
        { memberId, type: 'manual_add', amountMinor, reason: 'x', operationId: `t:${Math.random()}` }
      ])
    )
  const report = async (orders: PlatformOrder[], over: Partial<Parameters<typeof recordReports>[1]> = {}) => {
    await inStore((ctx) =>
      recordReports(ctx, { orders, refunds: [], transactions: [], disputes: [], ...over }, 'platform')
    )
    await settle()
  }
  const alerts = async () => (await inStore((ctx) => listAlerts(ctx))).alerts.map(({ kind }) => kind)
  const isRight = store.soundBooks
  return {
    store,
    storeId,
    customer,
    orderId,
    memberId,
    settle,
    inStore,
    credit,
    entries,
    advance,
    refunds,
    disputes,
    ourOrder,
    spend,
    add,
    touch,
    report,
    alerts,
    isRight
  }
}

test('a refund in parts takes back the credit of its order in proportion, each refund once, and all of it in the end', async () => {
  const { store, orderId, refunds, credit, entries, settle, isRight } = await aShop()
  await refunds('10.00')
  assert.equal(await credit(), 7.5)
  await settle()
  assert.equal(await credit(), 7.5)
  await refunds('10.01')
  assert.equal(await credit(), 5)
  await refunds()
  assert.deepEqual(await entries(), [
    ['membership_charge', 10],
    ['refund', -2.5],
    ['refund', -2.5],
    ['refund', -5]
  ])
  const { ledger } = await service.admin('GET', `${store.at}/orders/${orderId}`)
  assert.deepEqual(
    ledger.map((one: Record<string, unknown>) => [one.of, one.amount, one.shortfall, one.reverses === ledger[0].id]),
    [
      ['credit', 10, 0, false],
      ['credit', -2.5, 0, true],
      ['credit', -2.5, 0, true],
      ['credit', -5, 0, true]
    ]
  )
  await isRight()
})

test('a refund takes at most the balance; credit that comes later is not taken for the shortfall', async () => {
  const { spend, refunds, credit, inStore, memberId, touch, isRight } = await aShop()
  await spend(800)
  await refunds()
  assert.equal(await credit(), 0)
  const add = { memberId, type: 'manual_add' as const, amountMinor: 500, reason: 'x', operationId: 'later' }
  await inStore((ctx) => changeCredits(ctx, [add]))
  await touch()
  assert.equal(await credit(), 5)
  await isRight()
})

test('a dispute takes its own share only after a refund that was short, and what it could not take stays so', async () => {
  const { spend, add, refunds, disputes, credit, isRight } = await aShop()
  await spend(800)
  await refunds('20.00')
  assert.equal(await credit(), 0)
  await add(2000)
  await disputes('needs_response', 'chargeback')
  assert.equal(await credit(), 15)
  await disputes('won')
  assert.equal(await credit(), 20)
  await isRight()
})

test('what a checkout has reserved is taken when it lets go, in part or in whole, and by what it has spent never', async () => {
  const { store, customer, add, refunds, disputes, credit, entries, settle, isRight } = await aShop()
  const call = async (path: string, body: object) => {
    const { status, body: response } = await service.post(
      `/store-credits/${customer.id}/reservations${path}`,
      store.key,
      body
    )
    assert.equal(status, 200, JSON.stringify(response))
    return response.data.id as string
  }
  const [one, other] = [await call('', { amount: 6 }), await call('', { amount: 4 })]
  await refunds()
  assert.equal(await credit(), 10)
  await add(2000)
  await call(`/${one}/capture`, { amount: 5 })
  await call(`/${other}/release`, {})
  await settle()
  assert.equal(await credit(), 20)
  // It is taken already: a dispute of the same order takes nothing more.
  await disputes('lost', 'chargeback')
  assert.equal(await credit(), 20)
  assert.deepEqual((await entries()).slice(1), [
    ['refund', 0],
    ['manual_add', 20],
    ['redemption', -5],
    ['refund', -1],
    ['refund', -4]
  ])
  await isRight()
})

test('a reservation that lapses is taken back by the engine, and a won dispute gives both parts back', async () => {
  const { store, customer, disputes, credit, entries, isRight } = await aShop()
  const asked = { amount: 7, duration: 10 }
  const { status, body } = await service.post(`/store-credits/${customer.id}/reservations`, store.key, asked)
  assert.equal(status, 200, JSON.stringify(body))
  await disputes('needs_response', 'chargeback')
  assert.equal(await credit(), 7)
  await store.advance({ by: 'PT1H' })
  assert.equal(await credit(), 0)
  await disputes('won')
  assert.equal(await credit(), 10)
  assert.deepEqual((await entries()).slice(1), [
    ['dispute', -3],
    ['dispute', -7],
    ['dispute', 7],
    ['dispute', 3]
  ])
  await isRight()
})

test('after each of three merges a refund takes its share of credit from who remains, and a correction gives it back to them', async () => {
  const { store, storeId, customer, orderId, refunds, disputes, credit, settle, isRight } = await aShop('coupon')
  const others = []
  for (const name of ['one', 'two', 'three']) others.push((await store.customer(`${name}@example.com`)).id)
  await settle()
  const left = []
  let last = customer.id
  for (const id of others) {
    await service.sandbox.controls.mergeCustomers({ storeId, customerId: last, intoId: id })
    await settle()
    await refunds('10.00', orderId)
    left.push(await credit(id))
    last = id
  }
  assert.deepEqual(left, [7.5, 5, 2.5])
  await disputes('needs_response', 'chargeback')
  assert.equal(await credit(last), 0)
  await disputes('won')
  assert.equal(await credit(last), 2.5)
  await isRight()
})

test('a refund during a forfeit takes its share of what a reactivation gives back, and a won dispute gives its share back', async () => {
  const { store, settle, refunds, disputes, add, credit, entries, isRight } = await aShop()
  await service.admin('PATCH', `${store.at}/settings`, {
    credit_on_cancellation: 'forfeit',
    reactivation_grace_hours: 48
  })
  await add(500)
  const { id } = (await service.get('/subscriptions?limit=1', store.key)).body.data[0]
  const change = async (word: string) => {
    await service.post(`/subscriptions/${id}/${word}`, store.key, {})
    await settle()
  }
  await change('cancel')
  assert.equal(await credit(), 0)
  await refunds('20.00')
  await disputes('needs_response', 'chargeback')
  await add(100)
  await change('reactivate')
  assert.equal(await credit(), 6)
  await isRight()
  await disputes('won')
  assert.equal(await credit(), 11)
  assert.deepEqual((await entries()).slice(2), [
    ['forfeit', -15],
    ['refund', 0],
    ['dispute', 0],
    ['manual_add', 1],
    ['forfeit', 15],
    ['refund', 0],
    ['dispute', 0],
    ['refund', -5],
    ['dispute', -5],
    ['dispute', 5]
  ])
  await isRight()
})

test('what a refund lacks is taken of what a reactivation gives back, and of nothing else', async () => {
  const { store, settle, refunds, spend, add, credit, isRight } = await aShop()
  await service.admin('PATCH', `${store.at}/settings`, {
    credit_on_cancellation: 'forfeit',
    reactivation_grace_hours: 48
  })
  await spend(700)
  const { id } = (await service.get('/subscriptions?limit=1', store.key)).body.data[0]
  await service.post(`/subscriptions/${id}/cancel`, store.key, {})
  await settle()
  await refunds()
  await add(500)
  await service.post(`/subscriptions/${id}/reactivate`, store.key, {})
  await settle()
  assert.equal(await credit(), 5)
  await isRight()
})

test('what a refund lacked before a forfeit is not taken of what a reactivation gives back', async () => {
  const { store, settle, refunds, spend, add, credit, isRight } = await aShop()
  await service.admin('PATCH', `${store.at}/settings`, {
    credit_on_cancellation: 'forfeit',
    reactivation_grace_hours: 48
  })
  await spend(1000)
  await refunds('4.00')
  await add(500)
  const { id } = (await service.get('/subscriptions?limit=1', store.key)).body.data[0]
  for (const [word, left] of [
    ['cancel', 0],
    ['reactivate', 5]
  ] as const) {
    await service.post(`/subscriptions/${id}/${word}`, store.key, {})
    await settle()
    assert.equal(await credit(), left)
  }
  await isRight()
})

test('of two memberships, also the one that ended first gives back what was forfeited when the other ended', async () => {
  const { store, settle, customer, refunds, spend, add, credit, isRight } = await aShop()
  await service.admin('PATCH', `${store.at}/settings`, {
    credit_on_cancellation: 'forfeit',
    reactivation_grace_hours: 48
  })
  await service.admin('POST', `${store.at}/plans`, { name: 'Silver', type: 'elite', price: '10.00', interval: 'month' })
  await service.admin('POST', `${store.at}/sandbox/joins`, { customer: customer.id, plan: 'Silver' })
  await settle()
  const change = async (id: string, word: string) => {
    await service.post(`/subscriptions/${id}/${word}`, store.key, {})
    await settle()
  }
  const [last, first] = (await service.get('/subscriptions?limit=2', store.key)).body.data.map(
    (one: { id: string }) => one.id
  )
  await change(first, 'cancel')
  assert.equal(await credit(), 10)
  await change(last, 'cancel')
  assert.equal(await credit(), 0)
  await change(first, 'reactivate')
  assert.equal(await credit(), 10)
  // What was given back is not given back again: this refund lacks credit since.
  await spend(1000)
  await refunds('20.00')
  await add(1000)
  await change(last, 'reactivate')
  assert.equal(await credit(), 10)
  await change(first, 'cancel')
  await change(last, 'cancel')
  assert.equal(await credit(), 0)
  await change(last, 'reactivate')
  assert.equal(await credit(), 10)
  await isRight()
})

test('an open chargeback takes back, a won one gives back once, and then the refunds of the order take their share', async () => {
  const { disputes, refunds, credit, entries, isRight } = await aShop()
  await disputes('needs_response', 'chargeback')
  assert.equal(await credit(), 0)
  await disputes('under_review')
  assert.equal(await credit(), 0)
  await refunds('10.00')
  await disputes('won')
  assert.equal(await credit(), 7.5)
  assert.deepEqual(await entries(), [
    ['membership_charge', 10],
    ['dispute', -10],
    ['dispute', 10],
    ['refund', -2.5]
  ])
  await isRight()
})

test('states of a dispute that contradict each other come to the last one: lost takes again after won', async () => {
  const { disputes, credit, isRight } = await aShop()
  for (const [status, left] of [
    ['lost', 0],
    ['won', 10],
    ['lost', 0],
    ['won', 10],
    ['accepted', 0],
    ['prevented', 10]
  ] as const) {
    await disputes(status, 'chargeback')
    assert.equal(await credit(), left, status)
  }
  await isRight()
})

test('an open inquiry takes nothing; one that becomes a chargeback, or is lost, does', async () => {
  const { store, settle, disputes, credit, isRight } = await aShop()
  await disputes('needs_response', 'inquiry')
  assert.equal(await credit(), 10)
  await disputes('needs_response', 'chargeback')
  assert.equal(await credit(), 0)
  const { customer, order_id: other } = await store.member('bo@example.com', 'Gold')
  await settle()
  await disputes('needs_response', 'inquiry', other)
  assert.equal(await credit(customer.id), 10)
  await disputes('lost', undefined, other)
  assert.equal(await credit(customer.id), 0)
  await isRight()
})

test('the credit of a renewal is taken back when the renewal is refunded, and only that', async () => {
  const { store, customer, refunds, credit, isRight } = await aShop()
  await store.advance({ by: 'P1M' })
  assert.equal(await credit(), 20)
  const { data } = await service.admin('GET', `${store.at}/orders?customer=${customer.id}`)
  await refunds(undefined, data[0].id)
  assert.equal(await credit(), 10)
  await isRight()
})

test('of a gift the credit is taken back from the receiver, who got it', async () => {
  const { store, customer, refunds, credit, settle, isRight } = await aShop()
  const receiver = await store.customer('receiver@example.com')
  await settle()
  const [{ id }] = (await service.get('/subscriptions', store.key)).body.data
  const given = await service.post(`/subscriptions/${id}/gift`, store.key, { receiver: receiver.id })
  assert.equal(given.status, 200, JSON.stringify(given.body))
  await store.advance({ by: 'P1M' })
  assert.deepEqual([await credit(), await credit(receiver.id)], [10, 10])
  const { data } = await service.admin('GET', `${store.at}/orders?customer=${customer.id}`)
  await refunds('20.00', data[0].id)
  assert.deepEqual([await credit(), await credit(receiver.id)], [10, 5])
  await isRight()
})

test('an order shows the credit that was used on it and deducted because of it, net of what came back', async () => {
  const { store, storeId, customer, orderId, settle, refunds, disputes } = await aShop()
  const shown = async (id: string) => {
    const order = await service.admin('GET', `${store.at}/orders/${id}`)
    const { data } = await service.admin('GET', `${store.at}/orders`)
    const listed = data.find((one: { id: string }) => one.id === id)
    const of = (o: typeof order) => [
      o.paid_with_credit,
      o.credit_used,
      o.credit_deducted,
      o.credit_deducted_at !== null
    ]
    assert.deepEqual(of(listed), of(order))
    return of(order)
  }
  assert.deepEqual(await shown(orderId), [0, 0, 0, false])
  const placed = await service.sandbox.controls.order({
    storeId,
    customerId: customer.id,
    total: '20.00',
    credit: '4.00'
  })
  await settle()
  assert.deepEqual(await shown(placed.id), [4, 4, 0, false])
  await refunds('1.00', placed.id)
  assert.deepEqual(await shown(placed.id), [3, 3, 0, false])
  await refunds('10.00')
  await disputes('needs_response', 'chargeback')
  const [, , deducted, isDated] = await shown(orderId)
  assert.deepEqual([deducted, isDated], [7, true])
  await disputes('won')
  assert.deepEqual(await shown(orderId), [0, 0, 2.5, true])
})

test('after a merge of customers the credit is taken back from the one who was kept, and given back to them', async () => {
  // The platform merges no customers who have credit there.
  const { store, storeId, customer, refunds, disputes, credit, settle, isRight } = await aShop('coupon')
  const kept = await store.customer('kept@example.com')
  await settle()
  await service.sandbox.controls.mergeCustomers({ storeId, customerId: customer.id, intoId: kept.id })
  await settle()
  assert.equal(await credit(kept.id), 10)
  await refunds('10.00')
  assert.equal(await credit(kept.id), 7.5)
  await disputes('needs_response', 'chargeback')
  assert.equal(await credit(kept.id), 0)
  await disputes('won')
  assert.equal(await credit(kept.id), 7.5)
  await isRight()
})

test('points of an order are taken back in proportion, at most the balance, and given back when a dispute is won', async () => {
  const { store, inStore, memberId, ourOrder, refunds, disputes, settle, touch, isRight } = await aShop()
  const orderId = await ourOrder()
  const set = (balance: number) =>
    inStore((ctx) => adjustPoints(ctx, [{ memberId, balance, reason: 'x', operationId: `t:${Math.random()}` }]))
  const points = async () => (await service.get(`/members/mem_${memberId}`, store.key)).body.data.loyalty_points
  const cause = { memberId, points: 101, reason: 'x', operationId: 'earned', orderId }
  await inStore((ctx) => earnPoints(ctx, [{ ...cause, readyAt: null, expireAfterDays: null, isShared: true }]))
  await settle()
  // A quarter: 75.75 points are left.
  await refunds('10.00')
  assert.equal(await points(), 75)
  await disputes('needs_response', 'chargeback')
  assert.equal(await points(), 0)
  await disputes('won')
  assert.equal(await points(), 75)
  await set(20)
  await refunds()
  assert.equal(await points(), 0)
  await set(50)
  await touch()
  assert.equal(await points(), 50)
  await isRight()
})

test('a refund that is known before its order has issued the credit takes it back as it is issued', async () => {
  const { store, inStore, report, settle, credit } = await aShop()
  const at = Temporal.Instant.from('2026-01-31T15:00:00Z')
  const ada = { id: '900000001', email: 'late@example.com', firstName: null, lastName: null, updatedAt: at }
  const order = anOrder(at, { customerId: ada.id, totalMinor: 4000, refundedMinor: 2000 })
  await report([order], {
    refunds: [
      { refund: { id: '77', orderId: order.id, amountMinor: 2000, refundedAt: at, transactions: [] }, revisionAt: at }
    ]
  })
  const gold = (await store.plans()).find(({ name }: { name: string }) => name === 'Gold')!
  const contract = aContract(at, { customer: ada, originOrder: { id: order.id } as never })
  const line = { ...contract.lines[0]!, sellingPlanId: gold.platformSellingPlanId, priceMinor: 4000 }
  await inStore((ctx) => upsertFromContracts(ctx, [{ ...contract, lines: [line] }], [order]))
  await settle()
  assert.equal(await credit(ada.id), 5)
  // It was less after all, as the platform says later; and then more.
  const refundOf = (amountMinor: number, minutes: number) => ({
    refunds: [
      {
        refund: { id: '77', orderId: order.id, amountMinor, refundedAt: at, transactions: [] },
        revisionAt: at.add({ minutes })
      }
    ]
  })
  await report([], refundOf(1000, 1))
  assert.equal(await credit(ada.id), 7.5)
  await report([], refundOf(3000, 2))
  assert.equal(await credit(ada.id), 2.5)
  // The order is edited after the refund: half of it is refunded now.
  await report([{ ...order, totalMinor: 6000, refundedMinor: 3000, updatedAt: at.add({ minutes: 3 }) }])
  assert.equal(await credit(ada.id), 5)
})

test('a lost dispute of a membership alerts once and changes nothing else, unless the store cancels then', async () => {
  const { store, settle, disputes, alerts } = await aShop()
  const status = async () =>
    (await service.get('/subscriptions', store.key)).body.data.map((one: { status: string }) => one.status)
  await disputes('lost', 'chargeback')
  assert.deepEqual([await status(), await alerts()], [['active'], ['dispute_lost']])
  const [{ message }] = (await service.admin('GET', `${store.at}/alerts`)).data
  assert.match(
    message,
    /^Dispute \d+ of order ord_\d+, which belongs to (sub_\d+), was lost\. \1 goes on: cancel it if it is to end\.$/
  )
  await disputes('won')
  await disputes('lost')
  assert.deepEqual(await alerts(), ['dispute_lost'])
  await service.admin('PATCH', `${store.at}/settings`, { disputes: { on_lost: 'cancel' } })
  await settle()
  assert.deepEqual(await status(), ['active'])
  const { order_id: other } = await store.member('bo@example.com', 'Gold')
  await settle()
  await disputes('needs_response', 'inquiry', other)
  assert.deepEqual(await status(), ['active', 'active'])
  await disputes('accepted', undefined, other)
  assert.deepEqual(await status(), ['cancelled', 'active'])
})

test('where the store cancels then, a lost dispute cancels a paused membership too', async () => {
  const { store, disputes, alerts, isRight } = await aShop()
  await service.admin('PATCH', `${store.at}/settings`, { disputes: { on_lost: 'cancel' } })
  const subscription = async () => (await service.get('/subscriptions', store.key)).body.data[0]
  const { id } = await subscription()
  assert.equal((await service.post(`/subscriptions/${id}/pause`, store.key, {})).status, 200)
  await disputes('lost', 'chargeback')
  const { status, cancel_reason: reason } = await subscription()
  assert.deepEqual([status, reason, await alerts()], ['cancelled', 'chargeback', ['dispute_lost']])
  await isRight()
})

test('a lost dispute of a membership that has ended changes nothing, and leaves no work', async () => {
  const { store, storeId, settle, disputes, inStore, isRight } = await aShop()
  await service.admin('PATCH', `${store.at}/settings`, { disputes: { on_lost: 'cancel' } })
  const subscription = async () => (await service.get('/subscriptions', store.key)).body.data[0]
  const { id } = await subscription()
  await service.post(`/subscriptions/${id}/cancel`, store.key, { reason: 'too_expensive' })
  await settle()
  await disputes('lost', 'chargeback')
  const { status, cancel_reason: reason } = await subscription()
  assert.deepEqual([status, reason], ['cancelled', 'too_expensive'])
  const { left } = await inStore(({ tx }) =>
    tx.one(
      row({ left: int }),
      sql`select count(*) as left from jobs where store_id = ${storeId} and kind = 'cancel-disputed'`
    )
  )
  assert.equal(left, 0)
  await isRight()
})

test('a refund or dispute of a plain order takes nothing, also of a member', async () => {
  const { storeId, customer, settle, refunds, disputes, credit, alerts, isRight } = await aShop()
  const place = async () => {
    const { id } = await service.sandbox.controls.order({ storeId, customerId: customer.id, total: '40.00' })
    await settle()
    return id
  }
  await refunds('5.00', await place())
  await disputes('lost', 'chargeback', await place())
  assert.deepEqual([await credit(), await alerts()], [10, []])
  await isRight()
})

test('doctor derives links, kinds, first dates, tags and what was taken back anew', async () => {
  const { store, storeId, inStore, ourOrder, refunds, isRight } = await aShop()
  await refunds('10.00')
  await isRight()
  const id = await ourOrder()
  const wrong = async () =>
    (await service.admin('POST', '/doctor', { store: store.domain })).findings.map(
      ({ check }: { check: string }) => check
    )
  /** What doctor finds while a row is wrong. */
  const broken = async (breaks: ReturnType<typeof sql>, mends: ReturnType<typeof sql>) => {
    await inStore(({ tx }) => tx.run(breaks))
    const found = await wrong()
    await inStore(({ tx }) => tx.run(mends))
    return found
  }
  const effect = (value: number) =>
    sql`update order_effects set charge_number = ${value} where store_id = ${storeId} and order_id = ${id}`
  assert.deepEqual(await broken(effect(7), effect(1)), ['orders_classified'])
  const first = (hours: number) =>
    sql`update first_orders set membership_at = first_at + ${hours} * interval '1 hour' where store_id = ${storeId}`
  assert.deepEqual(await broken(first(1), first(0)), ['first_orders_right'])
  const tag = (value: string) =>
    sql`update wanted_tags set tag = ${value} where store_id = ${storeId} and kind = 'order' and tag_key = 'charge-1'`
  assert.deepEqual(new Set(await broken(tag('charge-2'), tag('charge-1'))).has('order_tags_follow'), true)
  const refunded = (minor: number) =>
    sql`update platform_refunds set amount_minor = ${minor} where store_id = ${storeId} and order_id = ${id}`
  assert.equal((await broken(refunded(2000), refunded(1000))).includes('orders_taken_back'), true)
  assert.equal((await broken(refunded(500), refunded(1000))).includes('orders_taken_back'), true)
  await isRight()
  await inStore(({ tx }) => tx.run(sql`delete from order_links where store_id = ${storeId} and order_id = ${id}`))
  assert.deepEqual([...new Set(await wrong())].toSorted(), [
    'first_orders_right',
    'order_tags_follow',
    'orders_classified',
    'orders_linked'
  ])
})

test('more refunded than the order cost, and a refund of nothing, take all of the credit and none of it', async () => {
  const { inStore, settle, ourOrder, orderId, credit, report } = await aShop()
  const at = Temporal.Instant.from('2026-01-31T15:00:00Z')
  const refundOf = (id: string, amountMinor: number) => ({
    refunds: [{ refund: { id, orderId, amountMinor, refundedAt: at, transactions: [] }, revisionAt: at }]
  })
  await report([], refundOf('71', 0))
  assert.equal(await credit(), 10)
  await report([], refundOf('72', 9900))
  assert.equal(await credit(), 0)
  const id = await ourOrder()
  const taken = await inStore(({ tx, storeId }) =>
    tx.one(
      row({ minor: int }),
      sql`select sum(amount_minor)::bigint as minor from credit_entries where store_id = ${storeId} and order_id = ${id}`
    )
  )
  assert.equal(taken.minor, 0)
  await settle()
})
