import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { audit } from '#audit'
import { type Ctx, int, row, sql } from '#kit/postgres'
import { testDatabase } from '../../../test/database.ts'
import { aStore, type BuiltStore } from '../../../test/store-builder.ts'
import { listMembers } from '../list-members.ts'
import { rollUpTotals } from './roll-up-totals.ts'

const { db, url } = await testDatabase()
const CUT = { blockRows: 10, chapterBlocks: 3 }

const addMembers = ({ tx, storeId, now }: Ctx, howMany: number) =>
  tx.run(sql`
    insert into members (store_id, platform_customer_id, email, status, member_since, created_at, updated_at)
    select ${storeId}, (random() * 1e15)::bigint::text, 'person@example.com', 'active', ${now}, ${now}, ${now}
      from generate_series(1, ${howMany}::int)`)

const change = ({ tx, storeId }: Ctx) =>
  tx.run(sql`
    update members set status = case status when 'active' then 'paused' else 'active' end where store_id = ${storeId}`)

/** The number of members by the stored counts. */
const total = async (store: BuiltStore) => (await listMembers(db.direct, store.storeId, { limit: 1, offset: 0 })).total

const largestBlock = (store: BuiltStore) =>
  store.inStore(async ({ tx, storeId }) => {
    const found = await tx.one(
      row({ rows: int }),
      sql`select max(rows) as rows from list_blocks where store_id = ${storeId} and level = 0`
    )
    return found.rows
  })

const markOf = async (store: BuiltStore) =>
  (
    await store.inStore(({ tx, storeId }) =>
      tx.one(row({ mark: int }), sql`select rolled_up_to(${storeId}, 'members') as mark`)
    )
  ).mark

/** Rolls up until the mark is at the end. It waits for every transaction that writes on this server, also in other databases. */
async function rollUpAll(store: BuiltStore) {
  const { ahead } = await store.inStore(({ tx, storeId }) =>
    tx.one(
      row({ ahead: int }),
      sql`select count(*) as ahead from rollup_marks where store_id = ${storeId} and rolled_up_to < taken_to`
    )
  )
  await rollUpTotals(db)
  if (ahead > 0) {
    await setTimeout(10)
    await rollUpAll(store)
  }
}

async function counted(store: BuiltStore) {
  const { findings } = await store.inStore(audit)
  assert.deepEqual(
    findings.filter(({ check }) => check === 'lists_counted'),
    []
  )
}

test('blocks are cut also when the changes fill the last batch exactly', async () => {
  const store = await aStore(db)
  await store.inStore((ctx) => addMembers(ctx, 200))
  assert.equal(await rollUpTotals(db, { ...CUT, max: 100 }), 200)
  assert.ok((await largestBlock(store)) <= 2 * CUT.blockRows)
  await counted(store)
})

test('while a long transaction reads, changes that are rolled up meanwhile cost other readers nothing', async () => {
  const store = await aStore(db)
  await store.inStore((ctx) => addMembers(ctx, 200))
  await rollUpTotals(db)
  const long = await db.session()
  const reader = await db.session()
  try {
    await long.query('begin isolation level repeatable read; select count(*) from stores')
    for (let i = 0; i < 10; i++) {
      await store.inStore(change)
      await rollUpTotals(db)
    }
    await rollUpAll(store)
    const page = `select total from page_with_total(${store.storeId}, 'members', 0, '', null, null, 100, 10)`
    // The first execution also reads the catalog.
    await reader.query(page)
    const { rows } = await reader.query(`explain (analyze, buffers, timing off, format json) ${page}`)
    const [{ Plan: plan }] = JSON.parse(rows[0]['QUERY PLAN'])
    const pages = plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
    assert.ok(pages < 100, `${pages} pages for 4,000 changes that are dead, but kept for the long transaction`)
    await long.query('commit')
  } finally {
    await Promise.all([long.end(), reader.end()])
  }
  assert.equal(await total(store), 200)
  await counted(store)
})

test('a change that commits late is counted, although later ones were rolled up before it', async () => {
  const store = await aStore(db)
  await store.inStore((ctx) => addMembers(ctx, 10))
  await rollUpTotals(db, CUT)
  const wrote = Promise.withResolvers<number>()
  const mayCommit = Promise.withResolvers<void>()
  const late = store.inStore(async (ctx) => {
    await addMembers(ctx, 5)
    const { first } = await ctx.tx.one(
      row({ first: int }),
      sql`select min(change_id) as first from list_changes where store_id = ${ctx.storeId}`
    )
    wrote.resolve(first)
    await mayCommit.promise
  })
  try {
    const first = await wrote.promise
    for (let i = 0; i < 5; i++) {
      await store.inStore((ctx) => addMembers(ctx, 2))
      await rollUpTotals(db, CUT)
    }
    assert.ok((await markOf(store)) < first, 'the mark waits for the late one')
    assert.equal(await total(store), 20)
    mayCommit.resolve()
    await late
    assert.equal(await total(store), 25)
    await rollUpAll(store)
    assert.equal(await total(store), 25)
    assert.ok((await markOf(store)) > first, 'with nobody writing, the mark reaches the end')
    await counted(store)
  } finally {
    mayCommit.resolve()
  }
})

test('a list whose roll-up fails does not delay the others, and its error is thrown', async () => {
  const [broken, sound] = [await aStore(db), await aStore(db)]
  for (const store of [broken, sound]) await store.inStore((ctx) => addMembers(ctx, 5))
  await broken.inStore(({ tx, storeId }) =>
    tx.run(sql`
      insert into list_blocks (store_id, list, plan_id, status, level, from_at, from_id, rows)
      select ${storeId}, 'members', 0, '', level, '-infinity', 0, 9223372036854775807 from (values (0), (1)) v(level)`)
  )
  await assert.rejects(rollUpTotals(db, CUT), (err: AggregateError) => {
    assert.equal(err.errors.length, 1)
    assert.match(err.message, new RegExp(`^members of store_${broken.storeId}: bigint out of range$`))
    return true
  })
  const waiting = await sound.inStore(({ tx, storeId }) =>
    tx.one(row({ count: int }), sql`select count(*) as count from list_changes where store_id = ${storeId}`)
  )
  assert.equal(waiting.count, 0)
  await broken.inStore(({ tx, storeId }) => tx.one(row({}), sql`select rebuild_lists(${storeId})`))
  await rollUpTotals(db, CUT)
  await counted(broken)
})

test('a table of a list cannot be truncated, because no trigger would change its counts', async () => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const table of ['members', 'subscriptions', 'billing_attempts', 'stores']) {
      await assert.rejects(client.query(`truncate ${table} cascade`), /must not be truncated.*rebuild_lists/)
    }
    await client.query('set session_replication_role = replica; truncate members cascade')
  } finally {
    await client.end()
  }
})
