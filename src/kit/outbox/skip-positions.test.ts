// Positions are left out after a restore: a consumer loses nothing and gets nothing twice, wherever it was.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../../test/database.ts'
import { enginesInTurn } from '../../../test/engines-in-turn.ts'
import { aStore } from '../../../test/store-builder.ts'
import { int, row, sql } from '../postgres/index.ts'
import { consumer, createFactEngines, defineFact, record, skipPositions } from './index.ts'

const { db } = await testDatabase()
const counted = defineFact('counted', (n: number) => ({ orderingKey: 'number:1', data: { n }, refs: { n } }))
const AHEAD = 1_000

test('a consumer that is behind gets all facts in order, and one that has passed them all is not behind', async () => {
  const store = await aStore(db)
  const handled: [position: number, n: unknown, isRepeat: boolean][] = []
  const late = consumer(
    'late',
    ['counted'],
    async (_, facts, { isRepeat }) => {
      for (const { position, refs } of facts) handled.push([position, refs.n, isRepeat])
    },
    { from: 'now' }
  )
  const [sequencer, ...rest] = createFactEngines({ db, consumers: [late] })
  const all = enginesInTurn([sequencer!, ...rest])
  await all.runOnce(store.storeId)
  const add = (n: number) => store.inStore((ctx) => record(ctx, counted(n)))
  const skip = () => store.inStore((ctx) => skipPositions(ctx, AHEAD))
  const places = () =>
    store.inStore(({ tx, storeId }) =>
      tx.one(
        row({ position: int, furthest: int, last: int }),
        sql`select position, furthest, last_position as last from fact_consumers
             where store_id = ${storeId} and consumer = 'late'`
      )
    )

  await add(1)
  await sequencer!.runOnce(store.storeId)
  await skip()
  assert.deepEqual(await places(), { position: 0, furthest: 0, last: 1 + AHEAD })
  await add(2)
  await all.runOnce(store.storeId)
  assert.deepEqual(handled, [
    [1, 1, false],
    [2 + AHEAD, 2, false]
  ])

  await skip()
  const end = 2 + 2 * AHEAD
  assert.deepEqual(await places(), { position: end, furthest: end, last: end })
  await add(3)
  await all.runOnce(store.storeId)
  assert.deepEqual(handled.slice(2), [[end + 1, 3, false]])
})
