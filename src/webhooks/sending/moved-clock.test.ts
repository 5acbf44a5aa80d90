import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRunner, startNode } from '#kit/engines'
import { Database } from '#kit/postgres'
import { storeStatuses } from '#stores'
import { testDatabase } from '../../../test/database.ts'
import { until } from '../../../test/until.ts'
import { findDelivery, listDeliveries } from '../history/list-deliveries.ts'
import { aFact, aReceiver, aSendingStore, testSettings } from '../receiver.test-helper.ts'
import { createDeliveryEngine } from './delivery-engine.ts'

const { db, url } = await testDatabase()
/** A lease has 60 s. */
const LONG_BEFORE_THE_LEASE_ENDS_MS = 30_000

/** A node with a sender of its own. */
async function aNode(t: { after(fn: () => Promise<void>): void }) {
  const own = new Database({ url })
  const node = await startNode(own)
  const sender = createDeliveryEngine({ db: own, leaseOwner: node.id, ...testSettings, perEndpoint: 2 })
  const failures: unknown[] = []
  const runner = createRunner({
    db: own,
    engines: [sender],
    holds: node.holds,
    statuses: (storeIds) => storeStatuses(own, storeIds),
    freeLeases: async () => 0,
    onError: (err) => failures.push(err)
  })
  t.after(async () => {
    await runner.stop()
    await sender.stop(0)
    await node.stop()
    await own.close()
  })
  return { runner, failures }
}

test('a node that moves the clock does not wait for the leases of what another one holds in memory', async (t) => {
  const store = await aSendingStore(db, { clock: '2026-01-01T00:00:00Z' })
  const receiver = await aReceiver((_, response) => setTimeout(() => response.end(), 1_000))
  await store.anEndpoint({ url: receiver.url })
  await store.record(...Array.from({ length: 8 }, (_, n) => aFact(n)))
  await store.dispatch.runOnce(store.storeId)

  const [worker, mover] = [await aNode(t), await aNode(t)]
  worker.runner.start()
  await until('the worker sends', () => receiver.received.length === 2)
  const began = performance.now()
  await mover.runner.alone(store.storeId, ({ settle }) => settle())
  assert.ok(performance.now() - began < LONG_BEFORE_THE_LEASE_ENDS_MS)

  const { deliveries } = await store.inStore((ctx) => listDeliveries(ctx))
  assert.deepEqual(
    deliveries.map((d) => [d.status, d.tries]),
    Array(8).fill(['delivered', 1])
  )
  assert.equal(receiver.received.length, 8, 'none was sent twice')
  const details = await Promise.all(
    deliveries.map(({ webhookId }) => store.inStore((ctx) => findDelivery(ctx, webhookId)))
  )
  assert.ok(details.every((detail) => detail!.history[0]!.failure === null))
  assert.deepEqual([worker.failures, mover.failures], [[], []])
})
