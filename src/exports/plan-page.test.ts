import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpointOf, endpoints, planPage, readPageRequest } from '#exports'
import { sql } from '#kit/postgres'
import { testDatabase } from '../../test/database.ts'
import { aStore } from '../../test/store-builder.ts'
import { fillStore } from './random-store.test-helper.ts'
import { readPlan } from './read-plan.test-helper.ts'

const { db, url } = await testDatabase()

test('every endpoint of an empty store has an empty page, whatever it is asked for', async () => {
  const store = await aStore(db)
  const queries = [
    {},
    { since_date: '2026-01-31' },
    { since_updated: '2026-01-31' },
    { since_id: '5' },
    { page: '3' },
    { shopify_customer_gid: '7' }
  ]
  for (const endpoint of endpoints) {
    for (const query of queries) {
      const plan = await planPage(db, store.storeId, endpoint, readPageRequest(endpoint, query))
      const { data, meta } = await readPlan(url, plan)
      assert.deepEqual(data, [], endpoint.name)
      assert.equal(meta.per_page, endpoint.pageSize)
      if (endpoint.paging === 'cursor') {
        const last = 'since_id' in query ? 5 : 0
        assert.deepEqual(meta, { per_page: 10_000, last_id: last, has_more: false, timezone: 'America/New_York' })
      } else assert.deepEqual(meta, { current_page: 'page' in query ? 3 : 1, per_page: endpoint.pageSize })
    }
  }
})

test('since_updated finds the same rows by change times as by a walk over all rows, which very many changes ask for', async () => {
  const store = await aStore(db)
  await fillStore(store, 4, { customers: 30, orders: 80, subscriptions: 40, entries: 5 })
  const { storeId } = store
  await store.inStore(async ({ tx }) => {
    await tx.run(sql`
      insert into export_changes (store_id, kind, row_id, changed_at)
      select ${storeId}::bigint, 'order', id, '2026-10-20T12:00:00Z'::timestamptz from orders where store_id = ${storeId} and id % 3 = 0
      union all
      select ${storeId}::bigint, 'subscription', id, '2026-10-20T12:00:00Z'::timestamptz from subscriptions where store_id = ${storeId} and id % 3 = 0
      on conflict do nothing`)
  })
  const read = async () => {
    const found = []
    for (const name of ['orders', 'subscriptions'] as const) {
      const endpoint = { ...endpointOf(name), pageSize: 9 }
      for (let since = 0, isEnd = false; !isEnd; ) {
        const query = { since_updated: '2026-10-20', since_id: String(since) }
        const { data, meta } = await readPlan(
          url,
          await planPage(db, storeId, endpoint, readPageRequest(endpoint, query))
        )
        found.push(...data)
        since = Number(meta.last_id)
        isEnd = !meta.has_more
      }
    }
    return found
  }
  const few = await read()
  assert.ok(few.length > 20 && few.length < 120)
  // Rows of change times that no row has: only their number counts.
  await store.inStore(({ tx }) =>
    tx.run(sql`
      insert into export_changes (store_id, kind, row_id, changed_at)
      select ${storeId}::bigint, kind, 10000000 + n, '2026-10-21T00:00:00Z'::timestamptz from generate_series(1, 50001) n
       cross join (values ('order'), ('subscription')) k(kind)
      on conflict do nothing`)
  )
  assert.deepEqual(await read(), few)
})
