import assert from 'node:assert/strict'
import { test } from 'node:test'
import { analyticsOverview, mrrMinor, rollUpMetrics } from '#analytics'
import { metricsConsistent } from '#analytics/audit-rules'
import { upsertFromContracts } from '#contracts'
import { int, row, sql } from '#kit/postgres'
import { cancelSubscription, pauseSubscription, resumeSubscription } from '#lifecycle'
import { recordOrders } from '#orders'
import { findSubscriptionByContract } from '#subscriptions'
import { aContract, anOrder } from './contract-builder.ts'
import { testDatabase } from './database.ts'
import { aStore } from './store-builder.ts'

const { db } = await testDatabase()
const NOW = Temporal.Instant.from('2026-06-15T12:00:00Z')

test('with concurrent writers and roll-ups, each commit is visible at once and nothing is lost or counted twice', async () => {
  const store = await aStore(db, { clockAt: NOW })
  let writing = true
  let joined = 0
  let cancelled = 0
  const writer = async (n: number) => {
    for (let i = 0; i < 25; i++) {
      const contract = aContract(NOW, { priceMinor: 2900 })
      const order = anOrder(NOW, { id: contract.originOrder!.id })
      const id = await store.inStore(async (ctx) => {
        await upsertFromContracts(ctx, [contract], [order])
        return (await findSubscriptionByContract(ctx, contract.id))!.id
      })
      joined++
      const before = await analyticsOverview(db.direct, store.storeId, { days: 7 })
      assert.ok(before.current.membersNew >= joined - 3 && before.current.membersNew <= joined + 3)
      if (i % 3 === n % 3) {
        await store.inStore((ctx) =>
          cancelSubscription(ctx, id, { reason: `r${i % 4}`, comment: null, by: 'customer' })
        )
        cancelled++
      } else {
        await store.inStore((ctx) => pauseSubscription(ctx, id, null, 'customer'))
        if (i % 2 === 0) await store.inStore((ctx) => resumeSubscription(ctx, id, null, 'customer'))
      }
      // A refund that is reported while others write.
      await store.inStore((ctx) =>
        recordOrders(ctx, [
          { ...order, refundedMinor: 100, financialStatus: 'partially_refunded', updatedAt: NOW.add({ seconds: 1 }) }
        ])
      )
    }
  }
  const folder = async () => {
    while (writing) await store.inStore(rollUpMetrics)
  }
  const rollingUp = [folder(), folder()]
  await Promise.all([writer(0), writer(1), writer(2), writer(3)])
  writing = false
  await Promise.all(rollingUp)

  const { current } = await analyticsOverview(db.direct, store.storeId, { days: 7 })
  const active = await store.inStore(({ tx, storeId }) =>
    tx.one(row({ n: int }), sql`select count(*) as n from members where store_id = ${storeId} and status = 'active'`)
  )
  assert.equal(joined, 100)
  assert.deepEqual(
    [current.membersNew, current.membersActive, current.membersCancelled, current.revenueMinor, current.refundsMinor],
    [100n, BigInt(active.n), BigInt(cancelled), 290_000n, 10_000n]
  )
  assert.equal(mrrMinor(current.yearlyParts), active.n * 2900)
  assert.deepEqual((await store.inStore(metricsConsistent.check)).wrong, [])
})

test('a refund counts once if its order is linked to a subscription at the same time', async () => {
  const store = await aStore(db, { clockAt: NOW })
  for (let i = 0; i < 20; i++) {
    const contract = aContract(NOW)
    const order = anOrder(NOW, { id: contract.originOrder!.id })
    const refunded = { ...order, refundedMinor: 500, updatedAt: NOW.add({ seconds: 1 }) }
    await store.inStore((ctx) => recordOrders(ctx, [order]))
    await Promise.all([
      store.inStore((ctx) => upsertFromContracts(ctx, [contract], [order])),
      store.inStore((ctx) => recordOrders(ctx, [refunded]))
    ])
  }
  const { current } = await analyticsOverview(db.direct, store.storeId, { days: 7 })
  assert.deepEqual([current.refundsMinor, current.revenueMinor], [10_000n, 58_000n])
  assert.deepEqual((await store.inStore(metricsConsistent.check)).wrong, [])
})
