import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../../test/database.ts'
import { enginesInTurn } from '../../../test/engines-in-turn.ts'
import { aStore, type BuiltStore } from '../../../test/store-builder.ts'
import { instant, int, nullable, row, sql } from '../postgres/index.ts'
import {
  type Consumer,
  consumer,
  createFactEngines,
  defineFact,
  pruneFacts,
  record,
  removeConsumers,
  retryDeadLetter,
  startConsumersInStores
} from './index.ts'

const { db } = await testDatabase()
const KEPT = { keptDays: 30 }
const NOW = Temporal.Now.instant().round('millisecond')
const daysAgo = (days: number) => NOW.subtract({ hours: 24 * days })

const counted = defineFact('counted', (n: number) => ({ orderingKey: `number:${n}`, data: { n }, refs: { n } }))
const count = (n: number) => Array.from({ length: n }, (_, i) => i)

/** A consumer that remembers what it handled, and fails on some. */
function remembering(
  name: string,
  { from = 'now', fails = () => false }: { from?: Consumer['from']; fails?: (n: number) => boolean } = {}
) {
  const handled: number[] = []
  const made = consumer(
    name,
    ['counted'],
    async (_ctx, facts) => {
      const numbers = facts.map(({ refs }) => refs.n!)
      if (numbers.some(fails)) throw new Error('no')
      handled.push(...numbers)
    },
    { from }
  )
  return { ...made, handled }
}

function factsOf(store: BuiltStore, consumers: Consumer[]) {
  const engine = enginesInTurn(createFactEngines({ db, consumers }))
  return {
    engine,
    add: (days: number, ...numbers: number[]) =>
      store.inStore((ctx) => record({ ...ctx, now: daysAgo(days) }, ...numbers.map((n) => counted(n)))),
    async dispatch() {
      while ((await engine.runOnce(store.storeId)) > 0);
    },
    kept: () =>
      store.inStore(async ({ tx, storeId }) => {
        const rows = await tx.many(
          row({ n: int }),
          sql`select (refs ->> 'n')::bigint as n from facts where store_id = ${storeId} order by id`
        )
        return rows.map(({ n }) => n)
      }),
    completeSince: () =>
      store.inStore(async ({ tx, storeId }) => {
        const found = await tx.maybeOne(
          row({ since: nullable(instant) }),
          sql`select complete_since as since from fact_history where store_id = ${storeId}`
        )
        return found?.since?.toString() ?? null
      })
  }
}

test('old facts are removed in batches, young ones stay, and it is known since when all are there', async () => {
  const store = await aStore(db)
  const facts = factsOf(store, [remembering('a'), remembering('b')])
  await facts.add(50, ...count(5))
  await facts.add(40, 5, 6)
  await facts.add(20, 7, 8)
  await facts.dispatch()
  assert.equal(await facts.completeSince(), null)
  assert.equal(await pruneFacts(db, [store.storeId], { ...KEPT, batch: 2, maxBatches: 2 }), 4)
  assert.deepEqual([await facts.kept(), await facts.completeSince()], [[4, 5, 6, 7, 8], daysAgo(49).toString()])
  assert.equal(await pruneFacts(db, [store.storeId], { ...KEPT, batch: 2 }), 3)
  assert.deepEqual([await facts.kept(), await facts.completeSince()], [[7, 8], daysAgo(39).toString()])
  assert.equal(await pruneFacts(db, [store.storeId], KEPT), 0)
})

test('two nodes may remove at once', async () => {
  const store = await aStore(db)
  const facts = factsOf(store, [remembering('a')])
  await facts.add(50, ...count(300))
  await facts.dispatch()
  const removed = await Promise.all(count(3).map(() => pruneFacts(db, [store.storeId], { ...KEPT, batch: 40 })))
  assert.deepEqual([removed.reduce((sum, n) => sum + n), await facts.kept()], [300, []])
})

test('what a consumer has not handled stays: facts ahead of it, parked ones and dead letters, until they are handled', async () => {
  const store = await aStore(db)
  let isBroken = true
  const [able, picky] = [remembering('able'), remembering('picky', { fails: (n) => isBroken && n === 1 })]
  const facts = factsOf(store, [able, picky])
  await facts.add(50, 0, 1, 2)
  await facts.dispatch()
  assert.equal(await pruneFacts(db, [store.storeId], KEPT), 2)
  assert.deepEqual(await facts.kept(), [1])
  await store.inStore(({ tx, storeId }) =>
    tx.run(sql`update fact_retries set retry_at = null, dead_at = ${NOW} where store_id = ${storeId}`)
  )
  assert.equal(await pruneFacts(db, [store.storeId], KEPT), 0)
  const [letter] = await store.inStore(({ tx, storeId }) =>
    tx.many(row({ factId: int }), sql`select fact_id from fact_retries where store_id = ${storeId}`)
  )
  isBroken = false
  await store.inStore((ctx) => retryDeadLetter(ctx, { consumer: 'picky', factId: letter!.factId }))
  await facts.dispatch()
  assert.deepEqual(picky.handled, [0, 2, 1])
  assert.equal(await pruneFacts(db, [store.storeId], KEPT), 1)

  // One consumer is behind, and the last fact has no position yet.
  await facts.add(50, 3, 4)
  await factsOf(store, [able]).dispatch()
  await facts.add(50, 5)
  assert.equal(await pruneFacts(db, [store.storeId], KEPT), 0)
  await facts.dispatch()
  assert.deepEqual(picky.handled, [0, 2, 1, 3, 4, 5])
  assert.equal(await pruneFacts(db, [store.storeId], KEPT), 3)
})

test('positions go on when no fact is left, and consumers that are added then miss nothing that follows', async () => {
  const store = await aStore(db)
  const old = remembering('old')
  const before = factsOf(store, [old])
  await before.add(50, 0, 1, 2)
  await before.dispatch()
  await pruneFacts(db, [store.storeId], KEPT)
  const [late, whole] = [remembering('late'), remembering('whole', { from: 'beginning' })]
  const after = factsOf(store, [old, late, whole])
  await startConsumersInStores(db, [old, late, whole])
  assert.equal(await after.engine.nextDueAt(store.storeId), null, 'nothing is left to do')
  const lasts = await store.inStore(({ tx, storeId }) =>
    tx.many(
      row({ last: int }),
      sql`select distinct last_position as last from fact_consumers where store_id = ${storeId}`
    )
  )
  assert.deepEqual(lasts, [{ last: 3 }])
  await after.add(1, 3, 4)
  await after.dispatch()
  assert.deepEqual(
    [old.handled, late.handled, whole.handled],
    [
      [0, 1, 2, 3, 4],
      [3, 4],
      [3, 4]
    ]
  )
  const { last } = await store.inStore(({ tx, storeId }) =>
    tx.one(row({ last: int }), sql`select max(position) as last from facts where store_id = ${storeId}`)
  )
  assert.equal(last, 5)
})

test('a consumer that begins at the beginning gets every fact that is kept', async () => {
  const store = await aStore(db)
  const old = remembering('old')
  const facts = factsOf(store, [old])
  await facts.add(50, 0, 1)
  await facts.add(20, 2, 3)
  await facts.dispatch()
  await pruneFacts(db, [store.storeId], KEPT)
  const whole = remembering('whole', { from: 'beginning' })
  await factsOf(store, [old, whole]).dispatch()
  assert.deepEqual(whole.handled, [2, 3])
})

test('a store settles although a consumer is behind facts that are removed', async () => {
  const store = await aStore(db)
  const facts = factsOf(store, [remembering('a')])
  await facts.add(50, 0, 1, 2)
  await facts.dispatch()
  await pruneFacts(db, [store.storeId], KEPT)
  await store.inStore(({ tx, storeId }) =>
    tx.run(sql`update fact_consumers set position = 1 where store_id = ${storeId}`)
  )
  assert.notEqual(await facts.engine.nextDueAt(store.storeId), null)
  await facts.dispatch()
  assert.equal(await facts.engine.nextDueAt(store.storeId), null)
})

test('a removed consumer holds up neither the removal of facts nor the others, also when an old node starts it again', async () => {
  const store = await aStore(db)
  const [stays, goes] = [remembering('stays'), remembering('goes', { fails: (n) => n === 0 })]
  const before = factsOf(store, [stays, goes])
  await before.add(50, 0, 1)
  await before.dispatch()
  const facts = factsOf(store, [stays])
  await facts.add(50, 2)
  await facts.dispatch()
  assert.equal(await pruneFacts(db, [store.storeId], KEPT), 1, 'the removed one is behind and has parked a fact')
  await removeConsumers(db, ['goes'], [stays])
  assert.equal(await pruneFacts(db, [store.storeId], KEPT), 2)

  await startConsumersInStores(db, [stays, goes])
  await removeConsumers(db, ['goes'], [stays])
  const left = await store.inStore(({ tx, storeId }) =>
    tx.one(row({ count: int }), sql`select count(*) from fact_consumers where store_id = ${storeId}`)
  )
  assert.equal(left.count, 1)
  await facts.add(1, 3)
  await facts.dispatch()
  assert.deepEqual(stays.handled, [0, 1, 2, 3])
})

test('a consumer cannot be in use and removed', async () => {
  await assert.rejects(removeConsumers(db, ['a'], [remembering('a')]), /The consumer a is in use and removed/)
})
