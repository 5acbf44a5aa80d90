import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anOrder } from '../../../test/contract-builder.ts'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { recordOrders } from './record-orders.ts'

const { db } = await testDatabase()
const AT = Temporal.Instant.from('2026-01-31T15:00:00Z')

test('an order that somebody else records at the same time is recorded once, and both get its row', async () => {
  const store = await aStore(db)
  const order = anOrder(AT, { id: '71', customerId: '8' })
  let isBegun = () => {}
  const begun = new Promise<void>((resolve) => {
    isBegun = resolve
  })
  let second: Promise<Map<string, { id: number }>> | null = null
  const first = await store.inStore(async (ctx) => {
    const recorded = await recordOrders(ctx, [order])
    // It reads before this commits, waits for the insert, and then finds nothing that is news.
    second = store.inStore(async (other) => {
      isBegun()
      return recordOrders(other, [order])
    })
    await begun
    await new Promise((resolve) => setTimeout(resolve, 200))
    return recorded
  })
  assert.deepEqual((await second!).get('71')?.id, first.get('71')!.id)
})

test('orders that are known are returned too, whether or not the report is news', async () => {
  const store = await aStore(db)
  const order = anOrder(AT, { id: '72' })
  const first = await store.inStore((ctx) => recordOrders(ctx, [order]))
  const later = { ...order, updatedAt: AT.add({ minutes: 1 }), financialStatus: 'refunded' }
  for (const reported of [order, later, order]) {
    const again = await store.inStore((ctx) => recordOrders(ctx, [reported]))
    assert.equal(again.get('72')!.id, first.get('72')!.id)
  }
})
