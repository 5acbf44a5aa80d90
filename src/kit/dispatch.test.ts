import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../test/database.ts'
import { aStore } from '../../test/store-builder.ts'
import { type Consumer, createDispatchEngine, type StoredEvent } from './dispatch.ts'
import { type DomainEvent, record } from './outbox.ts'
import { sql } from './postgres/index.ts'

const { db } = await testDatabase()
const fact = (n: number): DomainEvent => ({
  type: 'member.updated',
  objectKey: `member:${n}`,
  data: { n },
  refs: { memberId: n }
})

test('tells every event once and in order, whoever dispatches', async () => {
  const store = await aStore(db)
  const recorded: number[] = []
  // Consumers run in the transaction: a batch told in vain would show here as numbers told twice.
  const engines = [1, 2, 3].map(() =>
    createDispatchEngine({
      db,
      consumers: [async (_, events) => void recorded.push(...events.map((e) => e.refs.memberId!))]
    })
  )
  await store.inStore((ctx) => record(ctx, ...Array.from({ length: 450 }, (_, i) => fact(i))))
  assert.ok(await engines[0]!.nextDueAt(store.storeId))
  const done = await Promise.all(
    engines.map(async (engine) => {
      let sum = 0
      for (let n = await engine.runOnce(store.storeId); n > 0; n = await engine.runOnce(store.storeId)) sum += n
      return sum
    })
  )
  assert.equal(done[0]! + done[1]! + done[2]!, 450)
  assert.deepEqual(
    recorded,
    Array.from({ length: 450 }, (_, i) => i)
  )
  assert.equal(await engines[0]!.nextDueAt(store.storeId), null)
})

test('a consumer that fails leaves nothing done, and the batch is told again', async () => {
  const store = await aStore(db)
  const seen: StoredEvent[][] = []
  let failing = true
  const writes: Consumer = (ctx, events) =>
    ctx.tx
      .run(sql`update stores set name = ${`told ${events.length}`} where store_id = ${ctx.storeId}`)
      .then(() => undefined)
  const fails: Consumer = async (_, events) => {
    seen.push(events)
    if (failing) throw new Error('not now')
  }
  const engine = createDispatchEngine({ db, consumers: [writes, fails] })
  await store.inStore((ctx) => record(ctx, fact(1), fact(2)))

  await assert.rejects(engine.runOnce(store.storeId), /not now/)
  failing = false
  assert.equal(await engine.runOnce(store.storeId), 2)
  assert.deepEqual(seen[0], seen[1])
  assert.equal(seen[0]![0]!.data, '{"n":1}')
})

test('stays within the store', async () => {
  const [mine, other] = [await aStore(db), await aStore(db)]
  const engine = createDispatchEngine({ db, consumers: [] })
  await other.inStore((ctx) => record(ctx, fact(1)))
  assert.equal(await engine.nextDueAt(mine.storeId), null)
  assert.equal(await engine.runOnce(mine.storeId), 0)
  assert.equal(await engine.runOnce(other.storeId), 1)
})
