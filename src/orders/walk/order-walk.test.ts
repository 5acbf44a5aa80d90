import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import type { PlatformDispute } from '#platform'
import { testDatabase } from '../../../test/database.ts'
import { after, anOrderState, aPlatformWithOrders, START } from '../../../test/order-messages.ts'
import { aStore } from '../../../test/store-builder.ts'
import { findOrder, listOrders } from '../find-orders.ts'
import { recordReports } from '../reported/record-reports.ts'
import { createOrderWalkEngine } from './order-walk-engine.ts'
import { findOrderImport, scheduleOrderWalk, startOrderImport, walkOrdersNow } from './order-walks.ts'

const { db } = await testDatabase()

/** A store whose schedule has begun, and a platform of which the next walk reads what changed since. */
async function aWalkedStore() {
  const store = await aStore(db, { clockAt: START })
  const { platform, connector } = aPlatformWithOrders()
  const engine = createOrderWalkEngine({ db, leaseOwner: 1, connectorOf: async () => connector })
  await store.inStore(scheduleOrderWalk)
  return {
    ...store,
    platform,
    connector,
    engine,
    place: (count: number, at = after(1), first = 1) => {
      for (let i = first; i < first + count; i++)
        platform.orders.set(String(i), anOrderState(String(i), { updatedAt: at }))
    },
    /** Walks until nothing is due; returns what the platform was asked. */
    async walk() {
      platform.asked = []
      await store.inStore(walkOrdersNow)
      while ((await engine.runOnce(store.storeId)) > 0);
      return platform.asked
    },
    orders: async () =>
      (await store.inStore((ctx) => listOrders(ctx, { before: null, memberId: null, limit: 100 }))).length,
    order: (id: string) => store.inStore((ctx) => findOrder(ctx, id, 'platform')),
    import: () => store.inStore(findOrderImport)
  }
}

const since = (minutes: number) => `since ${after(minutes)}`

test('a walk finds the orders whose messages were lost, and the next one reads none of them again', async () => {
  const store = await aWalkedStore()
  store.place(3)
  assert.deepEqual(await store.walk(), [since(-10), 'whole 1,2,3', 'disputes'])
  assert.equal(await store.orders(), 3)
  assert.deepEqual(await store.walk(), [since(-10), 'disputes'])
})

test('a walk reads only the orders of which a revision is missing', async () => {
  const store = await aWalkedStore()
  store.place(3)
  await store.walk()
  store.platform.orders.set('2', anOrderState('2', { updatedAt: after(5), financialStatus: 'voided' }))
  assert.deepEqual(await store.walk(), [since(-10), 'whole 2', 'disputes'])
  assert.equal((await store.order('2'))!.financialStatus, 'voided')
})

test('a walk reads an order whose tags are others than we know, although its revision is known', async () => {
  const store = await aWalkedStore()
  store.place(3)
  await store.walk()
  // As where two reports of one second overtake each other.
  store.platform.orders.set('2', anOrderState('2', { updatedAt: after(1), tags: ['VIP', 'charge-1'] }))
  assert.deepEqual(await store.walk(), [since(-10), 'whole 2', 'disputes'])
  assert.deepEqual((await store.order('2'))!.tags, ['VIP', 'charge-1'])
  assert.deepEqual(await store.walk(), [since(-10), 'disputes'])
})

test('after a failure a walk goes on at the page that it has reached, and everything is found', async () => {
  const store = await aWalkedStore()
  store.platform.pageSize = 2
  store.place(5)
  await store.inStore(walkOrdersNow)
  await store.engine.runOnce(store.storeId)
  store.platform.failure = { kind: 'unavailable', message: 'away', code: 'away' }
  await store.engine.runOnce(store.storeId)
  store.platform.failure = null
  assert.deepEqual(await store.walk(), [`${since(-10)} 2`, 'whole 3,4', `${since(-10)} 4`, 'whole 5', 'disputes'])
  assert.equal(await store.orders(), 5)
})

test('an import reads all orders since a date and ends; the same again reads nothing whole', async () => {
  const store = await aWalkedStore()
  store.platform.pageSize = 2
  store.place(2, after(-1000))
  store.place(3, after(-500), 3)
  await store.walk()
  assert.equal(await store.orders(), 0, 'they are from before the schedule')
  await store.inStore((ctx) => startOrderImport(ctx, after(-600)))
  assert.deepEqual((await store.import())!.nextAt !== null, true)
  await store.walk()
  assert.equal(await store.orders(), 3)
  const done = (await store.import())!
  assert.deepEqual([done.nextAt, done.seen, done.changed, done.lastError], [null, 3, 3, null])
  await store.inStore((ctx) => startOrderImport(ctx, after(-2000)))
  assert.equal((await store.walk()).filter((asked) => asked.startsWith('whole')).join(), 'whole 1,2')
  assert.deepEqual([await store.orders(), (await store.import())!.changed], [5, 2])
})

test('an import that is under way is not begun anew by one since a later date', async () => {
  const store = await aWalkedStore()
  store.platform.pageSize = 2
  store.place(5, after(-500))
  await store.inStore((ctx) => startOrderImport(ctx, after(-600)))
  await store.engine.runOnce(store.storeId)
  await store.inStore((ctx) => startOrderImport(ctx, after(-400)))
  assert.equal((await store.import())!.seen, 2)
  await store.inStore((ctx) => startOrderImport(ctx, after(-700)))
  assert.equal((await store.import())!.seen, 0)
})

test('a walk finds disputes whose messages were lost, and how they ended; of unknown orders too', async () => {
  const store = await aWalkedStore()
  store.place(1, after(-5000))
  const dispute: PlatformDispute = {
    id: '8',
    orderId: '1',
    type: 'chargeback',
    status: 'under_review',
    reason: 'fraudulent',
    networkReasonCode: null,
    amountMinor: 4000,
    currency: 'USD',
    initiatedAt: after(1),
    finalizedAt: null
  }
  store.platform.disputes.set('8', dispute)
  assert.deepEqual(await store.walk(), [since(-10), 'disputes', 'whole 1', 'disputes 8'])
  assert.equal((await store.order('1'))!.disputeStatus, 'under_review')
  store.platform.disputes.set('8', { ...dispute, status: 'lost', finalizedAt: after(9) })
  await store.walk()
  assert.equal((await store.order('1'))!.disputeStatus, 'lost')
  assert.deepEqual(await store.walk(), [since(-10), 'disputes'])
})

test('a walk that has read a dispute before it ended does not undo the message that says so', async () => {
  const store = await aWalkedStore()
  store.place(1)
  await store.walk()
  const open: PlatformDispute = {
    id: '8',
    orderId: '1',
    type: 'chargeback',
    status: 'under_review',
    reason: null,
    networkReasonCode: null,
    amountMinor: 4000,
    currency: 'USD',
    initiatedAt: after(1),
    finalizedAt: null
  }
  const ended = { ...open, status: 'won', finalizedAt: after(5) }
  store.connector.orders.listDisputesSince = async () => {
    await store.inStore(({ tx, storeId }) =>
      tx.run(sql`update stores set clock_at = ${after(10)} where store_id = ${storeId}`)
    )
    const disputes = [{ dispute: ended, reportedAt: after(5) }]
    await store.inStore((ctx) => recordReports(ctx, { orders: [], refunds: [], transactions: [], disputes }, 'message'))
    return { ok: true, value: { items: [open], after: null } }
  }
  await store.walk()
  assert.equal((await store.order('1'))!.disputeStatus, 'won')
})

test('a store that does not let us read disputes is walked all the same', async () => {
  const store = await aWalkedStore()
  const { platform } = store
  store.place(1)
  await store.inStore(walkOrdersNow)
  const asks = platform.asked
  // Only the disputes are refused.
  Object.defineProperty(platform, 'failure', {
    get: () => (asks.at(-1) === 'disputes' ? { kind: 'unauthorized', message: 'denied', code: 'access_denied' } : null)
  })
  await store.engine.runOnce(store.storeId)
  assert.equal(await store.orders(), 1)
  assert.equal((await store.engine.nextDueAt(store.storeId))?.toString() ?? null, null, 'the walk has ended')
})
