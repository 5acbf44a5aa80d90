// Pages by number: every row once, in order, whichever page is asked for, and without counting what lies before it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpointOf, planPage, readPageRequest } from '#exports'
import { int, row, sql } from '#kit/postgres'
import { testDatabase } from '../../test/database.ts'
import { aStore, type BuiltStore } from '../../test/store-builder.ts'
import type { EndpointName } from './endpoint.ts'
import { fillStore } from './random-store.test-helper.ts'
import { type ExportedRow, readPlan } from './read-plan.test-helper.ts'

const { db, url } = await testDatabase()

/** All pages of an endpoint with small pages, and what the whole is. */
async function pagesOf(store: BuiltStore, name: EndpointName, pageSize: number, query: Record<string, string> = {}) {
  const read = async (size: number, page: number) => {
    const endpoint = { ...endpointOf(name), pageSize: size }
    const request = readPageRequest(endpoint, { ...query, page: String(page) })
    return (await readPlan(url, await planPage(db, store.storeId, endpoint, request))).data
  }
  const pages: ExportedRow[][] = []
  for (let page = 1; page === 1 || pages.at(-1)!.length === pageSize; page++) pages.push(await read(pageSize, page))
  return { pages, whole: await read(100_000, 1), past: await read(pageSize, pages.length + 5) }
}

test('members: pages are the whole in parts, also after members came, went by a merge, and came between', async () => {
  const store = await aStore(db)
  await fillStore(store, 7, { customers: 400, orders: 10, subscriptions: 10, entries: 10 })
  const isRight = async () => {
    const { pages, whole, past } = await pagesOf(store, 'members', 17)
    assert.deepEqual(pages.flat(), whole)
    assert.deepEqual(past, [])
    const { rows } = await store.inStore(({ tx, storeId }) =>
      tx.one(
        row({ rows: int }),
        sql`select count(*) as rows from members where store_id = ${storeId} and status is not null and merged_into is null`
      )
    )
    assert.equal(whole.length, rows)
  }
  await isRight()
  const change = (statement: ReturnType<typeof sql>) => store.inStore(({ tx }) => tx.run(statement))
  const { storeId } = store
  await change(
    sql`update members set status = 'active', member_since = created_at where store_id = ${storeId} and id % 5 = 0`
  )
  await isRight()
  await change(sql`
    update members set merged_into = (select min(id) from members where store_id = ${storeId} and merged_into is null)
     where store_id = ${storeId} and id % 7 = 0 and merged_into is null
       and id <> (select min(id) from members where store_id = ${storeId} and merged_into is null)`)
  await isRight()
  const rolledBack = store.inStore(async ({ tx }) => {
    await tx.run(sql`update members set status = null, member_since = null where store_id = ${storeId}`)
    throw new Error('rolled back')
  })
  await assert.rejects(rolledBack, { message: 'rolled back' })
  await isRight()
})

test('credits-history: newest first, over marks, with hidden entries between, of all and of one customer', async () => {
  const store = await aStore(db, { clockAt: Temporal.Instant.from('2026-11-01T00:00:00Z') })
  await fillStore(store, 3, { customers: 20, orders: 30, subscriptions: 5, entries: 150 })
  // Many more, so that there are marks; one in nine is a redemption that the next one restores because its order was cancelled.
  await store.inStore(async ({ tx, storeId, now }) => {
    await tx.run(sql`
      insert into credit_entries (store_id, id, member_id, position, type, amount_minor, balance_after_minor, reason, operation_id,
        created_at, reverses_id, mark)
      overriding system value
      select ${storeId}, 1000000 + n, m.id, 100000 + n, case n % 9 when 3 then 4 when 4 then 5 else 2 end,
             case n % 9 when 3 then -5 else 5 end, 0, 'n' || n, 'n' || n, ${now},
             case n % 9 when 4 then 1000000 + n - 1 end, case n % 9 when 4 then 'order_cancelled' end
        from generate_series(1, 5500) as n
        cross join (select min(id) as id from members where store_id = ${storeId}) m
       order by n
      on conflict (store_id, id) do nothing`)
  })
  const { pages, whole, past } = await pagesOf(store, 'credits-history', 321)
  assert.ok(whole.length > 4000)
  assert.deepEqual(pages.flat(), whole)
  assert.deepEqual(past, [])
  assert.ok(whole.every(({ body }) => !['n3', 'n4', 'n12', 'n13'].includes(String(body))))
  const marks = await store.inStore(({ tx, storeId }) =>
    tx.one(row({ marks: int }), sql`select count(*) as marks from export_marks where store_id = ${storeId}`)
  )
  assert.ok(marks.marks >= 5)

  const customer = String(whole[0]!.shopify_customer_gid)
  for (const given of [customer, `gid://platform/Customer/${customer}`]) {
    const own = await pagesOf(store, 'credits-history', 321, { shopify_customer_gid: given })
    assert.deepEqual(
      own.pages.flat(),
      whole.filter((one) => one.shopify_customer_gid === customer)
    )
  }
  for (const given of ['1', 'abc', 'gid://platform/Order/1', '']) {
    const { whole: none } = await pagesOf(store, 'credits-history', 321, { shopify_customer_gid: given })
    assert.deepEqual(none, [], given)
  }
})
