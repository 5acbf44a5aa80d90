import assert from 'node:assert/strict'
import { auditStore } from '#audit'
import { sql } from '#kit/postgres'
import { listSubscriptionRewards, type SubscriptionReward } from '#loyalty'
import { findCustomerId, parseCustomerId } from '#members'
import type { Connector } from '#platform'
import { createContractGrantEngine } from '../src/contracts/grants/contract-grant-engine.ts'
import { adminOf } from './admin-calls.ts'
import { withCalls } from './connectors.ts'
import { aProduct } from './loyalty-shop.ts'
import { aStoreWithEvents, type RecordedEvent } from './recorded-events.ts'
import type { startService } from './service-builder.ts'

type Service = Awaited<ReturnType<typeof startService>>

export const OFF20 = {
  ...{ reward_type: 'subscription_discount', discount_type: 'percentage', discount_amount: 20, cycles: 2 }
}

/** A shop with a product subscription, Coffee at 15.00 a month, and the membership VIP at 29.00. */
export async function aRewardShop(service: Service) {
  const { db } = service
  const { call } = adminOf(service)
  const store = await aStoreWithEvents(service)
  const { storeId, at, settle, shop } = store
  const connector: Connector = await service.deps.connectorOf(storeId)
  const product = (title: string) => aProduct(store, title)
  await store.plan({ name: 'Coffee', type: 'product', price: '15.00', product_ids: [await product('Beans')] })
  const rewardsOf = async (customer: string): Promise<SubscriptionReward[]> => {
    const memberId = await memberOf(customer)
    const filter = { memberId, status: null, beforeId: null, limit: 10 }
    return db.inStore(storeId, (ctx) => listSubscriptionRewards(ctx, filter))
  }
  const memberOf = (customer: string): Promise<number> =>
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
    /** As if the time had passed for which contracts rest; calls can arrive yet. */
    endRests: () =>
      db.inStore(storeId, (ctx) =>
        ctx.tx.run(sql`update granted_contracts set rests_until = null where store_id = ${ctx.storeId}`)
      ),
    /** As if the time had passed for which contracts rest, and calls could arrive. */
    wake: () =>
      db.inStore(storeId, (ctx) =>
        ctx.tx.run(sql`
        update granted_contracts set rests_until = null, settles_at = least(settles_at, statement_timestamp() - interval '1 second')
         where store_id = ${ctx.storeId}`)
      )
  }
}

/** Status, why it ended, whether the contract has it, and how many renewals had it. */
export const brief = (rewards: SubscriptionReward[]) =>
  rewards.map(({ status, endedBy, isOn, usedCycles, cycles }) => [status, endedBy, isOn, `${usedCycles}/${cycles}`])
