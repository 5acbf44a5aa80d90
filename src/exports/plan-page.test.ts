import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpoints, planPage, readPageRequest } from '#exports'
import { testDatabase } from '../../test/database.ts'
import { aStore } from '../../test/store-builder.ts'
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
