// Whoever was merged leads to who remains, in one step, after any number of merges in any order.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import pg from 'pg'
import { audit } from '#audit'
import { int, nullable, row, sql, text } from '#kit/postgres'
import { followMerges, markCustomersMerged, upsertCustomers } from '#members'
import { testDatabase } from '../../test/database.ts'
import { aStore } from '../../test/store-builder.ts'

const { db, url } = await testDatabase()

/** A store with customers, and their merges, by the platform's numbers. */
async function customers(...ids: string[]) {
  const store = await aStore(db)
  const reported = ids.map((id) => ({ id, email: `c${id}@example.com`, firstName: null, lastName: null }))
  const known = await store.inStore((ctx) => upsertCustomers(ctx, reported))
  const idOf = (id: string) => known.get(id)!.id
  const numberOf = new Map(ids.map((id) => [idOf(id), id]))
  const merge = async (deletedId: string, keptId: string) => {
    const both = await store.inStore((ctx) => markCustomersMerged(ctx, { deletedId, keptId }))
    return both && [numberOf.get(both.from), numberOf.get(both.to)]
  }
  const setMerged = (id: string, into: string) =>
    store.inStore(({ tx, storeId }) =>
      tx.run(sql`update members set merged_into = ${idOf(into)} where store_id = ${storeId} and id = ${idOf(id)}`)
    )
  return {
    store,
    idOf,
    merge,
    setMerged,
    /** To whom each leads, as stored, in order of the platform's numbers. */
    led: async () => {
      const rows = await store.inStore(({ tx, storeId }) =>
        tx.many(
          row({ id: text, into: nullable(int) }),
          sql`
          select platform_customer_id as id, merged_into as into from members
           where store_id = ${storeId} order by platform_customer_id`
        )
      )
      return rows.flatMap(({ id, into }) => (into === null ? [] : `${id} to ${numberOf.get(into)}`)).join(', ')
    },
    chains: async () =>
      (await store.inStore(audit)).findings.flatMap(({ check, subject, message }) =>
        check === 'customer_merges_flat' ? [`${subject} ${message}`] : []
      )
  }
}

test('everybody who led to a customer leads on when that one is merged', async () => {
  const { store, idOf, merge, led, chains } = await customers('1', '2', '3', '4', '5')
  assert.deepEqual(await merge('1', '2'), ['1', '2'])
  assert.deepEqual(await merge('5', '2'), ['5', '2'])
  assert.deepEqual(await merge('2', '3'), ['2', '3'])
  assert.deepEqual(await merge('3', '4'), ['3', '4'])
  assert.equal(await led(), '1 to 4, 2 to 4, 3 to 4, 5 to 4')
  assert.equal(await merge('1', '2'), null)
  const kept = await store.inStore((ctx) => followMerges(ctx, ['1', '2', '4'].map(idOf)))
  assert.deepEqual(kept, new Map(['1', '2', '4'].map((id) => [idOf(id), idOf('4')])))
  assert.deepEqual(await chains(), [])
})

test('a merge that is reported after the one that was kept was merged too leads to who remains', async () => {
  const { merge, led } = await customers('1', '2', '3', '4')
  await merge('2', '3')
  assert.deepEqual(await merge('1', '2'), ['1', '3'])
  await merge('3', '4')
  assert.equal(await led(), '1 to 4, 2 to 4, 3 to 4')
  // What nobody can be: who remains leads to nobody.
  assert.equal(await merge('4', '1'), null)
  assert.equal(await led(), '1 to 4, 2 to 4, 3 to 4')
})

test('merges of a chain that are done at once leave no chain', async () => {
  for (let round = 0; round < 5; round++) {
    const { merge, led } = await customers('1', '2', '3', '4')
    await Promise.all([merge('1', '2'), merge('2', '3'), merge('3', '4')])
    assert.equal(await led(), '1 to 4, 2 to 4, 3 to 4')
  }
})

test('the migration flattens the chains of earlier versions, and doctor names those that are left', async () => {
  const { idOf, setMerged, led, chains } = await customers('1', '2', '3', '4', '5', '6')
  for (const [id, into] of [
    ['1', '2'],
    ['2', '3'],
    ['3', '4'],
    ['5', '6']
  ] as const) {
    await setMerged(id, into)
  }
  assert.deepEqual(await chains(), [
    `cust_${idOf('1')} leads to cust_${idOf('2')}, who was merged into cust_${idOf('3')}`,
    `cust_${idOf('2')} leads to cust_${idOf('3')}, who was merged into cust_${idOf('4')}`
  ])
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(await readFile(new URL('../../migrations/0063-members-merged.sql', import.meta.url), 'utf8'))
  await client.end()
  assert.equal(await led(), '1 to 4, 2 to 4, 3 to 4, 5 to 6')
  assert.deepEqual(await chains(), [])
})
