// Which contract an order belongs to, which number it has there, and whether its customer was active when it was placed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { upsertFromContracts } from '#contracts'
import { createFactEngines } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { upsertCustomers } from '#members'
import { findOrderId, recordReports } from '#orders'
import type { PlatformContract, PlatformOrder } from '#platform'
import { aContract, anOrder, ofContract } from '../../test/contract-builder.ts'
import { testDatabase } from '../../test/database.ts'
import { aPlan } from '../../test/plan-builder.ts'
import { aStore, type BuiltStore } from '../../test/store-builder.ts'
import { aSubscriptionLife, at } from '../../test/subscription-life.ts'
import { findOrderEffects } from './find-order-effects.ts'
import { createOrderEffectsEngine } from './order-effects-engine.ts'
import { readOrders } from './read-orders.ts'
import { orderEffectsConsumer } from './refresh-on-facts.ts'
import { writeEffects } from './write-effects.ts'

const { db } = await testDatabase()
const factEngines = createFactEngines({ db, consumers: [orderEffectsConsumer] })
const orderEngine = createOrderEffectsEngine({ db })
const START = at('2026-01-31T15:00:00Z')
const ADA = { id: '7', email: 'ada@example.com', firstName: 'Ada', lastName: 'Adler', updatedAt: START }
const BO = { ...ADA, id: '8', email: 'bo@example.com' }

/** What follows from orders that the platform reports. */
function effectsIn({ storeId, inStore }: Pick<BuiltStore, 'storeId' | 'inStore'>) {
  const run = async (engines: Pick<typeof orderEngine, 'runOnce'>[]) => {
    for (let done = 1; done > 0; ) {
      done = 0
      for (const engine of engines) done += await engine.runOnce(storeId)
    }
  }
  const settle = () => run([...factEngines, orderEngine])
  const idOf = async (ctx: Ctx, { id }: PlatformOrder) => (await findOrderId(ctx, id, 'platform'))!
  return {
    settle,
    /** Without looking at the orders that are to be looked at again. */
    bringFacts: () => run(factEngines),
    report: async (...orders: PlatformOrder[]) => {
      await inStore((ctx) => recordReports(ctx, { orders, refunds: [], transactions: [], disputes: [] }, 'platform'))
      await settle()
    },
    takeOver: async (contract: PlatformContract, ...orders: PlatformOrder[]) => {
      await inStore((ctx) => upsertFromContracts(ctx, [contract], orders))
      await settle()
    },
    /** checkout_type, order_tag and charge_number. */
    kind: (order: PlatformOrder) =>
      inStore(async (ctx) => {
        const { kind } = await findOrderEffects(ctx, await idOf(ctx, order))
        return kind && [kind.checkoutType, kind.orderTag, kind.chargeNumber]
      }),
    idOf: (order: PlatformOrder) => inStore((ctx) => idOf(ctx, order))
  }
}

/** A membership of the plan Gold from 31 January, with orders of its customer. */
async function aMembership(options: Omit<NonNullable<Parameters<typeof aSubscriptionLife>[1]>, 'plan'> = {}) {
  const life = await aSubscriptionLife(db, { ...options, plan: { name: 'Gold' } })
  const { contract } = life
  return {
    ...life,
    ...effectsIn(life),
    order: (when: string, over: Partial<PlatformOrder> = {}) =>
      anOrder(at(when), { customerId: contract.customer!.id, ...over })
  }
}

/** A store that sells Gold, and a contract of Ada for it that is not known there yet. */
async function aLateContract(over: Partial<PlatformContract> = {}, trialDays = 0) {
  const store = await aStore(db, { clockAt: START })
  const sold = await aPlan(store, { name: 'Gold', trialDays })
  await store.inStore((ctx) => upsertCustomers(ctx, [ADA, BO]))
  const plain = aContract(START, { customer: ADA, originOrder: null, ...over })
  const contract = { ...plain, lines: plain.lines.map((line) => ({ ...line, ...sold })) }
  return { ...store, ...effectsIn(store), contract }
}

test('an order whose line names a contract, and that no charge was for, has the number of the last paid order before it', async () => {
  const { goTo, bill, pay, order, report, kind, contract } = await aMembership()
  for (const month of ['02-28', '03-31']) {
    await goTo(`2026-${month}T16:00:00Z`)
    await bill()
    await pay()
  }
  const named = ['2026-02-10', '2026-03-10', '2026-04-10'].map((day) =>
    order(`${day}T15:00:00Z`, { details: ofContract(contract.id) })
  )
  await report(...named)
  assert.deepEqual(await Promise.all(named.map(kind)), [
    ['VIP', 'recharge', 1],
    ['VIP', 'recharge', 2],
    ['VIP', 'recharge', 3]
  ])
})

test('an order whose line names a contract and that was there before it is its checkout, of a trial that of the trial', async () => {
  for (const [trialDays, expected] of [
    [0, ['VIP', 'New-vip', 1]],
    [14, ['VIP', 'trial fee', 1]]
  ] as const) {
    const { contract, takeOver, report, kind } = await aLateContract({}, trialDays)
    const checkout = anOrder(START.subtract({ minutes: 1 }), { customerId: ADA.id, details: ofContract(contract.id) })
    await takeOver(contract)
    await report(checkout)
    assert.deepEqual(await kind(checkout), expected)
  }
})

test('when a contract becomes known late, the order that began it and one that its line names are looked at again, also those from before it', async () => {
  const placed = START.subtract({ minutes: 5 })
  const origin = anOrder(placed, { customerId: ADA.id })
  const { contract, report, takeOver, kind } = await aLateContract({ originOrder: { id: origin.id } as never })
  const named = anOrder(placed, { customerId: ADA.id, details: ofContract(contract.id) })
  const plain = anOrder(placed, { customerId: ADA.id })
  await report(origin, named, plain)
  assert.deepEqual(await Promise.all([origin, named, plain].map(kind)), [
    ['PAYG', '', null],
    [null, null, null],
    ['PAYG', '', null]
  ])
  await takeOver(contract, origin)
  assert.deepEqual(await Promise.all([origin, named, plain].map(kind)), [
    ['VIP', 'New-vip', 1],
    ['VIP', 'New-vip', 1],
    ['PAYG', '', null]
  ])
})

test('when a contract that is a gift becomes known late, the orders that its receiver placed since it began are those of somebody active', async () => {
  const days = (n: number) => START.add({ hours: 24 * n })
  const began = { createdAt: days(-2), nextBillingDate: days(20) }
  const { contract, report, takeOver, kind } = await aLateContract({ ...began, giftReceiver: BO.id })
  const [before, since, ofGiver] = [
    anOrder(days(-3), { customerId: BO.id }),
    anOrder(days(-1), { customerId: BO.id }),
    anOrder(days(-1), { customerId: ADA.id })
  ]
  await report(before, since, ofGiver)
  assert.deepEqual(await kind(since), ['PAYG', '', null])
  await takeOver(contract)
  assert.deepEqual(await Promise.all([before, since, ofGiver].map(kind)), [
    ['PAYG', '', null],
    ['VIP', '', null],
    ['PAYG', '', null]
  ])
})

test('a request to look at an order again that comes while somebody looks at it is not lost', async () => {
  const { inStore, contract, report, bringFacts, settle, kind, idOf } = await aLateContract()
  const order = anOrder(START.add({ minutes: 5 }), { customerId: ADA.id })
  await report(order)
  const orderId = await idOf(order)
  const [seen] = await inStore((ctx) => readOrders(ctx, [orderId]))
  // The contract becomes known before what was seen is written.
  await inStore((ctx) => upsertFromContracts(ctx, [contract], []))
  await bringFacts()
  await inStore((ctx) => writeEffects(ctx, [{ ...seen!, orderId, version: seen!.version! }]))
  assert.deepEqual(await kind(order), ['PAYG', '', null])
  await settle()
  assert.deepEqual(await kind(order), ['VIP', '', null])
})

test('after a reactivation the customer is active again', async () => {
  const { goTo, cancel, reactivate, order, report, kind } = await aMembership({ graceHours: 24 })
  await goTo('2026-02-01T15:00:00Z')
  await cancel()
  await goTo('2026-02-02T10:00:00Z')
  await reactivate()
  const orders = ['2026-02-01T12:00:00Z', '2026-02-02T00:00:00Z', '2026-02-02T12:00:00Z'].map((when) => order(when))
  await report(...orders)
  assert.deepEqual(
    (await Promise.all(orders.map(kind))).map((kind) => kind![0]),
    ['VIP', 'PAYG', 'VIP']
  )
})

for (const status of ['failed', 'expired'] as const) {
  test(`after a membership has ${status} its customer is not active any more, also if it was paused and resumed before`, async () => {
    const { goTo, pause, resume, sync, read, order, report, kind } = await aMembership()
    await goTo('2026-02-01T15:00:00Z')
    await pause()
    await goTo('2026-02-02T15:00:00Z')
    await resume()
    await goTo('2026-02-03T15:00:00Z')
    await sync({ status, revision: '9' })
    assert.equal((await read()).status, status)
    const orders = ['2026-02-01T00:00:00Z', '2026-02-02T00:00:00Z', '2026-02-03T00:00:00Z', '2026-02-04T00:00:00Z'].map(
      (when) => order(when)
    )
    await report(...orders)
    assert.deepEqual(
      (await Promise.all(orders.map(kind))).map((kind) => kind![0]),
      ['VIP', 'PAYG', 'VIP', 'PAYG']
    )
  })
}
