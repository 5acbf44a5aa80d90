// The fan-out may get a fact twice: when somebody sets its position back, and when a fact is retried after that.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { testDatabase } from '../../../test/database.ts'
import { aFact, aReceiver, aSendingStore } from '../receiver.test-helper.ts'

const { db } = await testDatabase()

async function aStage() {
  const receiver = await aReceiver()
  const store = await aSendingStore(db)
  await store.anEndpoint({ url: receiver.url })
  const run = (statement: (storeId: number) => ReturnType<typeof sql>) =>
    store.inStore(({ tx, storeId }) => tx.run(statement(storeId)))
  return {
    ...store,
    receiver,
    run,
    ids: () => receiver.received.map(({ body }) => JSON.parse(body).webhook_id as string),
    setBack: () => run((storeId) => sql`update fact_consumers set position = 0 where store_id = ${storeId}`),
    retries: () => store.inStore(({ tx, storeId }) => tx.run(sql`select from fact_retries where store_id = ${storeId}`))
  }
}

test('a repeated fan-out makes nothing twice, and later events of the same object follow', async () => {
  const stage = await aStage()
  await stage.record(aFact(1), aFact(2))
  await stage.settle()
  await stage.setBack()
  await stage.record(aFact(1), aFact(3))
  await stage.settle()
  assert.deepEqual(
    stage.receiver.received.map(({ body }) => JSON.parse(body).data.subscription_id),
    ['sub_1', 'sub_2', 'sub_1', 'sub_3']
  )
  assert.equal(new Set(stage.ids()).size, 4)
  assert.equal(await stage.retries(), 0)
})

test('nor on another day', async () => {
  const stage = await aStage()
  await stage.record(aFact(1))
  await stage.settle()
  // The day that comes next has its table already.
  await stage.run((storeId) => sql`update webhook_deliveries set day = day + 1 where store_id = ${storeId}`)
  await stage.setBack()
  await stage.settle()
  assert.equal(stage.receiver.received.length, 1)
})

test('a delivery that is missing is made again under the same webhook_id', async () => {
  const stage = await aStage()
  await stage.record(aFact(1), aFact(2))
  await stage.settle()
  const [first] = stage.ids()
  await stage.run(
    (storeId) => sql`delete from webhook_deliveries where store_id = ${storeId} and webhook_id = ${first}`
  )
  await stage.setBack()
  await stage.settle()
  assert.equal(stage.ids().length, 3)
  assert.equal(stage.ids()[2], first)
})

test('each endpoint has ids of its own', async () => {
  const stage = await aStage()
  await stage.anEndpoint({ url: stage.receiver.url })
  await stage.record(aFact(1))
  await stage.settle()
  assert.equal(new Set(stage.ids()).size, 2)
})
