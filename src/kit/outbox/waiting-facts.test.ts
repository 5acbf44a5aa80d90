// The view that says whom facts wait for; rules of the auditor compare only what nobody has to handle any more.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { nullable, row, sql, text } from '../postgres/index.ts'
import { consumer, createFactEngines, defineFact, record } from './index.ts'

const { db } = await testDatabase()

const changed = defineFact('changed', (n: number) => ({ orderingKey: `number:${n}`, data: {}, refs: { n } }))

test('facts wait for everybody until they have a position, then for whoever has not passed them or has failed on them', async () => {
  const [store, other] = [await aStore(db), await aStore(db)]
  let isBroken = true
  const consumers = [
    consumer('quick', ['changed'], async () => {}, { from: 'now' }),
    consumer(
      'failing',
      ['changed'],
      async () => {
        if (isBroken) throw new Error('no')
      },
      { from: 'now' }
    )
  ]
  const [sequencer, ...handlers] = createFactEngines({ db, consumers })
  const waiting = async () =>
    (
      await store.inStore(({ tx, storeId }) =>
        tx.many(
          row({ consumer: nullable(text) }),
          sql`select distinct consumer from waiting_facts where store_id = ${storeId} order by consumer`
        )
      )
    ).map((one) => one.consumer)
  await sequencer!.runOnce(store.storeId)
  await other.inStore((ctx) => record(ctx, changed(1)))
  assert.deepEqual(await waiting(), [], 'facts of another store')

  await store.inStore((ctx) => record(ctx, changed(1)))
  assert.deepEqual(await waiting(), [null])
  await sequencer!.runOnce(store.storeId)
  assert.deepEqual(await waiting(), ['failing', 'quick'])
  for (const engine of handlers) await engine.runOnce(store.storeId)
  assert.deepEqual(await waiting(), ['failing'], 'it is to be tried again')
  isBroken = false
  await store.inStore(({ tx, storeId, now }) =>
    tx.run(sql`update fact_retries set retry_at = ${now} where store_id = ${storeId}`)
  )
  for (const engine of handlers) await engine.runOnce(store.storeId)
  assert.deepEqual(await waiting(), [])
})
