import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../../test/database.ts'
import { RETRY_SCHEDULE } from '../delivery/delivery-retry-schedule.ts'
import { findDelivery, listDeliveries } from '../history/list-deliveries.ts'
import { aFact, aReceiver, aSendingStore } from '../receiver.test-helper.ts'

const { db } = await testDatabase()
const MINUTE = 60
const HOUR = 60 * MINUTE
// Spec 1, Retry schedule: what is waited after each failed try.
const WAITS = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 12 * HOUR, 24 * HOUR]

for (const maxTries of [6, 7]) {
  test(`with ${maxTries} tries each comes at its time by the test clock, and the last failure is the end`, async () => {
    const receiver = await aReceiver((_, r) =>
      receiver.received.length % 2 === 0 ? r.writeHead(503).end() : r.destroy()
    )
    const start = Temporal.Instant.from('2028-02-28T22:10:00Z')
    const schedule = { ...RETRY_SCHEDULE, maxTries }
    const store = await aSendingStore(db, { clock: start.toString(), schedule })
    const { id } = await store.anEndpoint({ url: receiver.url })
    await store.record(aFact(1))
    await store.settle()

    const due = [start]
    for (const seconds of WAITS.slice(0, maxTries - 1)) {
      const tried = receiver.received.length
      const next = due.at(-1)!.add({ seconds })
      assert.equal((await store.sender.nextDueAt(store.storeId))!.toString(), next.toString())
      await store.setClock(next.subtract({ milliseconds: 1 }))
      await store.settle()
      assert.equal(receiver.received.length, tried)
      await store.setClock(next)
      await store.settle()
      assert.equal(receiver.received.length, tried + 1)
      due.push(next)
    }

    assert.equal(await store.sender.nextDueAt(store.storeId), null)
    const { deliveries } = await store.inStore((ctx) => listDeliveries(ctx, { endpoint: id }))
    const { history, ...delivery } = (await store.inStore((ctx) => findDelivery(ctx, deliveries[0]!.webhookId)))!
    assert.deepEqual([delivery.status, delivery.tries, delivery.nextTryAt], ['failed', maxTries, null])
    assert.equal(delivery.finishedAt!.toString(), due.at(-1)!.toString())
    assert.deepEqual(
      history.map((t) => [t.tryNumber, t.startedAt.toString(), t.failure]),
      due.map((at, i) => [i + 1, at.toString(), i % 2 === 0 ? 'reset' : 'status'])
    )
  })
}
