import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { analyticsOverview, foldFigures, mrrMinor } from '#analytics'
import { auditFigures } from '#audit'
import { cancelSubscription, pauseSubscription } from '#billing'
import { syncContracts } from '#contracts'
import { int, row, sql } from '#kit/postgres'
import { resumeSubscription } from '#lifecycle'
import { recordOrders } from '#orders'
import { findSubscriptionByContract } from '#subscriptions'
import { aContract, anOrder } from './contract-builder.ts'
import { testDatabase } from './database.ts'
import { aStore } from './store-builder.ts'

const { db } = await testDatabase()
const NOW = Temporal.Instant.from('2026-06-15T12:00:00Z')

test('writers and folders at once: each commit is seen at once, and nothing is lost or counted twice', async () => {
  const store = await aStore(db, { clockAt: NOW })
  let writing = true
  let joined = 0
  let cancelled = 0
  const writer = async (n: number) => {
    for (let i = 0; i < 25; i++) {
      const contract = aContract(NOW, { priceMinor: 2900 })
      const order = anOrder(NOW, { id: contract.originOrder!.id })
      const id = await store.inStore(async (ctx) => {
        await syncContracts(ctx, [contract], [order])
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
      // A refund told while others write.
      await store.inStore((ctx) =>
        recordOrders(ctx, [
          { ...order, refundedMinor: 100, financialStatus: 'partially_refunded', updatedAt: NOW.add({ seconds: 1 }) }
        ])
      )
    }
  }
  const folder = async () => {
    while (writing) await store.inStore(foldFigures)
  }
  const folding = [folder(), folder()]
  await Promise.all([writer(0), writer(1), writer(2), writer(3)])
  writing = false
  await Promise.all(folding)

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
  assert.deepEqual((await store.inStore(auditFigures)).findings, [])
})

test('an order becomes a subscription’s while its refund is told: the refund counts once', async () => {
  const store = await aStore(db, { clockAt: NOW })
  for (let i = 0; i < 20; i++) {
    const contract = aContract(NOW)
    const order = anOrder(NOW, { id: contract.originOrder!.id })
    const refunded = { ...order, refundedMinor: 500, updatedAt: NOW.add({ seconds: 1 }) }
    await store.inStore((ctx) => recordOrders(ctx, [order]))
    await Promise.all([
      store.inStore((ctx) => syncContracts(ctx, [contract], [order])),
      store.inStore((ctx) => recordOrders(ctx, [refunded]))
    ])
  }
  const { current } = await analyticsOverview(db.direct, store.storeId, { days: 7 })
  assert.deepEqual([current.refundsMinor, current.revenueMinor], [10_000n, 58_000n])
  assert.deepEqual((await store.inStore(auditFigures)).findings, [])
})

test('the migration takes over what was there before', async () => {
  const store = await aStore(db, { clockAt: NOW })
  const soon = NOW.add({ hours: 24 * 9 })
  for (const [i, over] of [{}, {}, { status: 'paused' }, { status: 'cancelled' }, {}].entries()) {
    const contract = aContract(NOW.subtract({ hours: 24 * 3 * i }), over)
    await store.inStore(async (ctx) => {
      await syncContracts(ctx, [contract], [anOrder(contract.createdAt, { id: contract.originOrder!.id })])
      const found = await findSubscriptionByContract(ctx, contract.id)
      if (i === 1) await pauseSubscription(ctx, found!.id, soon, 'customer')
      if (i === 4) await cancelSubscription(ctx, found!.id, { reason: 'moved', comment: null, by: 'customer' })
    })
  }
  await store.inStore(({ tx, storeId }) =>
    tx.run(sql`
      insert into points_entries (store_id, member_id, points, balance_after, reason, operation_id, created_at)
      select ${storeId}, max(id), 5, 5, 'test', 'test', ${NOW} from members where store_id = ${storeId}`)
  )
  const look = async () => {
    const { current, series } = await analyticsOverview(db.direct, store.storeId, { days: 7 })
    return { current, today: series.at(-1) }
  }
  const before = await look()
  const file = await readFile(new URL('../migrations/0028_kept_figures.sql', import.meta.url), 'utf8')
  const fill = file.slice(file.indexOf('-- ── What was there before'))
  const session = await db.session()
  try {
    for (const table of [
      'daily_figures',
      'daily_cancellations',
      'figure_totals',
      'figure_changes',
      'standing_changes',
      'subscription_orders'
    ])
      await session.query(`delete from ${table}`)
    await session.query(fill)
  } finally {
    await session.end()
  }
  const { current, today } = await look()
  assert.deepEqual(
    { ...current, reasons: [], membersBefore: 0n, membersCancelled: 0n },
    { ...before.current, reasons: [], membersBefore: 0n, membersCancelled: 0n }
  )
  assert.equal(today!.yearlyParts, before.today!.yearlyParts)
  // What came to us already cancelled counts as having left: when it really did is not known.
  assert.deepEqual(current.reasons, [
    { reason: 'moved', count: 1 },
    { reason: 'platform', count: 1 }
  ])
  assert.deepEqual((await store.inStore(auditFigures)).findings, [])
})
