// Rewards on renewals: from the cause to the contract on the platform, what the renewals cost, and back, with the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { row, sql, text } from '#kit/postgres'
import type { SubscriptionReward } from '#loyalty'
import { adminOf } from './admin-calls.ts'
import { testDatabase } from './database.ts'
import type { RecordedEvent } from './recorded-events.ts'
import { aRewardShop, brief, OFF20 } from './reward-shop.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { db } = service
const aShop = () => aRewardShop(service)
const { call } = adminOf(service)

test('a discount is on the next two renewals, the third costs the full price, and the agreed price is never another', async () => {
  const shop = await aShop()
  const ada = await shop.person()
  const coffee = await shop.join(ada, 'Coffee')
  await shop.rule(OFF20)
  const given = await shop.recorded(() => shop.review(ada, 'one'))
  assert.deepEqual(await shop.onContract(coffee.contractId), ['SVC: Thanks (ref. …) 0/2'])
  assert.deepEqual(brief(await shop.rewardsOf(ada)), [['active', null, true, '0/2']])
  assert.deepEqual(
    given.filter(({ type }: RecordedEvent) => type === 'subscription.updated'),
    []
  )
  const shown = await shop.show(coffee.id)
  assert.deepEqual([shown.price, shown.member_discount, shown.granted_discount], [15, 0, 3])

  assert.deepEqual(await shop.charged(coffee.id, '2026-03-01T00:00:00Z'), [12, 12])
  assert.deepEqual(brief(await shop.rewardsOf(ada)), [['active', null, true, '1/2']])
  assert.deepEqual(await shop.charged(coffee.id, '2026-04-01T00:00:00Z'), [12, 12])
  assert.deepEqual(brief(await shop.rewardsOf(ada)), [['ended', 'used', false, '2/2']])
  assert.deepEqual(await shop.onContract(coffee.contractId), [])
  const after = await shop.show(coffee.id)
  assert.deepEqual([after.price, after.granted_discount], [15, 0])
  assert.deepEqual(await shop.charged(coffee.id, '2026-05-01T00:00:00Z'), [15, 15])
  await shop.soundBooks()
  await shop.soundRules()
})

test('an amount is taken off a membership where there is no product subscription, and a product subscription comes first', async () => {
  const shop = await aShop()
  const ada = await shop.person()
  const vip = await shop.join(ada, 'VIP')
  await shop.rule({ ...OFF20, discount_type: 'fixed_amount', discount_amount: 4.5, cycles: 1 })
  await shop.review(ada, 'one')
  assert.deepEqual(await shop.onContract(vip.contractId), ['SVC: Thanks (ref. …) 0/1'])
  const coffee = await shop.join(ada, 'Coffee')
  await shop.review(ada, 'two')
  assert.deepEqual(await shop.onContract(coffee.contractId), ['SVC: Thanks (ref. …) 0/1'])
  assert.deepEqual(await shop.charged(vip.id, '2026-03-01T00:00:00Z'), [24.5, 24.5])
  assert.deepEqual(
    (await shop.rewardsOf(ada)).map(({ usedCycles }: SubscriptionReward) => usedCycles),
    [1, 1]
  )
})

test('a product comes with two renewals, costs nothing, and changes neither the price nor what is sold', async () => {
  const shop = await aShop()
  const mug = await shop.product('Mug')
  const ada = await shop.person()
  const coffee = await shop.join(ada, 'Coffee')
  await shop.rule({ reward_type: 'subscription_free_product', product_id: mug, cycles: 2 })
  const given = await shop.recorded(() => shop.review(ada, 'one'))
  assert.deepEqual(await shop.onContract(coffee.contractId), ['1 Mug 0'])
  assert.deepEqual(
    given.filter(({ type }: RecordedEvent) => type.startsWith('subscription.')),
    []
  )
  const shown = await shop.show(coffee.id)
  assert.deepEqual([shown.price, shown.plan_name, shown.granted_discount], [15, 'Coffee', 0])
  assert.deepEqual(await shop.charged(coffee.id, '2026-03-01T00:00:00Z'), [15, 15])
  assert.deepEqual(brief(await shop.rewardsOf(ada)), [['active', null, true, '1/2']])
  assert.deepEqual(await shop.charged(coffee.id, '2026-04-01T00:00:00Z'), [15, 15])
  assert.deepEqual(brief(await shop.rewardsOf(ada)), [['ended', 'used', false, '2/2']])
  assert.deepEqual(await shop.onContract(coffee.contractId), [])
  await shop.charged(coffee.id, '2026-05-01T00:00:00Z')
  const mugs = await db.inStore(shop.storeId, (ctx) =>
    ctx.tx.many(
      row({ lines: text }),
      sql`select lines::text as lines from orders where store_id = ${ctx.storeId} and lines::text like '%"Mug"%'`
    )
  )
  assert.equal(mugs.length, 2)
  await shop.soundRules()
})

test('what is no longer earned is taken off the contract, also when a part of it was used', async () => {
  const shop = await aShop()
  const ada = await shop.person()
  const coffee = await shop.join(ada, 'Coffee')
  await shop.rule(OFF20)
  await shop.review(ada, 'one')
  await shop.review(ada, 'one', 'stars', true)
  assert.deepEqual(await shop.onContract(coffee.contractId), [])
  assert.deepEqual(brief(await shop.rewardsOf(ada)), [['ended', 'revoked', false, '0/2']])
  await shop.review(ada, 'two')
  assert.deepEqual(await shop.charged(coffee.id, '2026-03-01T00:00:00Z'), [12, 12])
  await shop.review(ada, 'two', 'stars', true)
  assert.deepEqual(await shop.onContract(coffee.contractId), [])
  assert.deepEqual(brief(await shop.rewardsOf(ada))[0], ['ended', 'revoked', false, '1/2'])
  assert.deepEqual(await shop.charged(coffee.id, '2026-04-01T00:00:00Z'), [15, 15])
  await shop.soundRules()
})

test('without a contract it waits for the first one; what is left when a contract ends goes to another', async () => {
  const shop = await aShop()
  const ada = await shop.person()
  await shop.rule({ ...OFF20, cycles: 3 })
  await shop.review(ada, 'one')
  assert.deepEqual(brief(await shop.rewardsOf(ada)), [['pending', null, false, '0/3']])
  const coffee = await shop.join(ada, 'Coffee')
  assert.deepEqual(await shop.onContract(coffee.contractId), ['SVC: Thanks (ref. …) 0/3'])
  assert.deepEqual(await shop.charged(coffee.id, '2026-03-01T00:00:00Z'), [12, 12])
  await shop.move(coffee.id, 'cancel')
  // Until then the cancellation can be taken back.
  await shop.advance({ by: 'P3D' })
  const [waiting] = await shop.rewardsOf(ada)
  assert.deepEqual([waiting!.status, waiting!.subscriptionId, waiting!.usedCycles], ['pending', null, 1])
  const vip = await shop.join(ada, 'VIP')
  assert.deepEqual(await shop.onContract(vip.contractId), ['SVC: Thanks (ref. …) 0/2'])
  const next = await shop.charged(vip.id, '2026-04-15T00:00:00Z')
  assert.deepEqual(next, [23.2, 23.2])
  assert.deepEqual(brief(await shop.rewardsOf(ada)), [['active', null, true, '2/3']])
  assert.deepEqual(await shop.charged(vip.id, '2026-05-15T00:00:00Z'), [23.2, 23.2])
  assert.deepEqual(brief(await shop.rewardsOf(ada)), [['ended', 'used', false, '3/3']])
  assert.deepEqual(await shop.onContract(vip.contractId), [])
  await shop.soundRules()
})

test('a contract that has failed loses it, and another contract of the customer gets it', async () => {
  const shop = await aShop()
  const ada = await shop.person()
  const coffee = await shop.join(ada, 'Coffee')
  const vip = await shop.join(ada, 'VIP')
  await shop.rule(OFF20)
  await shop.review(ada, 'one')
  assert.deepEqual(await shop.onContract(coffee.contractId), ['SVC: Thanks (ref. …) 0/2'])
  await shop.contract(coffee.contractId).move('Fail')
  await shop.settle()
  assert.deepEqual(await shop.onContract(coffee.contractId), [])
  assert.deepEqual(await shop.onContract(vip.contractId), ['SVC: Thanks (ref. …) 0/2'])
  assert.deepEqual(brief(await shop.rewardsOf(ada)), [['active', null, true, '0/2']])
  await shop.soundRules()
})

test('a paused contract keeps it, and one that is paused is not chosen', async () => {
  const shop = await aShop()
  const ada = await shop.person()
  const coffee = await shop.join(ada, 'Coffee')
  await shop.rule(OFF20)
  await shop.review(ada, 'one')
  await shop.move(coffee.id, 'pause')
  assert.deepEqual(await shop.onContract(coffee.contractId), ['SVC: Thanks (ref. …) 0/2'])
  await shop.review(ada, 'two')
  assert.deepEqual(brief(await shop.rewardsOf(ada))[0], ['pending', null, false, '0/2'])
  await shop.move(coffee.id, 'resume')
  assert.equal((await shop.onContract(coffee.contractId)).length, 2)
})

test('a price that is requested, and a version of the plan, are the price without it', async () => {
  const shop = await aShop()
  const ada = await shop.person()
  const coffee = await shop.join(ada, 'Coffee')
  await shop.rule(OFF20)
  await shop.review(ada, 'one')
  assert.equal((await service.patch(`/subscriptions/${coffee.id}`, shop.key, { price: 20 })).status, 200)
  await shop.settle()
  const shown = await shop.show(coffee.id)
  assert.deepEqual([shown.price, shown.granted_discount], [20, 4])
  assert.deepEqual(await shop.charged(coffee.id, '2026-03-01T00:00:00Z'), [16, 16])
  await shop.charged(coffee.id, '2026-04-01T00:00:00Z')
  assert.deepEqual(await shop.charged(coffee.id, '2026-05-01T00:00:00Z'), [20, 20])
})

test('it is taken off besides the discount of members, and a free product gets none of it', async () => {
  const shop = await aShop()
  const mug = await shop.product('Mug')
  const [vip] = (await shop.plans()).filter(({ name }: { name: string }) => name === 'VIP')
  const perks = { discount: { value: 20, type: 'percentage', price_base: 'sale', stack_with_subscriptions: true } }
  assert.equal((await call(shop, 'PATCH', `/plans/plan_${vip!.id}`, { perks })).status, 200)
  const ada = await shop.person()
  const coffee = await shop.join(ada, 'Coffee')
  await shop.rule({ ...OFF20, discount_amount: 50, cycles: 1 })
  await shop.rule({ reward_type: 'subscription_free_product', product_id: mug }, 'stars', 'A mug')
  await shop.review(ada, 'one')
  await shop.join(ada, 'VIP')
  // 15.00 less 50% is 7.50, less 20% of that is 6.00.
  const shown = await shop.show(coffee.id)
  assert.deepEqual([shown.price, shown.member_discount, shown.granted_discount], [15, 1.5, 7.5])
  assert.deepEqual(await shop.charged(coffee.id, '2026-03-01T00:00:00Z'), [6, 6])
  assert.deepEqual(await shop.charged(coffee.id, '2026-04-01T00:00:00Z'), [12, 12])
  await shop.soundRules()
})

test('of two customers who are merged, what waits is given on the contract of the other', async () => {
  const shop = await aShop()
  const [ada, bo] = [await shop.person(), await shop.person('bo@example.com')]
  const coffee = await shop.join(ada, 'Coffee')
  await shop.rule(OFF20)
  await shop.review(bo, 'one')
  assert.deepEqual(await shop.onContract(coffee.contractId), [])
  await service.sandbox.controls.mergeCustomers({ storeId: shop.storeId, customerId: bo, intoId: ada })
  await shop.settle()
  assert.deepEqual(await shop.onContract(coffee.contractId), ['SVC: Thanks (ref. …) 0/2'])
  assert.deepEqual(brief(await shop.rewardsOf(ada)), [['active', null, true, '0/2']])
})

test('doctor finds a reward that goes on though it is not earned, was used too often, or is on a contract that nobody looks at', async () => {
  const shop = await aShop()
  const ada = await shop.person()
  const coffee = await shop.join(ada, 'Coffee')
  const ruleId = await shop.rule(OFF20)
  await shop.review(ada, 'one')
  await shop.soundRules()
  const [{ id }] = (await shop.rewardsOf(ada)) as [SubscriptionReward]
  const member = `mem_${await shop.memberOf(ada)}`
  const found = async (check: string, statement: ReturnType<typeof sql>) => {
    await db.inStore(shop.storeId, ({ tx }) => tx.run(statement))
    const { findings } = await service.admin('POST', '/doctor', { store: shop.id })
    return findings
      .filter((one: Record<string, string>) => one.check === check)
      .map(({ subject, message }: Record<string, string>) => [subject, message])
  }
  const { storeId } = shop
  const used = (cycles: number) =>
    sql`update contract_grants set used_cycles = ${cycles} where store_id = ${storeId} and id = ${id}`
  assert.deepEqual(await found('contract_grants_followed', used(3)), [
    [member, `has reward ${id} on ${coffee.id}, which 3 renewals have used instead of 2`]
  ])
  assert.deepEqual(await found('contract_grants_followed', used(2)), [])
  const forgotten = sql`delete from granted_contracts where store_id = ${storeId}`
  assert.deepEqual(await found('contract_grants_followed', forgotten), [
    [member, `has reward ${id} on ${coffee.id}, which nobody looks at`]
  ])
  const undone = sql`update loyalty_awards set reversed_at = statement_timestamp() where store_id = ${storeId}`
  const [[subject, message], ...others] = await found('loyalty_subscription_rewards_given', undone)
  assert.deepEqual([subject, others], [member, []])
  assert.match(message, new RegExp(`^has award \\d+ of rule ${ruleId}, which was taken back; its reward is active$`))
})
