// Ids of entries are taken before the entries are written: behind the lock of the account, and behind the lock of an insert.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { type Ctx, int, row, sql } from '#kit/postgres'
import { upsertCustomers } from '#members'
import { beforeDrop, testDatabase } from '../../test/database.ts'
import { aStore } from '../../test/store-builder.ts'
import { until } from '../../test/until.ts'
import { changeCredits } from './change-credits.ts'
import { at, START } from './credit-account.test-helper.ts'
import { takeEntryIds } from './queries.ts'

const { db, url } = await testDatabase()
const owner = new pg.Client({ connectionString: url })
await owner.connect()
beforeDrop(() => owner.end())

async function aCustomer() {
  const store = await aStore(db, { clockAt: at(START) })
  const reported = [{ id: '1', email: 'ada@example.com', firstName: null, lastName: null }]
  return { store, id: (await store.inStore((ctx) => upsertCustomers(ctx, reported))).get('1')!.id }
}

let last = 0
const add = (ctx: Ctx, memberId: number, times = 1) =>
  changeCredits(
    ctx,
    Array.from({ length: times }, () => ({
      memberId,
      type: 'manual_add' as const,
      amountMinor: 5,
      reason: 'test',
      operationId: `ids:${++last}`
    }))
  )

/** The entries of an account in order of their positions: whether the lot and the event of each have its id. */
const idsOf = async (storeId: number, memberId: number) => {
  const { rows } = await owner.query<{ id: number; lot: number; event: string }>(
    `select e.id::int, l.entry_id::int as lot, f.data->>'transaction_id' as event
       from credit_entries e
       left join credit_lots l on l.store_id = e.store_id and l.entry_id = e.id
       left join facts f on f.store_id = e.store_id and f.name = 'store_credit.added' and f.data->>'transaction_id' = 'sct_' || e.id
      where e.store_id = $1 and e.member_id = $2 order by e.position`,
    [storeId, memberId]
  )
  for (const { id, lot, event } of rows) assert.deepEqual([lot, event], [id, `sct_${id}`])
  return rows.map(({ id }) => id)
}
const rising = (ids: number[]) => ids.toSorted((a, b) => a - b)

test('ids rise with the positions of an account; the lot and the event of an entry have its id', async () => {
  const { store, id } = await aCustomer()
  await store.inStore((ctx) => add(ctx, id, 3))
  const [refused] = await store.inStore((ctx) =>
    changeCredits(ctx, [
      { memberId: id, type: 'manual_deduct', amountMinor: -99, reason: 'test', operationId: `ids:${++last}` }
    ])
  )
  assert.equal(refused!.refusal?.code, 'conflict')
  const outcomes = await store.inStore((ctx) => add(ctx, id, 2))
  const ids = await idsOf(store.storeId, id)
  assert.equal(ids.length, 5)
  assert.deepEqual(ids, rising(ids))
  assert.deepEqual(
    outcomes.map(({ entry }) => entry?.id),
    ids.slice(3)
  )
})

test('ids rise with the positions also where somebody else makes the account in between', async () => {
  const { store, id } = await aCustomer()
  let isFirst = true
  await store.inStore((ctx) => {
    // It has found no account, and is about to make it.
    const run: Ctx['tx']['run'] = async (statement) => {
      if (isFirst) await db.inStore(store.storeId, (other) => add(other, id))
      isFirst = false
      return ctx.tx.run(statement)
    }
    return add({ ...ctx, tx: { ...ctx.tx, run } }, id)
  })
  assert.equal(isFirst, false)
  const ids = await idsOf(store.storeId, id)
  assert.equal(ids.length, 2)
  assert.deepEqual(ids, rising(ids))
})

test('no id is given out to a transaction that has not the lock of an insert', async () => {
  const { store } = await aCustomer()
  const given = async () =>
    (await owner.query(`select pg_sequence_last_value('credit_entries_id_seq')::int as n`)).rows[0].n
  const before = await given()
  await owner.query('begin')
  await owner.query('lock table credit_entries in share mode')
  const taking = store.inStore(async (ctx) => {
    const ids = await takeEntryIds(ctx, 2)
    const held = await ctx.tx.one(
      row({ n: int }),
      sql`select count(*)::int as n from pg_locks
           where relation = 'credit_entries'::regclass and mode = 'RowExclusiveLock' and granted and pid = pg_backend_pid()`
    )
    return { ids, held: held.n }
  })
  try {
    await until('it waits for the lock', async () => {
      const { rows } = await owner.query(
        `select from pg_locks where relation = 'credit_entries'::regclass and not granted`
      )
      return rows.length > 0
    })
    assert.equal(await given(), before)
  } finally {
    await owner.query('commit')
  }
  const { ids, held } = await taking
  assert.equal(held, 1)
  assert.deepEqual(ids, [before + 1, before + 2])
})
