import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int, row, sql } from '#kit/postgres'
import { listChanges } from '#subscriptions'
import { testDatabase } from '../../test/database.ts'
import { aPlan } from '../../test/plan-builder.ts'
import { aSubscriptionLife, at } from '../../test/subscription-life.ts'
import { changeSubscription, previewChanges } from './change-subscription.ts'
import { previewChange, requestChange } from './request-change.ts'

const { db } = await testDatabase()

/** A subscription of a plan for 29.00 a month, and another plan for 49.00 every three months. */
async function aLifeWithPlans() {
  const life = await aSubscriptionLife(db, { plan: { name: 'VIP' } })
  const { inStore, storeId, id } = life
  await aPlan({ inStore } as Parameters<typeof aPlan>[0], { name: 'Gold' })
  const planId = (
    await inStore(({ tx }) =>
      tx.one(
        row({ id: int }),
        sql`
        update plans set price_minor = 4900, interval_count = 3 where store_id = ${storeId} and name = 'Gold' returning id`
      )
    )
  ).id
  const change = (requested: Parameters<typeof previewChange>[2]) =>
    inStore(async (ctx) => (await previewChange(ctx, id, requested, 'api')).after)
  const run = (statement: ReturnType<typeof sql>) => inStore(({ tx }) => tx.run(statement))
  return { ...life, planId, change, run }
}

test('another plan brings its price and its interval along, unless they are given', async () => {
  const { planId, change } = await aLifeWithPlans()
  const terms = async (requested: Parameters<typeof change>[0]) => {
    const after = await change(requested)
    return after && [after.planId, after.priceMinor, after.linePriceMinor, after.interval, after.intervalCount]
  }
  assert.deepEqual(await terms({ planId }), [planId, 4900, 4900, 'month', 3])
  assert.deepEqual(await terms({ planId, priceMinor: 3900 }), [planId, 3900, null, 'month', 3])
  assert.deepEqual(await terms({ planId, priceMinor: 2900 }), [planId, null, null, 'month', 3])
  assert.deepEqual(await terms({ planId, interval: 'year' }), [planId, 4900, 4900, 'year', 1])
  assert.deepEqual(await terms({ planId, intervalCount: 1 }), [planId, 4900, 4900, null, null])
})

test('what a contract costs beside its plan stays: the price under another plan is then not known beforehand', async () => {
  const { planId, change, run, storeId } = await aLifeWithPlans()
  await run(sql`update subscriptions set price_minor = 3400 where store_id = ${storeId}`)
  const after = await change({ planId })
  assert.deepEqual([after!.planId, after!.priceMinor, after!.linePriceMinor], [planId, null, 4900])
  // The price of its own version counts, whatever later versions cost.
  await run(sql`update subscriptions set price_minor = 2900 where store_id = ${storeId}`)
  await run(sql`
    insert into plan_versions (store_id, plan_id, version, price_minor, interval, interval_count, credit_minor,
                               platform_selling_plan_id, applies_to, created_at)
    select store_id, plan_id, 2, 3900, interval, interval_count, credit_minor, '999', 'new', created_at
      from plan_versions where store_id = ${storeId} and plan_id <> ${planId}`)
  assert.equal((await change({ planId }))!.priceMinor, 4900)
  await run(sql`update subscriptions set plan_id = null, plan_version = null where store_id = ${storeId}`)
  assert.equal((await change({ planId }))!.priceMinor, null)
})

test('a plan that cannot be had is refused by the field, and its own plan is no change', async () => {
  const { planId, change, run, storeId, read } = await aLifeWithPlans()
  assert.equal(await change({ planId: (await read()).planId! }), null)
  await assert.rejects(change({ planId: planId + 1_000 }), /plan_id must be the id of a plan of this store/)
  await run(sql`update plans set currency = 'EUR' where store_id = ${storeId} and id = ${planId}`)
  await assert.rejects(change({ planId }), /plan_id must be the id of a plan in USD/)
  await run(sql`update plans set currency = 'USD', status = 'disabled' where store_id = ${storeId} and id = ${planId}`)
  await assert.rejects(change({ planId }), /plan_id must be the id of a plan that is enabled/)
  await run(sql`
    update plans set status = 'enabled', type = 'product', tier_name = null, platform_product_id = null,
                     platform_variant_id = null, product_ids = '{7}'
     where store_id = ${storeId} and id = ${planId}`)
  await assert.rejects(change({ planId }), /plan_id must be the id of a membership plan/)
})

test('a plan for another country is refused, but not the one that the member has', async () => {
  const { planId, change, run, storeId, read } = await aLifeWithPlans()
  await run(sql`update members set country_code = 'FR' where store_id = ${storeId}`)
  await run(sql`update plans set allowed_countries = '{DE}' where store_id = ${storeId}`)
  await assert.rejects(change({ planId }), /plan_id must be a plan for the country of the subscription's member/)
  assert.equal(await change({ planId: (await read()).planId! }), null)
})

test("another plan at the same price is asked for with its line's price", async () => {
  const { planId, change, run, storeId } = await aLifeWithPlans()
  await run(sql`update plans set price_minor = 2900 where store_id = ${storeId} and id = ${planId}`)
  const after = await change({ planId })
  assert.deepEqual([after!.planId, after!.priceMinor, after!.linePriceMinor], [planId, null, 2900])
})

test('what was asked for before and is not made yet stays asked for, but its price not beside a new one', async () => {
  const { planId, change, inStore, id } = await aLifeWithPlans()
  await inStore((ctx) => requestChange(ctx, id, { planId }, 'api'))
  const later = await change({ interval: 'year' })
  assert.deepEqual(
    [later!.planId, later!.priceMinor, later!.linePriceMinor, later!.interval],
    [planId, 4900, 4900, 'year']
  )
  const priced = await change({ priceMinor: 3900 })
  assert.deepEqual([priced!.planId, priced!.priceMinor, priced!.linePriceMinor], [planId, 3900, null])
})

test('another date asks for no other terms, and leaves those alone that were asked for', async () => {
  const { inStore, id } = await aLifeWithPlans()
  await inStore((ctx) => requestChange(ctx, id, { priceMinor: 1900 }, 'operator'))
  const waiting = () => inStore((ctx) => listChanges(ctx, [id]))
  const before = await waiting()
  const nextBillingAt = at('2026-03-05T15:00:00Z')
  const preview = await inStore((ctx) => previewChanges(ctx, id, { nextBillingAt }, 'api'))
  assert.equal(preview.terms, null)
  assert.ok(preview.date)
  await inStore((ctx) => changeSubscription(ctx, id, { nextBillingAt }, 'api'))
  assert.deepEqual(await waiting(), before)
})

test('a failed subscription can have another payment method, also where a field of terms is given as nothing', async () => {
  const { inStore, id, sync } = await aLifeWithPlans()
  await sync({ status: 'failed', revision: '7' })
  const requested = { priceMinor: undefined, platformPaymentMethodId: 'card-2' }
  const { after } = await inStore((ctx) => previewChange(ctx, id, requested, 'api'))
  assert.equal(after!.platformPaymentMethodId, 'card-2')
})
