import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { analyzeGrownTables } from './analyze-grown-tables.ts'
import { bool, row, sql } from './index.ts'

const { db } = await testDatabase()

/** Adds rows and has the server count them at once, which it otherwise does within a second. */
async function addFacts(howMany: number): Promise<void> {
  const { storeId } = await aStore(db)
  await db.inStore(storeId, async ({ tx }) => {
    await tx.run(sql`insert into facts (store_id, name, ordering_key, data, occurred_at)
      select ${storeId}, 'test.grown', 'row:' || n, '{}', now() from generate_series(1, ${howMany}) n returning id`)
    await tx.run(sql`select pg_stat_force_next_flush()`)
  })
}

const known = () =>
  db.inInstallation(async (tx) => {
    const { isKnown } = await tx.one(
      row({ isKnown: bool }),
      sql`select reltuples >= 1500 as is_known from pg_class where oid = 'facts'::regclass`
    )
    return isKnown
  })

test('the planner learns of a table that has grown, once', async () => {
  await addFacts(900)
  assert.ok(!(await analyzeGrownTables(db)).includes('facts'))
  await addFacts(700)
  assert.ok((await analyzeGrownTables(db)).includes('facts'))
  assert.ok(await known())
  assert.deepEqual(await analyzeGrownTables(db), [])
  await addFacts(1_100)
  assert.ok(!(await analyzeGrownTables(db)).includes('facts'), 'less than half is new')
  await addFacts(1_000)
  assert.ok((await analyzeGrownTables(db)).includes('facts'))
})

test('a table that is held is left, and the others are not', async () => {
  await addFacts(9_000)
  const { storeId } = await aStore(db)
  await db.inStore(storeId, async ({ tx }) => {
    await tx.run(sql`insert into alerts (store_id, kind, subject, message, created_at)
      select ${storeId}, 'test', 'row ' || n, 'Held', now() from generate_series(1, 1500) n`)
    await tx.run(sql`select pg_stat_force_next_flush()`)
  })
  const looked = await db.inInstallation(async (tx) => {
    await tx.run(sql`lock facts in share update exclusive mode`)
    return analyzeGrownTables(db)
  })
  assert.deepEqual(looked.slice(0, 2), ['facts', 'alerts'])
  assert.deepEqual(await analyzeGrownTables(db), ['facts'])
})
