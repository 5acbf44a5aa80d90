// What a member's subscriptions come to, taken together: of several, and of several that change at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Ctx, nullable, row, sql, text } from '#kit/postgres'
import type { PlatformContract, PlatformContractLine } from '#platform'
import { atOnce } from '../../../test/at-once.ts'
import { aContract, anOrder } from '../../../test/contract-builder.ts'
import { testDatabase } from '../../../test/database.ts'
import { aPlan } from '../../../test/plan-builder.ts'
import { aStore } from '../../../test/store-builder.ts'
import { upsertFromContracts } from '../../contracts/upsert-from-contracts.ts'
import { cancelSubscription } from '../../lifecycle/cancel-subscription.ts'
import { pauseSubscription } from '../../lifecycle/pause-subscription.ts'
import { findSubscriptionByContract } from '../queries.ts'

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
                from facts where store_id = ${storeId} order by id offset 5`
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
