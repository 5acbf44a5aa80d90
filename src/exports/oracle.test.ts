import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpoints, planPage, readPageRequest } from '#exports'
import { testDatabase } from '../../test/database.ts'
import { aStore } from '../../test/store-builder.ts'
import { expectedRows, readTables } from './oracle.test-helper.ts'
import { fillStore } from './random-store.test-helper.ts'
import { type ExportedRow, readPlan } from './read-plan.test-helper.ts'

const { db, url } = await testDatabase()
const SEED = Number(process.env.SEED ?? 1)
const SHOPS = [
  {
    timezone: 'America/New_York',
    currency: 'USD',
    sizes: { customers: 150, orders: 1000, subscriptions: 300, entries: 500 }
  },
  {
    timezone: 'Asia/Kolkata',
    currency: 'KWD',
    sizes: { customers: 60, orders: 300, subscriptions: 150, entries: 200 }
  },
  { timezone: 'Europe/Berlin', currency: 'JPY', sizes: { customers: 40, orders: 100, subscriptions: 80, entries: 100 } }
]

test('each field of every row is what plain TypeScript makes of the tables, in stores beside each other', async () => {
  const stores = []
  for (const [i, { timezone, currency, sizes }] of SHOPS.entries()) {
    const store = await aStore(db, { timezone, currency, clockAt: Temporal.Instant.from('2026-11-01T00:00:00Z') })
    stores.push({ store, shop: { timezone, currency }, ...(await fillStore(store, SEED + i, sizes)) })
  }
  for (const { store, shop, storeId } of stores) {
    const { tables, now } = await store.inStore(async (ctx) => ({ tables: await readTables(ctx), now: ctx.now }))
    for (const endpoint of endpoints) {
      const expected = expectedRows(endpoint.name, tables, { ...shop, gid: 'gid://platform/', now })
      assert.ok(expected.length > 10, endpoint.name)
      const rows: ExportedRow[] = []
      for (let page = 1, since = 0, isEnd = false; !isEnd; page++) {
        const query = endpoint.paging === 'page' ? { page: String(page) } : { since_id: String(since) }
        const plan = await planPage(db, storeId, endpoint, readPageRequest(endpoint, query))
        const { data, meta } = await readPlan(url, plan)
        rows.push(...data)
        since = Number(meta.last_id ?? 0)
        isEnd = endpoint.paging === 'page' ? data.length < endpoint.pageSize : !meta.has_more
      }
      assert.equal(rows.length, expected.length, `rows of ${endpoint.name}`)
      for (const [i, row] of rows.entries()) assert.deepEqual(row, expected[i], `row ${i} of ${endpoint.name}`)
    }
  }
})
