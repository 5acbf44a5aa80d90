// What a contract, its customer and its store have to be for an offer, and what the platform gets of it, over the Churn API.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Ctx, int, row, sql } from '#kit/postgres'
import { findSubscriptionByContract } from '#subscriptions'
import { beginActivation } from '../src/churn/activation/begin-activation.ts'
import { adminOf } from './admin-calls.ts'
import { aChurnShop, EVERY_TWO_MONTHS, QUARTER_OFF, TEN_CREDIT } from './churn-shop.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { until } from './until.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { db } = service
const { call } = adminOf(service)

async function aShop() {
  const shop = await aChurnShop(service)
  const ada = await shop.person()
  /** The answer to an acceptance by the customer. */
  const told = async (contractId: string, offer: number, as = ada) => {
    const { status, body } = await shop.accept(contractId, offer, { as })
    return status === 200 ? 200 : [status, body.message]
  }
  /** Of the discounts on a contract, what the platform says of them. */
  const discounts = async (contractId: string) => {
    const found = await shop.shop(
      `query($id: ID!) { subscriptionContract(id: $id) { discounts(first: 5) { nodes { ... on SubscriptionManualDiscount {
         targetType value { ... on SubscriptionDiscountFixedAmountValue { amount { amount } appliesOnEachItem }
                            ... on SubscriptionDiscountPercentageValue { percentage } } } } } } }`,
      { id: `gid://platform/SubscriptionContract/${contractId}` }
    )
    return found.discounts.nodes
  }
  return { ...shop, ada, told, discounts }
}

test('while a payment is under way nothing is accepted, and after a decline no other frequency', async () => {
  const shop = await aShop()
  const vip = await shop.join(shop.ada, 'VIP')
  const [quarter, credit, rarely] = [
    await shop.offer(QUARTER_OFF),
    await shop.offer(TEN_CREDIT),
    await shop.offer(EVERY_TWO_MONTHS)
  ]
  await shop.card(shop.ada, '3ds')
  await shop.advance({ to: '2026-03-01T00:00:00Z' })
  for (const offer of [quarter, credit, rarely]) {
    assert.deepEqual(await shop.told(vip.contractId, offer), [
      403,
      'A payment of this contract is under way: an offer can be applied when that is done'
    ])
  }
  const { data } = (await service.get(`/billing-attempts?subscription_id=${vip.id}`, shop.key)).body
  const challenge = data[0].action_required.url.split('/').at(-1)
  await service.sandbox.controls.settleChallenge({ storeId: shop.storeId, challenge, decision: 'refused' })
  await shop.settle()
  assert.deepEqual(await shop.told(vip.contractId, rarely), [
    403,
    'This offer does not fit this contract: a payment of the contract is open, until which its frequency stays'
  ])
  assert.equal(await shop.told(vip.contractId, quarter), 200)
})

test('while another change waits for the platform no other frequency is accepted', async () => {
  const shop = await aShop()
  const vip = await shop.join(shop.ada, 'VIP')
  const [rarely, quarter] = [await shop.offer(EVERY_TWO_MONTHS), await shop.offer(QUARTER_OFF)]
  assert.equal((await service.patch(`/subscriptions/${vip.id}`, shop.key, { interval_count: 3 })).status, 200)
  assert.deepEqual(await shop.told(vip.contractId, rarely), [
    403,
    'This offer does not fit this contract: another change of the contract is under way'
  ])
  assert.equal(await shop.told(vip.contractId, quarter), 200)
  await shop.settle()
  assert.equal((await shop.show(vip.id)).interval_count, 3)
})

test('where no payment of a fixed number is left, no discount is accepted', async () => {
  const shop = await aShop()
  const { data: plans } = await service.admin('GET', `${shop.at}/plans`)
  const { body } = await call(shop, 'POST', '/subscriptions', {
    ...{ customer: shop.ada, plan_id: plans.find(({ name }: { name: string }) => name === 'VIP').id },
    ...{ next_billing_date: '2026-02-10', max_cycles: 2 }
  })
  await shop.settle()
  const { contract_id } = await shop.show(body.id)
  const [quarter, half] = [
    await shop.offer({ ...QUARTER_OFF, rules: { ...QUARTER_OFF.rules, recurring_cycle_limit: 1 } }),
    await shop.offer({ type: 'discount_price', rules: { discount_type: 'percentage', discount_value: 50 } })
  ]
  await shop.advance({ to: '2026-02-20T00:00:00Z' })
  assert.equal(await shop.told(contract_id, quarter), 200, 'one is left')
  await shop.advance({ to: '2026-03-11T00:00:00Z' })
  const { status } = await shop.show(body.id)
  assert.equal(status, 'active')
  assert.deepEqual(await shop.told(contract_id, half), [
    403,
    'This offer does not fit this contract: no payment of the contract is left'
  ])
})

for (const isOfEachItem of [true, false]) {
  test(`an amount is off ${isOfEachItem ? 'each piece' : 'the lines, once'}, on the platform too`, async () => {
    const shop = await aShop()
    const coffee = await shop.join(shop.ada, 'Coffee')
    const rules = { discount_type: 'fixed_amount', discount_value: 2 }
    assert.equal(
      await shop.told(coffee.contractId, await shop.offer({ type: 'discount_price', rules, isOfEachItem })),
      200
    )
    assert.deepEqual(await shop.discounts(coffee.contractId), [
      { targetType: 'LINE_ITEM', value: { amount: { amount: '2.0' }, appliesOnEachItem: isOfEachItem } }
    ])
  })
}

test('a delivery that is made free is a discount of the delivery on the platform, and not of the lines', async () => {
  const shop = await aShop()
  const coffee = await shop.join(shop.ada, 'Coffee')
  const id = `gid://platform/SubscriptionContract/${coffee.contractId}`
  const { draft } = await shop.shop(
    'mutation ($id: ID!) { subscriptionContractUpdate(contractId: $id) { draft { id } userErrors { message } } }',
    { id }
  )
  await shop.shop(
    'mutation ($d: ID!) { subscriptionDraftUpdate(draftId: $d, input: { deliveryPrice: "4.00" }) { userErrors { message } } }',
    { d: draft.id }
  )
  await shop.shop('mutation ($d: ID!) { subscriptionDraftCommit(draftId: $d) { userErrors { message } } }', {
    d: draft.id
  })
  await shop.settle()
  const rules = { discount_type: 'percentage', discount_value: 100 }
  const offer = await shop.offer({ type: 'discount_price', rules, target: 'SHIPPING_LINE' })
  assert.equal(await shop.told(coffee.contractId, offer), 200)
  const [only, ...others] = await shop.discounts(coffee.contractId)
  assert.deepEqual([only.targetType, others], ['SHIPPING_LINE', []])
  await shop.settle()
  assert.deepEqual(await shop.charged(coffee.id, '2026-03-01T00:00:00Z'), [15, 15])
})

test('the days since the last offer are those of the customer, on any of their contracts', async () => {
  const shop = await aShop()
  const bob = await shop.person('bob@example.com')
  const [vip, coffee, ofBob] = [
    await shop.join(shop.ada, 'VIP'),
    await shop.join(shop.ada, 'Coffee'),
    await shop.join(bob, 'Coffee')
  ]
  const [credit, seldom] = [await shop.offer(TEN_CREDIT), await shop.offer({ ...TEN_CREDIT, minDaysSinceOffer: 30 })]
  assert.equal(await shop.told(vip.contractId, credit), 200)
  assert.deepEqual(await shop.told(coffee.contractId, seldom), [403, 'This offer is not for this contract at present'])
  assert.equal(await shop.told(ofBob.contractId, seldom, bob), 200)
  await shop.advance({ by: 'P30D' })
  assert.equal(await shop.told(coffee.contractId, seldom), 200)
})

test('of two acceptances at once on two contracts of a customer the later sees the earlier', async () => {
  const shop = await aShop()
  const offerId = await shop.offer({ ...TEN_CREDIT, minDaysSinceOffer: 30 })
  const idOf = async (plan: string) => {
    const { contractId } = await shop.join(shop.ada, plan)
    return db.inStore(shop.storeId, async (ctx) => (await findSubscriptionByContract(ctx, contractId))!.id)
  }
  const [vip, coffee] = [await idOf('VIP'), await idOf('Coffee')]
  const accept = (ctx: Ctx, subscriptionId: number) =>
    beginActivation(ctx, { subscriptionId, offerId, reason: null, isShopper: true, by: 'customer' })
  const [isBegun, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const first = db.inStore(shop.storeId, async (ctx) => {
    await accept(ctx, vip)
    isBegun.resolve()
    await mayEnd.promise
  })
  await isBegun.promise
  const second = db
    .inStore(shop.storeId, (ctx) => accept(ctx, coffee))
    .then(
      () => 'accepted',
      (err) => err.message
    )
  await until('the second waits for the first', async () => {
    const { waiting } = await db.direct.one(
      row({ waiting: int }),
      sql`
      select count(*)::int as waiting from pg_locks l join pg_stat_activity a using (pid)
       where a.datname = current_database() and not l.granted`
    )
    return waiting > 0
  })
  mayEnd.resolve()
  await first
  assert.equal(await second, 'This offer is not for this contract at present')
})
