// What a member's subscriptions come to, taken together: of several, and of several that change at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Ctx, instant, int, nullable, row, sql, text } from '#kit/postgres'
import type { PlatformContract, PlatformContractLine } from '#platform'
import { atOnce } from '../../../test/at-once.ts'
import { aContract, anOrder } from '../../../test/contract-builder.ts'
import { testDatabase } from '../../../test/database.ts'
import { aPlan } from '../../../test/plan-builder.ts'
import { aStore } from '../../../test/store-builder.ts'
import { upsertFromContracts } from '../../contracts/upsert-from-contracts.ts'
import { cancelSubscription } from '../../lifecycle/cancel-subscription.ts'
import { pauseSubscription } from '../../lifecycle/pause-subscription.ts'
import { lockSubscriptionsOfContracts } from '../lock-subscriptions.ts'
import { findSubscriptionByContract } from '../queries.ts'
import { deriveMembershipStatuses } from './derive-membership-status.ts'

const { db } = await testDatabase()
const START = Temporal.Instant.from('2026-01-31T15:00:00Z')
const CANCELLED = { reason: 'other', comment: null, by: 'api' } as const

/** One member with two subscriptions, the first for VIP. */
async function twoOfOne(second: Partial<PlatformContractLine> = {}) {
  const store = await aStore(db, { clockAt: START })
  const { inStore } = store
  const [vip, elite] = [await aPlan(store, { name: 'VIP' }), await aPlan(store, { name: 'Elite' })]
  const first = aContract(START)
  const line = { ...first.lines[0]!, ...vip }
  const a = { ...first, lines: [line] }
  const b = aContract(START, { customer: a.customer, lines: [{ ...line, ...second }] })
  const sync = (ctx: Ctx, ...contracts: PlatformContract[]) =>
    upsertFromContracts(
      ctx,
      contracts,
      contracts.map((c) => anOrder(START, { id: c.originOrder!.id }))
    )
  await inStore((ctx) => sync(ctx, a, b))
  const idOf = async ({ id }: PlatformContract) => (await inStore((ctx) => findSubscriptionByContract(ctx, id)))!.id
  return {
    inStore,
    sync,
    a,
    ids: [await idOf(a), await idOf(b)] as const,
    eliteLine: { ...line, ...elite },
    /** Does the second while the first is done and not committed. */
    async atOnce(doFirst: (ctx: Ctx) => Promise<unknown>, doSecond: (ctx: Ctx) => Promise<unknown>) {
      const outcome = await atOnce(store, doFirst, doSecond)
      if (outcome.status === 'rejected') throw outcome.reason
    },
    member: () =>
      inStore(({ tx, storeId }) =>
        tx.one(
          row({ status: text, planName: nullable(text), tier: nullable(text) }),
          sql`select status, plan_name, tier from member_resources where store_id = ${storeId}`
        )
      ),
    /** The events after the first ones: each type, and the tiers where they changed. */
    recorded: () =>
      inStore(async ({ tx, storeId }) => {
        const events = await tx.many(
          row({ type: text, tier: nullable(text) }),
          sql`select name as type, data->'tier'->>'previous' || ' to ' || coalesce(data->'tier'->>'new', 'none') as tier
                from facts where store_id = ${storeId} and name not like 'order.%' and name <> 'customer.created'
             order by id offset 5`
        )
        return events.map(({ type, tier }) => (tier === null ? type : `${type}: ${tier}`))
      })
  }
}

test('of two cancellations of one member at once, the later ends the membership', async () => {
  const { ids, atOnce, member, recorded } = await twoOfOne()
  await atOnce(
    (ctx) => cancelSubscription(ctx, ids[0], CANCELLED),
    (ctx) => cancelSubscription(ctx, ids[1], CANCELLED)
  )
  assert.deepEqual(await member(), { status: 'cancelled', planName: 'VIP', tier: null })
  assert.deepEqual(await recorded(), [
    'subscription.cancelled',
    'subscription.cancelled',
    'member.tier_changed: VIP to none'
  ])
})

test('a plan that changes on the platform while the other subscription is paused is not taken back', async () => {
  const { a, sync, ids, atOnce, member, recorded, eliteLine } = await twoOfOne()
  await atOnce(
    (ctx) => sync(ctx, { ...a, revision: '2', lines: [eliteLine] }),
    (ctx) => pauseSubscription(ctx, ids[1], null, 'api')
  )
  assert.deepEqual(await member(), { status: 'active', planName: 'Elite', tier: 'Elite' })
  assert.deepEqual(await recorded(), [
    'subscription.updated',
    'member.tier_changed: VIP to Elite',
    'subscription.paused'
  ])
})

test('a paused membership keeps its tier beside a contract of no plan, and loses it at its end', async () => {
  const { a, ids, sync, inStore, member, recorded } = await twoOfOne({ sellingPlanId: null, title: 'Coffee' })
  await inStore((ctx) => sync(ctx, { ...a, status: 'paused', revision: '2' }))
  assert.deepEqual(await member(), { status: 'active', planName: 'VIP', tier: 'VIP' })
  assert.deepEqual(await recorded(), ['subscription.paused'])
  await inStore((ctx) => cancelSubscription(ctx, ids[0], CANCELLED))
  assert.deepEqual(await member(), { status: 'active', planName: null, tier: null })
  assert.deepEqual(await recorded(), [
    'subscription.paused',
    'subscription.cancelled',
    'member.tier_changed: VIP to none'
  ])
})

test('the plan is that of the best subscription, the dates are the earliest of all, and others of the store count for nothing', async () => {
  const store = await aStore(db, { clockAt: START })
  const { inStore, storeId } = store
  for (const name of ['A', 'B', 'C', 'Coffee']) await aPlan(store, { name })
  await inStore(({ tx }) =>
    tx.run(sql`update plans set type = 'product', tier_name = null, platform_product_id = null, platform_variant_id = null, product_ids = '{1}'
                where store_id = ${storeId} and name = 'Coffee'`)
  )
  const customer = aContract(START).customer
  const contracts = [1, 2, 3, 4].map(() => aContract(START, { customer, originOrder: null }))
  const [other] = [aContract(START.subtract({ hours: 999 }), { originOrder: null })]
  await inStore((ctx) => upsertFromContracts(ctx, [...contracts, other!], []))
  const found = await inStore((ctx) =>
    lockSubscriptionsOfContracts(
      ctx,
      contracts.map(({ id }) => id)
    )
  )
  const { memberId } = found[0]!
  const hours = (n: number) => START.add({ hours: n })
  type Held = { status: string; plan: string | null; since?: number; next?: number; ended?: number; gift?: boolean }
  const derived = async (...held: Held[]) => {
    for (const [i, { id }] of found.entries()) {
      const { status, plan, since = 0, next = 0, ended = 0 } = held[i] ?? { status: 'cancelled', plan: null, ended: -9 }
      const isOver = status === 'cancelled'
      await inStore(({ tx }) =>
        tx.run(sql`
          update subscriptions
             set status = ${status}, created_at = ${hours(since)}, plan_version = null,
                 plan_id = (select p.id from plans p where p.store_id = ${storeId} and p.name = ${plan}::text),
                 next_billing_at = ${status === 'active' ? hours(next) : null}, billing_due_at = ${status === 'active' ? hours(next) : null},
                 paused_at = ${status === 'paused' ? START : null}, cancelled_at = ${isOver ? hours(ended) : null},
                 cancel_reason = ${isOver ? 'other' : null}, receiver_member_id = null, gifted_at = null
           where store_id = ${storeId} and id = ${id}`)
      )
    }
    await inStore((ctx) => deriveMembershipStatuses(ctx, [memberId]))
    return inStore(({ tx }) =>
      tx.one(
        row({ status: text, plan: nullable(text), since: nullable(instant), next: nullable(instant) }),
        sql`select m.status, p.name as plan, m.member_since as since, m.next_billing_at as next
              from members m left join plans p on p.store_id = ${storeId} and p.id = m.plan_id
             where m.store_id = ${storeId} and m.id = ${memberId}`
      )
    )
  }
  const active = (plan: string | null, over: Partial<Held> = {}) => ({ status: 'active', plan, ...over })
  const paused = (plan: string | null) => ({ status: 'paused', plan })
  const over = (plan: string | null, ended: number) => ({ status: 'cancelled', plan, ended })
  for (const [held, status, plan] of [
    [[active('B'), active('A')], 'active', 'B'],
    [[active(null), active('A')], 'active', 'A'],
    [[active('Coffee'), active('A')], 'active', 'A'],
    [[active('Coffee'), paused('A')], 'active', 'A'],
    [[paused('B'), active('A')], 'active', 'A'],
    [[active(null), paused('A')], 'active', 'A'],
    [[over('B', 9), paused('A')], 'paused', 'A'],
    [[over('B', 9), active(null)], 'active', null],
    [[over('A', 1), over('B', 5), over('C', 3)], 'cancelled', 'B'],
    [[over('A', 5), over('B', 5)], 'cancelled', 'B']
  ] as const) {
    const member = await derived(...held)
    assert.deepEqual([member.status, member.plan], [status, plan], JSON.stringify(held))
  }
  const dates = await derived(active('A', { since: 5, next: 40 }), active('B', { since: 3, next: 30 }))
  assert.deepEqual([dates.since, dates.next], [START, hours(30)])
  assert.deepEqual(
    (
      await derived(
        active('A', { since: 5, next: 40 }),
        { ...over('B', 1), since: 3 },
        { ...over('B', 1), since: 9 },
        over('B', 1)
      )
    ).next,
    hours(40)
  )
})

test('what was given away counts for its receiver alone, from the day of the gift on', async () => {
  const store = await aStore(db, { clockAt: START })
  const { inStore, storeId } = store
  await aPlan(store, { name: 'VIP' })
  const contracts = [1, 2, 3].map(() => aContract(START, { originOrder: null }))
  await inStore((ctx) => upsertFromContracts(ctx, contracts, []))
  const found = await inStore((ctx) =>
    lockSubscriptionsOfContracts(
      ctx,
      contracts.map(({ id }) => id)
    )
  )
  const [giver, receiver, third] = found.map((s) => s.memberId) as [number, number, number]
  const given = START.add({ hours: 5 })
  await inStore(({ tx }) =>
    tx.run(
      sql`update subscriptions set receiver_member_id = ${receiver}, gifted_at = ${given} where store_id = ${storeId} and id = ${found[0]!.id}`
    )
  )
  await inStore(({ tx }) =>
    tx.run(sql`update subscriptions set status = 'cancelled', cancelled_at = ${START}, cancel_reason = 'other', next_billing_at = null,
                      billing_due_at = null, created_at = ${given} where store_id = ${storeId} and id = ${found[1]!.id}`)
  )
  await inStore((ctx) => deriveMembershipStatuses(ctx, [giver, receiver]))
  const members = await inStore(({ tx }) =>
    tx.many(
      row({ id: int, status: nullable(text) }),
      sql`select id, status from members where store_id = ${storeId} order by id`
    )
  )
  assert.deepEqual(
    new Map(members.map(({ id, status }) => [id, status])),
    new Map([
      [giver, 'cancelled'],
      [receiver, 'active'],
      [third, 'active']
    ])
  )
})
