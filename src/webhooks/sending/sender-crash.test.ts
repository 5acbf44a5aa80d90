import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../../test/database.ts'
import { listDeliveries } from '../history/list-deliveries.ts'
import { aFact, aReceiver, aSendingStore, testSettings } from '../receiver.test-helper.ts'
import { createDeliveryEngine } from './delivery-engine.ts'

const { db } = await testDatabase()

test('a service that keeps dying over its tries repeats the first at once and the others as the schedule has it', async () => {
  let isHung = true
  const receiver = await aReceiver((_, response) => (isHung ? undefined : response.writeHead(204).end()))
  const store = await aSendingStore(db, { clock: '2026-03-01T12:00:00Z' })
  await store.anEndpoint({ url: receiver.url })
  await store.record(aFact(1), aFact(1))
  await store.dispatch.runOnce(store.storeId)

  /** Begins what is due, and is cut off. */
  const aShortLife = async () => {
    const sender = createDeliveryEngine({ db, leaseOwner: 1, ...testSettings })
    const before = receiver.received.length
    for (let turns = 0; turns < 3 && receiver.received.length === before; turns++) await sender.runOnce(store.storeId)
    await sender.stop(0)
  }
  for (let lives = 0; lives < 8; lives++) await aShortLife()
  const listed = async () =>
    (await store.inStore((ctx) => listDeliveries(ctx))).deliveries.map((d) => [d.status, d.tries])
  // The later one of the same object waits for it, since nobody knows whether it was sent at all.
  assert.deepEqual(await listed(), [
    ['retrying', 0],
    ['retrying', 2]
  ])
  assert.equal(receiver.received.length, 2)

  isHung = false
  await store.settle()
  assert.equal(receiver.received.length, 2)
  await store.setClock(Temporal.Instant.from('2026-03-01T12:05:00Z'))
  await store.settle()
  assert.deepEqual(await listed(), [
    ['delivered', 1],
    ['delivered', 3]
  ])
  assert.equal(receiver.received.length, 4)
})
