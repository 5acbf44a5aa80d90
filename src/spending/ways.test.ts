import assert from 'node:assert/strict'
import { test } from 'node:test'
import { upsertFromContracts } from '#contracts'
import { sql } from '#kit/postgres'
import { cancelSubscription, giftSubscription, pauseSubscription } from '#lifecycle'
import { upsertCustomers } from '#members'
import { setClock } from '#stores'
import { findSubscriptionByContract } from '#subscriptions'
import { aContract } from '../../test/contract-builder.ts'
import { testDatabase } from '../../test/database.ts'
import { aPlan } from '../../test/plan-builder.ts'
import { aStore } from '../../test/store-builder.ts'
import { listWays, type SpendingWay } from './ways.ts'

const { db } = await testDatabase()
const START = Temporal.Instant.from('2026-01-31T15:00:00Z')
const ADA = { id: '7', email: 'ada@example.com', firstName: 'Ada', lastName: 'Adler', updatedAt: START }
const BO = { ...ADA, id: '8', email: 'bo@example.com' }

/** A store with two customers, Ada and Bo. */
async function aShop() {
  const store = await aStore(db, { clockAt: START })
  const { inStore, storeId } = store
  const known = await inStore((ctx) => upsertCustomers(ctx, [ADA, BO]))
  const [ada, bo] = [ADA, BO].map(({ id }) => known.get(id)!.id) as [number, number]
  let hours = 0
  /** Does it an hour later. */
  const later = async <T>(work: Parameters<typeof inStore<T>>[0]) => {
    await inStore((ctx) => setClock(ctx, START.add({ hours: ++hours })))
    return inStore(work)
  }
  return {
    ada,
    bo,
    plan: (name: string, type: 'vip' | 'elite' | 'product', creditType: SpendingWay) =>
      aPlan(store, { name, type, creditType }),
    /** Has Ada join, and returns the number of the subscription. */
    join: ({ sellingPlanId }: { sellingPlanId: string }) =>
      inStore(async (ctx) => {
        const contract = aContract(START, { customer: ADA, originOrder: null })
        const lines = contract.lines.map((line) => ({ ...line, sellingPlanId }))
        await upsertFromContracts(ctx, [{ ...contract, lines }], [])
        return (await findSubscriptionByContract(ctx, contract.id))!.id
      }),
    pause: (id: number) => later((ctx) => pauseSubscription(ctx, id, null, 'api')),
    cancel: (id: number) => later((ctx) => cancelSubscription(ctx, id, { reason: 'other', comment: null, by: 'api' })),
    giveTo: (receiver: number, id: number) => later((ctx) => giftSubscription(ctx, id, receiver, 'api')),
    disable: (name: string) =>
      inStore(({ tx }) =>
        tx.run(sql`update plans set status = 'disabled' where store_id = ${storeId} and name = ${name}`)
      ),
    ways: () =>
      inStore(async (ctx) => {
        const ways = await listWays(ctx, [ada, bo])
        return [ways.get(ada) ?? null, ways.get(bo) ?? null]
      })
  }
}

test('of two memberships that live VIP decides before Elite, whichever is newer, also while it is paused', async () => {
  const { plan, join, pause, ways } = await aShop()
  const [main, vip, elite] = [
    await plan('Main', 'vip', 'function'),
    await plan('Gold', 'vip', 'coupon'),
    await plan('Top', 'elite', 'giftcard')
  ]
  const held = await join(vip)
  assert.deepEqual(await ways(), ['coupon', 'function'])
  await join(elite)
  assert.deepEqual(await ways(), ['coupon', 'function'])
  await pause(held)
  assert.deepEqual(await ways(), ['coupon', 'function'])
  await join(main)
  assert.deepEqual(await ways(), ['function', 'function'], 'of two of VIP the newer one')
})

test('a membership that lives decides before a newer one that has ended; of those that have ended the last one to end does', async () => {
  const { plan, join, cancel, ways } = await aShop()
  await plan('Main', 'vip', 'function')
  const elite = await join(await plan('Top', 'elite', 'giftcard'))
  const vip = await join(await plan('Gold', 'vip', 'coupon'))
  await cancel(vip)
  assert.deepEqual(await ways(), ['giftcard', 'function'])
  await cancel(elite)
  assert.deepEqual(await ways(), ['giftcard', 'function'])
})

test('a gift decides for who received it; for who gave it away what else they hold, or the main plan', async () => {
  const { plan, join, giveTo, cancel, bo, ways } = await aShop()
  await plan('Main', 'vip', 'function')
  const gold = await plan('Gold', 'vip', 'coupon')
  const given = await join(gold)
  await giveTo(bo, given)
  assert.deepEqual(await ways(), ['function', 'coupon'])
  await join(await plan('Top', 'elite', 'giftcard'))
  assert.deepEqual(await ways(), ['giftcard', 'coupon'])
  await cancel(given)
  assert.deepEqual(await ways(), ['giftcard', 'coupon'])
})

test('who never held a membership spends by the main plan: the oldest that is enabled, VIP before Elite before products', async () => {
  const { plan, join, disable, ways } = await aShop()
  assert.deepEqual(await ways(), [null, null], 'a store without a plan has no way')
  await join(await plan('Beans', 'product', 'storecredit'))
  assert.deepEqual(await ways(), ['storecredit', 'storecredit'])
  await plan('Top', 'elite', 'giftcard')
  assert.deepEqual(await ways(), ['giftcard', 'giftcard'], 'a subscription of products decides nothing')
  await plan('Gold', 'vip', 'coupon')
  await plan('Silver', 'vip', 'function')
  assert.deepEqual(await ways(), ['coupon', 'coupon'])
  await disable('Gold')
  assert.deepEqual(await ways(), ['function', 'function'])
})

test('a plan that is disabled decides nothing for who never held a membership, also where it is the only one', async () => {
  const { plan, disable, ways } = await aShop()
  await plan('Beans', 'product', 'storecredit')
  await disable('Beans')
  assert.deepEqual(await ways(), [null, null])
  await plan('Tea', 'product', 'coupon')
  assert.deepEqual(await ways(), ['coupon', 'coupon'])
})
