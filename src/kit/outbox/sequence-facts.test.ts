import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { int, nullable, row, sql, text } from '../postgres/index.ts'
import { registerConsumers } from './known-consumers.ts'
import { createPaces } from './pace.ts'

const { db, url } = await testDatabase()

/** A store with one consumer and facts without positions, the first one written last. */
async function aStoreWithFacts(count: number) {
  const store = await aStore(db)
  const { storeId } = store
  await store.inStore(async ({ tx, now }) => {
    await tx.run(sql`delete from facts where store_id = ${storeId}`)
    await tx.run(sql`delete from fact_consumers where store_id = ${storeId}`)
    await tx.run(sql`
      insert into fact_consumers (store_id, consumer, position, furthest, last_position)
      values (${storeId}, 'one', 3, 5, 7), (${storeId}, 'other', 7, 7, 7)`)
    await tx.run(sql`
      insert into facts (store_id, name, ordering_key, data, occurred_at)
      select ${storeId}, 'order.placed', 'key:' || n, '{}', ${now} from generate_series(1, ${count}::int) n`)
    await tx.run(sql`
      update facts set name = name where store_id = ${storeId} and id = (select min(id) from facts where store_id = ${storeId})`)
  })
  const sequence = (max: number) =>
    store.inStore(async ({ tx }) => {
      // No index that happens to have the order of ids.
      await tx.run(sql`set local enable_indexscan = off`)
      await tx.run(sql`set local enable_bitmapscan = off`)
      return (await tx.one(row({ given: int }), sql`select sequence_facts(${storeId}, ${max}) as given`)).given
    })
  return {
    ...store,
    sequence,
    positions: async () =>
      (
        await store.inStore(({ tx }) =>
          tx.many(
            row({ position: nullable(int) }),
            sql`select position from facts where store_id = ${storeId} order by id`
          )
        )
      ).map(({ position }) => position),
    marks: async () =>
      (
        await store.inStore(({ tx }) =>
          tx.many(
            row({ last: int }),
            sql`select last_position as last from fact_consumers where store_id = ${storeId} order by consumer`
          )
        )
      ).map(({ last }) => last)
  }
}

test('positions go on after the last one, in the order of ids, at most so many at a time', async () => {
  const { sequence, positions, marks } = await aStoreWithFacts(5)
  assert.equal(await sequence(2), 2)
  assert.deepEqual(await positions(), [8, 9, null, null, null])
  assert.deepEqual(await marks(), [9, 9])
  assert.equal(await sequence(9), 3)
  assert.deepEqual(await positions(), [8, 9, 10, 11, 12])
  assert.deepEqual([await sequence(9), await marks()], [0, [12, 12]])
})

test('a consumer that had everything is past facts that no version of it wants, durably; one that is behind is not', async () => {
  const { sequence, storeId, inStore } = await aStoreWithFacts(3)
  const at = () =>
    inStore(({ tx }) =>
      tx.many(
        row({ consumer: text, position: int, furthest: int }),
        sql`select consumer, position, furthest from fact_consumers where store_id = ${storeId} order by consumer`
      )
    )
  await registerConsumers(db, [
    { name: 'one', facts: ['x'], dropped: [] },
    { name: 'other', facts: ['x'], dropped: [] }
  ])
  const commit = await inStore(async ({ tx }) => {
    await tx.run(sql`set local synchronous_commit = on`)
    assert.equal((await tx.one(row({ given: int }), sql`select sequence_facts(${storeId}, 2) as given`)).given, 2)
    return tx.one(row({ is: text }), sql`select current_setting('synchronous_commit') as is`)
  })
  assert.equal(commit.is, 'on')
  const one = { consumer: 'one', position: 3, furthest: 5 }
  assert.deepEqual(await at(), [one, { consumer: 'other', position: 9, furthest: 9 }])
  await registerConsumers(db, [{ name: 'other', facts: ['order.placed'], dropped: [] }])
  assert.equal(await sequence(2), 1)
  assert.deepEqual(await at(), [one, { consumer: 'other', position: 9, furthest: 9 }])
  await db.inInstallation((tx) => tx.run(sql`delete from known_consumers where name in ('one', 'other')`))
})

test('one caller at a time gives positions; another one waits for nothing and gives none', async () => {
  const { inStore, storeId, sequence, positions } = await aStoreWithFacts(2)
  await inStore(async ({ tx }) => {
    await tx.one(row({ given: int }), sql`select sequence_facts(${storeId}, 1) as given`)
    assert.equal(await sequence(9), 0)
  })
  assert.deepEqual(await positions(), [8, null])
})

test('only the transaction that gives positions does without the disk, not what follows on its connection', async () => {
  const { storeId } = await aStoreWithFacts(1)
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const shown = async () => (await client.query('show synchronous_commit')).rows[0].synchronous_commit
    await client.query('set synchronous_commit = on')
    await client.query('begin')
    await client.query('select sequence_facts($1, 9)', [storeId])
    assert.equal(await shown(), 'off')
    await client.query('commit')
    assert.equal(await shown(), 'on')
  } finally {
    await client.end()
  }
})

test('a node with fewer facts takes none away from what others know of a consumer, but for those that are dropped', async () => {
  const known = async () =>
    (
      await db.inInstallation((tx) =>
        tx.many(
          row({ facts: text }),
          sql`select array_to_string(facts, ',') as facts from known_consumers where name = 'known'`
        )
      )
    ).map(({ facts }) => facts)
  await registerConsumers(db, [{ name: 'known', facts: ['a', 'b'], dropped: [] }])
  await registerConsumers(db, [{ name: 'known', facts: ['b', 'c'], dropped: [] }])
  assert.deepEqual(await known(), ['a,b,c'])
  await registerConsumers(db, [{ name: 'known', facts: ['c'], dropped: ['a'] }])
  assert.deepEqual(await known(), ['b,c'])
})

test('after a failure come fewer facts, and more again only while they are handled quickly', () => {
  const pace = createPaces()(1)
  assert.equal(pace.limit(), 500)
  pace.failed(500)
  assert.equal(pace.limit(), 125)
  pace.succeeded(2_000)
  assert.equal(pace.limit(), 125)
  pace.succeeded(1_999)
  assert.equal(pace.limit(), 500)
  for (const [count, limit] of [
    [9, 2],
    [2, 1],
    [1, 1]
  ] as const) {
    pace.failed(count)
    assert.equal(pace.limit(), limit)
  }
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6].map(() => pace.mayRepeat()),
    [true, true, true, true, true, false]
  )
  pace.succeeded(1)
  assert.equal(pace.mayRepeat(), true, 'only those in a row count')
})
