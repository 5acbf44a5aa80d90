import assert from 'node:assert/strict'
import { test } from 'node:test'
import { day, int, row, sql } from '#kit/postgres'
import { testDatabase } from '../../../test/database.ts'
import { aFact, aReceiver, aSendingStore } from '../receiver.test-helper.ts'
import { findDelivery, listDeliveries } from './list-deliveries.ts'
import { listEndpointDeliveries } from './list-endpoint-deliveries.ts'
import { maintainHistory } from './maintain-history.ts'
import { countDay, createPartition, listPartitions, listUncountedDays } from './retention-queries.ts'

const { db } = await testDatabase()

test('history is kept for so many days and dropped by the day; what is open moves to today and is delivered', async () => {
  let unhealthy = true
  const receiver = await aReceiver((_, r) => r.writeHead(unhealthy ? 500 : 200).end())
  const store = await aSendingStore(db, { clock: '2026-01-01T00:00:00Z' })
  const endpoint = await store.anEndpoint({ url: receiver.url, events: ['subscription.paused'] })
  await store.record(aFact(1))
  await store.settle()
  unhealthy = false
  await store.record(aFact(2), aFact(3))
  await store.settle()
  const all = (await store.inStore((ctx) => listDeliveries(ctx))).deliveries
  const open = all.find((d) => d.status === 'retrying')!
  assert.equal(all.length, 3)

  // One was delivered on the last day that is kept, the others the day before.
  const { today } = await db.inInstallation(listPartitions)
  for (const days of [30, 31]) await db.inInstallation((tx) => createPartition(tx, today.subtract({ days })))
  const moveBack = (days: number, webhookId: string) =>
    store.inStore(async ({ tx, storeId }) => {
      const of = sql`select id from webhook_deliveries where store_id = ${storeId} and webhook_id = ${webhookId}`
      const { id } = await tx.one(row({ id: int }), of)
      await tx.run(
        sql`update webhook_tries set day = day - ${days}::int where store_id = ${storeId} and delivery_id = ${id}`
      )
      await tx.run(
        sql`update webhook_deliveries set day = day - ${days}::int where store_id = ${storeId} and id = ${id}`
      )
      await tx.run(
        sql`update webhook_queue set day = day - ${days}::int where store_id = ${storeId} and delivery_id = ${id}`
      )
    })
  const [kept, gone] = all.filter((d) => d.status === 'delivered')
  await moveBack(30, kept!.webhookId)
  await moveBack(31, gone!.webhookId)
  await moveBack(31, open.webhookId)

  // As if older code had made them, which counts nothing.
  await store.inStore(({ tx, storeId }) => tx.run(sql`delete from webhook_delivery_counts where store_id = ${storeId}`))

  await Promise.all([maintainHistory(db, 30), maintainHistory(db, 30)])

  const days = await db.inInstallation(listPartitions)
  assert.deepEqual(
    [days.known.at(0)!, days.known.at(-1)!].map(String),
    [today.subtract({ days: 30 }), today.add({ days: 7 })].map(String)
  )
  assert.deepEqual(
    (await store.inStore((ctx) => listDeliveries(ctx))).deliveries.map((d) => d.webhookId),
    [open.webhookId, kept!.webhookId]
  )
  // What is kept is counted: the day that has ended, and what moved to today.
  const total = async () =>
    (await store.inStore((ctx) => listEndpointDeliveries(ctx, endpoint.id, { limit: 1, offset: 0 }))).total
  assert.equal(await total(), 2)
  await maintainHistory(db, 30)
  assert.equal(await total(), 2)
  await store.setClock(Temporal.Instant.from('2026-01-01T00:01:00Z'))
  await store.settle()
  const found = await store.inStore((ctx) => findDelivery(ctx, open.webhookId))
  assert.deepEqual([found!.status, found!.tries, found!.history.length], ['delivered', 2, 2])
})

test('an installation begins with the partitions of today and of a week, which are listed by their days', async () => {
  const { db: fresh } = await testDatabase()
  const { today } = await fresh.inInstallation(listPartitions)
  await fresh.inInstallation((tx) => createPartition(tx, today.subtract({ days: 3 })))
  const listed = await fresh.inInstallation((tx) =>
    tx.many(row({ day }), sql`select d as day from webhook_partitions() d`)
  )
  assert.deepEqual(
    listed.map((one) => String(one.day)),
    [-3, 0, 1, 2, 3, 4, 5, 6, 7].map((days) => String(today.add({ days })))
  )
})

test('a day that has ended is counted once for good, also where nothing was counted before', async () => {
  const store = await aSendingStore(db)
  await store.anEndpoint({ url: 'http://127.0.0.1:1/' })
  await store.record(aFact(1))
  while ((await store.dispatch.runOnce(store.storeId)) > 0);
  const { today } = await db.inInstallation(listPartitions)
  const ended = today.subtract({ days: 2 })
  await db.inInstallation((tx) => createPartition(tx, ended))
  const { storeId } = store
  await store.inStore(async ({ tx }) => {
    await tx.run(sql`update webhook_deliveries set day = day - 2 where store_id = ${storeId}`)
    await tx.run(sql`update webhook_queue set day = day - 2 where store_id = ${storeId}`)
    await tx.run(sql`delete from webhook_delivery_counts where store_id = ${storeId}`)
  })
  const uncounted = async () => (await db.inInstallation(listUncountedDays)).map(String).includes(String(ended))
  assert.equal(await uncounted(), true)
  await db.inInstallation((tx) => countDay(tx, ended))
  assert.equal(await uncounted(), false)
})
