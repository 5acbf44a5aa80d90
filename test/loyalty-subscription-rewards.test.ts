// Rewards on renewals: from the cause to the contract on the platform, what the renewals cost, and back, with the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditStore } from '#audit'
import { issueGrants, revokeGrants } from '#contracts'
import { sql } from '#kit/postgres'
import { listSubscriptionRewards } from '#loyalty'
import { findCustomerId, lockMembers, parseCustomerId } from '#members'
import type { Connector, PlatformFailure } from '#platform'
import { listAlerts } from '#stores'
import { createContractGrantEngine } from '../src/contracts/grants/contract-grant-engine.ts'
import { adminOf } from './admin-calls.ts'
import { withCalls } from './connectors.ts'
import { testDatabase } from './database.ts'
import { aStoreWithEvents, type RecordedEvent } from './recorded-events.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { db } = service
const { call } = adminOf(service)

const LOST: PlatformFailure = { kind: 'unavailable', message: 'The answer was lost', outcomeUnknown: true }
const OFF20 = { reward_type: 'subscription_discount', discount_type: 'percentage', discount_amount: 20, cycles: 2 }

/** A shop with a product subscription, Coffee at 15.00 a month, and the membership VIP at 29.00. */
async function aShop() {
  const store = await aStoreWithEvents(service)
  const { storeId, at, settle, shop } = store
  const connector: Connector = await service.deps.connectorOf(storeId)
  const product = async (title: string) => {
    const created = await shop(
      `mutation($product: ProductCreateInput!) { productCreate(product: $product) { product { id } userErrors { message } } }`,
      { product: { title, handle: title.toLowerCase(), status: 'ACTIVE' } }
    )
    return created.product.id.split('/').at(-1) as string
  }
  await store.plan({ name: 'Coffee', type: 'product', price: '15.00', product_ids: [await product('Beans')] })
  const rewardsOf = async (customer: string) => {
    const memberId = await memberOf(customer)
    const filter = { memberId, status: null, beforeId: null, limit: 10 }
    return db.inStore(storeId, (ctx) => listSubscriptionRewards(ctx, filter))
  }
  const memberOf = (customer: string) =>
    db.inStore(storeId, async (ctx) => (await findCustomerId(ctx, parseCustomerId(customer, 'platform')))!)
  return {
    ...store,
    connector,
    product,
    memberOf,
    rewardsOf,
    person: async (email = 'ada@example.com') => (await store.customer(email)).id as string,
    /** A rule that gives a reward for each review. */
    rule: async (reward: object, provider = 'stars', name = 'Thanks'): Promise<number> => {
      const body = { type: 'reviews', name, rules: { provider, limit: null }, reward_rules: reward }
      return (await service.admin('POST', `${at}/loyalty/rules`, body)).id
    },
    async review(customer: string, event_id: string, provider = 'stars', deleted = false) {
      await service.admin('POST', `${at}/loyalty/events`, {
        ...{
          customer: `cust_${await memberOf(customer)}`,
          type: 'review',
          provider,
          event_id,
          ...(deleted && { deleted })
        }
      })
      await settle()
    },
    async join(customer: string, plan: string) {
      const { contract_id } = await service.admin('POST', `${at}/sandbox/joins`, { customer, plan })
      await settle()
      const { body } = await service.get(`/subscriptions?customer_id=${customer}`, store.key)
      for (const { id } of body.data as { id: string }[]) {
        const shown = (await call(store, 'GET', `/subscriptions/${id}`)).body
        if (shown.contract_id === contract_id) return { id, contractId: contract_id as string }
      }
      throw new Error(`No subscription has contract ${contract_id}`)
    },
    move: async (id: string, move: string) => {
      assert.equal((await call(store, 'POST', `/subscriptions/${id}/${move}`, {})).status, 200)
      await settle()
    },
    /** What is on a contract of grants: discounts by title, with their limit and uses; free lines by title. */
    async onContract(contractId: string): Promise<string[]> {
      const { discounts, lines } = await shop(
        `query($id: ID!) { subscriptionContract(id: $id) {
           discounts(first: 20) { nodes { ... on SubscriptionManualDiscount { title recurringCycleLimit usageCount } } }
           lines(first: 20) { nodes { title quantity currentPrice { amount } } } } }`,
        { id: `gid://platform/SubscriptionContract/${contractId}` }
      )
      const withoutKey = (title: string) => title.replace(/ref\. \w{12}/, 'ref. …')
      return [
        ...discounts.nodes.map((one: any) => `${withoutKey(one.title)} ${one.usageCount}/${one.recurringCycleLimit}`),
        ...lines.nodes.slice(1).map((one: any) => `${one.quantity} ${one.title} ${Number(one.currentPrice.amount)}`)
      ]
    },
    show: async (id: string) => (await call(store, 'GET', `/subscriptions/${id}`)).body,
    /** What the next renewal of a subscription was announced at, and what the platform charged for it. */
    async charged(id: string, to: string): Promise<[number, number]> {
      const recorded: RecordedEvent[] = await store.recorded(() => store.advance({ to }))
      const amounts = (type: string) =>
        recorded.filter((one) => one.type === type && one.data.subscription_id === id).map(({ data }) => data.amount)
      return [amounts('billing.pending').at(-1), amounts('billing.success').at(-1)]
    },
    async soundRules() {
      const { findings } = await auditStore(db, storeId)
      assert.deepEqual(findings, [])
    },
    /** The engine alone, with some calls of contracts replaced. */
    withApi: (calls: Partial<Connector['contracts']>) =>
      createContractGrantEngine({
        db,
        leaseOwner: 1,
        maxCallMs: 60_000,
        connectorOf: async () => withCalls(connector, { contracts: calls })
      }),
    /** As if the time had passed for which contracts rest, and calls could arrive. */
    wake: () =>
      db.inStore(storeId, (ctx) =>
        ctx.tx.run(sql`
        update granted_contracts set rests_until = null, settles_at = least(settles_at, statement_timestamp() - interval '1 second')
         where store_id = ${ctx.storeId}`)
      )
  }
}

type Shop = Awaited<ReturnType<typeof aShop>>

/** Counts an event, and leaves the engine of the service out of it. */
async function reviewWithout(shop: Shop, customer: string, event_id: string) {
  const memberId = await shop.memberOf(customer)
  await service.admin('POST', `${shop.at}/loyalty/events`, {
    ...{ customer: `cust_${memberId}`, type: 'review', provider: 'stars', event_id }
  })
}

async function runOut(engine: ReturnType<typeof createContractGrantEngine>, storeId: number) {
  while ((await engine.runOnce(storeId)) > 0);
}

const brief = (rewards: Awaited<ReturnType<Shop['rewardsOf']>>) =>
  rewards.map(({ status, endedBy, isOn, usedCycles, cycles }) => [status, endedBy, isOn, `${usedCycles}/${cycles}`])

test('a discount is on the next two renewals, the third costs the full price, and the agreed price is never another', async () => {
  const shop = await aShop()
  const ada = await shop.person()
  const coffee = await shop.join(ada, 'Coffee')
  await shop.rule(OFF20)
  const given = await shop.recorded(() => shop.review(ada, 'one'))
  assert.deepEqual(await shop.onContract(coffee.contractId), ['SVC: Thanks (ref. …) 0/2'])
  assert.deepEqual(brief(await shop.rewardsOf(ada)), [['active', null, true, '0/2']])
  assert.deepEqual(
    given.filter(({ type }) => type === 'subscription.updated'),
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
    (await shop.rewardsOf(ada)).map(({ usedCycles }) => usedCycles),
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
    given.filter(({ type }) => type.startsWith('subscription.')),
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
      (raw) => raw.lines as string,
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

test('a draft whose answer was lost gives no second discount; one that is revoked meanwhile is looked for until the call has ended', async () => {
  const shop = await aShop()
  const ada = await shop.person()
  const coffee = await shop.join(ada, 'Coffee')
  await shop.rule(OFF20)
  await reviewWithout(shop, ada, 'one')
  const { addGrant } = shop.connector.contracts
  let calls = 0
  const losing = shop.withApi({
    async addGrant(id, grant) {
      calls++
      assert.ok((await addGrant(id, grant)).ok)
      return { ok: false, failure: LOST }
    }
  })
  await runOut(losing, shop.storeId)
  assert.deepEqual([calls, await shop.onContract(coffee.contractId)], [1, ['SVC: Thanks (ref. …) 0/2']])
  await shop.wake()
  await runOut(losing, shop.storeId)
  assert.deepEqual([calls, await shop.onContract(coffee.contractId)], [1, ['SVC: Thanks (ref. …) 0/2']])
  assert.deepEqual(brief(await shop.rewardsOf(ada)), [['active', null, true, '0/2']])

  // The call of the second arrives when it was looked for, and not found.
  await reviewWithout(shop, ada, 'two')
  let arrive = async () => {}
  await runOut(
    shop.withApi({
      async addGrant(id, grant) {
        arrive = async () => assert.ok((await addGrant(id, grant)).ok)
        return { ok: false, failure: LOST }
      }
    }),
    shop.storeId
  )
  const [second] = await shop.rewardsOf(ada)
  assert.equal((await call(shop, 'POST', `/loyalty/subscription-rewards/${second!.id}/end`)).status, 200)
  await shop.settle()
  await arrive()
  assert.equal((await shop.onContract(coffee.contractId)).length, 2)
  await shop.wake()
  await shop.settle()
  assert.deepEqual(await shop.onContract(coffee.contractId), ['SVC: Thanks (ref. …) 0/2'])
  await shop.soundRules()
})

test('two rewards at once are both on the contract, whoever else changes it meanwhile', async () => {
  const shop = await aShop()
  const mug = await shop.product('Mug')
  const ada = await shop.person()
  const coffee = await shop.join(ada, 'Coffee')
  await shop.rule(OFF20)
  await shop.rule({ reward_type: 'subscription_free_product', product_id: mug }, 'stars', 'A mug')
  await shop.review(ada, 'one')
  assert.deepEqual(await shop.onContract(coffee.contractId), ['SVC: Thanks (ref. …) 0/2', '1 Mug 0'])
  // Two processes that add the same at once, as after a lost lease.
  const grant = { key: 'ABCDEFGH2345', label: 'Twice', gives: { kind: 'discount', percent: 5, orders: 1 } } as const
  const ended = await Promise.all([1, 2, 3].map(() => shop.connector.contracts.addGrant(coffee.contractId, grant)))
  assert.ok(ended.some((one) => one.ok))
  for (const one of ended) if (!one.ok) assert.equal(one.failure.code, 'stale_contract')
  assert.equal((await shop.onContract(coffee.contractId)).filter((one) => /Twice/.test(one)).length, 1)
  // Nobody here knows it: it is taken off within a day.
  await shop.advance({ by: 'PT25H' })
  assert.deepEqual(await shop.onContract(coffee.contractId), ['SVC: Thanks (ref. …) 0/2', '1 Mug 0'])
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

test('a product that the shop does not have is refused for good: an alert says so, and the list shows it', async () => {
  const shop = await aShop()
  const ada = await shop.person()
  const coffee = await shop.join(ada, 'Coffee')
  await shop.rule({ reward_type: 'subscription_free_product', product_id: '99999999' })
  await shop.rule(OFF20)
  await shop.review(ada, 'one')
  assert.deepEqual(await shop.onContract(coffee.contractId), ['SVC: Thanks (ref. …) 0/2'])
  const { data } = (await call(shop, 'GET', `/loyalty/subscription-rewards?customer=${ada}`)).body
  const [refused] = data.filter(({ type }: { type: string }) => type === 'free_product')
  assert.deepEqual(
    [refused.status, refused.ended_by, refused.problem],
    ['ended', 'refused', 'The shop has no product 99999999']
  )
  const { alerts } = await db.inStore(shop.storeId, (ctx) => listAlerts(ctx))
  assert.deepEqual(
    alerts.filter(({ kind }) => kind === 'contract_grant_refused').map(({ message }) => message),
    [`“Thanks” could not be given on ${coffee.id}: The shop has no product 99999999`]
  )
  assert.equal((await call(shop, 'POST', `/loyalty/subscription-rewards/${refused.id}/end`)).status, 409)
  assert.equal((await call(shop, 'POST', `/loyalty/subscription-rewards/999999/end`)).status, 404)
})

test('one that somebody takes off on the platform is not given again', async () => {
  const shop = await aShop()
  const ada = await shop.person()
  const coffee = await shop.join(ada, 'Coffee')
  await shop.rule(OFF20)
  await shop.review(ada, 'one')
  const found = await shop.connector.contracts.findGrants(coffee.contractId)
  assert.ok(found.ok && found.value)
  await shop.connector.contracts.removeGrants(
    coffee.contractId,
    found.value.grants.map(({ key }) => key)
  )
  await shop.advance({ by: 'PT25H' })
  assert.deepEqual(await shop.onContract(coffee.contractId), [])
  assert.deepEqual(brief(await shop.rewardsOf(ada)), [['ended', 'removed', false, '0/2']])
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
  const [vip] = (await shop.plans()).filter(({ name }) => name === 'VIP')
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

test('a grant of one contract without an end is taken off by hand, and is over with its contract', async () => {
  const shop = await aShop()
  const ada = await shop.person()
  const coffee = await shop.join(ada, 'Coffee')
  const memberId = await shop.memberOf(ada)
  const give = (operationId: string) =>
    db.inStore(shop.storeId, async (ctx) => {
      await lockMembers(ctx, [memberId])
      const subscriptionId = Number(coffee.id.slice(4))
      const terms = { kind: 'discount', percent: 10, cycles: null } as const
      const given = await issueGrants(ctx, [
        { memberId, subscriptionId, label: 'Stay', terms, isTransferable: false, operationId }
      ])
      return given.get(operationId)!
    })
  const first = await give('one')
  await shop.settle()
  assert.deepEqual(await shop.onContract(coffee.contractId), ['SVC: Stay (ref. …) 0/null'])
  assert.deepEqual(await shop.charged(coffee.id, '2026-03-01T00:00:00Z'), [13.5, 13.5])
  await db.inStore(shop.storeId, async (ctx) => {
    await lockMembers(ctx, [memberId])
    await revokeGrants(ctx, [first])
  })
  await shop.settle()
  assert.deepEqual(await shop.onContract(coffee.contractId), [])
  const second = await give('two')
  await shop.settle()
  await shop.move(coffee.id, 'cancel')
  await shop.advance({ by: 'P3D' })
  await shop.join(ada, 'VIP')
  const rows = await db.inStore(shop.storeId, (ctx) =>
    ctx.tx.many(
      (raw) => [raw.id, raw.ended_by, raw.is_on, raw.used_cycles].map(String),
      sql`select id, ended_by, is_on, used_cycles from contract_grants where store_id = ${ctx.storeId} order by id`
    )
  )
  assert.deepEqual(rows, [
    [String(first), 'revoked', 'false', '1'],
    [String(second), 'over', 'false', '0']
  ])
})
