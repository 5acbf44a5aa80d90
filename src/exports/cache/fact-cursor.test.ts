// Which facts are new since a cursor: none is missed and none comes twice, whatever order they commit and get their positions in.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { sql } from '#kit/postgres'
import { beforeDrop, testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { type FactCursor, readFactsSince } from './fact-cursor.ts'

const { db, url } = await testDatabase()
const other = new pg.Client({ connectionString: url })
await other.connect()
beforeDrop(() => other.end())

async function aReader() {
  const { storeId } = await aStore(db)
  let cursor: FactCursor | null = null
  const insert = `insert into facts (store_id, name, ordering_key, data, refs, occurred_at) values (${storeId}, 'a.b', $1, '{}', $2, now())`
  const record = (key: string, refs: object = {}) =>
    db.inStore(storeId, (ctx) =>
      ctx.tx.run(sql`
      insert into facts (store_id, name, ordering_key, data, refs, occurred_at)
      values (${storeId}, 'a.b', ${key}, '{}', ${JSON.stringify(refs)}::jsonb, ${ctx.now})`)
    )
  const position = () =>
    db.inStore(storeId, (ctx) =>
      ctx.tx.run(sql`
      update facts f set position = n.position
        from (select id, row_number() over (order by id) + coalesce((select max(position) from facts where store_id = ${storeId}), 0) as position
                from facts where store_id = ${storeId} and position is null) n
       where f.store_id = ${storeId} and f.id = n.id`)
    )
  /** The customers whom the new facts are about; null when that is not known. */
  const next = () =>
    db.inStore(storeId, async (ctx) => {
      const found = await readFactsSince(ctx, cursor)
      cursor = found.cursor
      return found.subjects && [...found.subjects.members]
    })
  await position()
  return { storeId, insert, record, position, next }
}

test('each fact comes once, whether its position comes before the look or after it', async () => {
  const { record, position, next } = await aReader()
  assert.equal(await next(), null)
  assert.deepEqual(await next(), [])
  await record('member:1')
  assert.deepEqual(await next(), [1])
  await position()
  assert.deepEqual(await next(), [])
  await record('member:2')
  await position()
  await record('member:3')
  assert.deepEqual((await next())?.sort(), [2, 3])
  assert.deepEqual(await next(), [])
})

test('a fact that commits after one with a higher number is not missed', async () => {
  const { insert, record, position, next } = await aReader()
  await next()
  await other.query('begin')
  await other.query(insert, ['member:1', '{}'])
  await record('member:2')
  assert.deepEqual(await next(), [2])
  await other.query('commit')
  assert.deepEqual(await next(), [1])
  await position()
  assert.deepEqual(await next(), [])
})

test('whom a fact is about says its key, and what else it names', async () => {
  const { storeId, record } = await aReader()
  const since = (cursor: FactCursor | null) => db.inStore(storeId, (ctx) => readFactsSince(ctx, cursor))
  const { cursor } = await since(null)
  await record('member:1', { formerMemberId: 2, subscriptionId: 3, orderId: 4, refundId: 5 })
  await record('order:6')
  const { subjects } = await since(cursor)
  assert.deepEqual(subjects, { members: new Set([1, 2]), orders: new Set([4, 6]) })
})

test('facts that were removed, too many of them, or one about nobody: everything may have changed', async () => {
  const { storeId, record, position, next } = await aReader()
  const run = (statement: ReturnType<typeof sql>) => db.inStore(storeId, ({ tx }) => tx.run(statement))
  await next()
  await record('member:1')
  await record('member:2')
  await position()
  await run(sql`delete from facts where store_id = ${storeId} and ordering_key = 'member:1'`)
  assert.equal(await next(), null)
  assert.deepEqual(await next(), [])
  await record('plan:1')
  assert.equal(await next(), null)
  assert.deepEqual(await next(), [])
  await run(sql`
    insert into facts (store_id, name, ordering_key, data, occurred_at)
    select ${storeId}, 'a.b', 'member:1', '{}', now() from generate_series(1, 2001)`)
  assert.equal(await next(), null)
  // So many wait for their position that it cannot be known which were seen.
  assert.equal(await next(), null)
  await position()
  assert.equal(await next(), null)
  assert.deepEqual(await next(), [])
})
