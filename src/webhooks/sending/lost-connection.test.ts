import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { createRunner, startNode } from '#kit/engines'
import { Database } from '#kit/postgres'
import { storeStatuses } from '#stores'
import { testDatabase } from '../../../test/database.ts'
import { until } from '../../../test/until.ts'
import { listDeliveries } from '../history/list-deliveries.ts'
import { aFact, aReceiver, aSendingStore, testSettings } from '../receiver.test-helper.ts'
import { createDeliveryEngine } from './delivery-engine.ts'

const { db, url } = await testDatabase()
/** A lease has 60 s. */
const LONG_BEFORE_THE_LEASE_ENDS_MS = 20_000

test('results whose recording lost its connection are recorded again soon, though their rows are leased', async (t) => {
  const store = await aSendingStore(db)
  const own = new Database({ url })
  const node = await startNode(own)
  const sender = createDeliveryEngine({ db: own, leaseOwner: node.id, ...testSettings })
  const failures: string[] = []
  const runner = createRunner({
    db: own,
    engines: [sender],
    holds: node.holds,
    statuses: (storeIds) => storeStatuses(own, storeIds),
    freeLeases: async () => 0,
    onError: (_err, engine) => failures.push(engine)
  })
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  t.after(async () => {
    await runner.stop()
    await sender.stop(0)
    await node.stop()
    await own.close()
    await other.end()
  })

  let cuts = 0
  const receiver = await aReceiver(async (_, response) => {
    // Who records the result of this try waits for its row, and is cut off meanwhile.
    const isFirst = cuts++ === 0
    if (isFirst) await other.query('begin; select from webhook_queue for update')
    response.end('ok')
    if (!isFirst) return
    await until('the recording is cut off', async () => (await endWaiting()) > 0)
    await other.query('rollback')
  })
  const endWaiting = async () => {
    const { rowCount } = await other.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`
    )
    return rowCount ?? 0
  }

  await store.anEndpoint({ url: receiver.url })
  await store.record(aFact(1), aFact(1))
  await store.dispatch.runOnce(store.storeId)
  runner.start()
  await until('the recording fails', () => failures.length > 0)
  const failedAt = performance.now()
  const statuses = async () => (await store.inStore((ctx) => listDeliveries(ctx))).deliveries.map((d) => d.status)
  await until('both are delivered', async () => (await statuses()).every((status) => status === 'delivered'))
  assert.ok(performance.now() - failedAt < LONG_BEFORE_THE_LEASE_ENDS_MS)
  assert.equal(receiver.received.length, 2)
})
