// A metric has a column, a line in the view, several in the roll-up and one in the overview: none is missing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rollUpMetrics } from '#analytics'
import { directStatements, int, row, sql, text } from '#kit/postgres'
import '#analytics'
import '#audit'
import '#sync'
import '#views'
import { testDatabase } from './database.ts'
import { aStore } from './store-builder.ts'

const { db } = await testDatabase()

const columns = await db.inInstallation((tx) =>
  tx.many(
    row({ name: text }),
    sql`
    select column_name::text as name from information_schema.columns
     where table_name = 'daily_metrics' and column_name not in ('store_id', 'plan_id', 'day') order by 1`
  )
)
const names = columns.map(({ name }) => name)

test('each metric is rolled up into its column and its total, and shown by its name', async () => {
  assert.equal(names.length, 22)
  const store = await aStore(db)
  const expected = names.map((metric, i) => ({ metric, amount: 2 * (i + 1) }))
  const stored = await store.inStore(async (ctx) => {
    const { tx, storeId } = ctx
    for (const time of [1, 2]) {
      await tx.run(sql`
        insert into metric_changes (store_id, day, metric, amount)
        select ${storeId}, '2026-06-15', metric, nth
          from unnest(${names}::text[]) with ordinality as f(metric, nth)`)
      assert.equal(await rollUpMetrics(ctx), names.length, `roll-up ${time}`)
    }
    const Amounts = row({ metric: text, amount: int })
    return {
      days: await tx.many(
        Amounts,
        sql`select metric, amount::bigint as amount from rolled_up_metrics where store_id = ${storeId} order by 1`
      ),
      totals: await tx.many(
        Amounts,
        sql`select metric, amount::bigint as amount from metric_totals where store_id = ${storeId} order by 1`
      )
    }
  })
  assert.deepEqual(stored, { days: expected, totals: expected })
})

test('the overview adds pending changes to their own metric only', () => {
  const statement = directStatements.get('analytics_overview')!
  const added = [...statement.matchAll(/filter \(where metric = '(\w+)'\)/g)].map(([, name]) => name)
  assert.deepEqual(added.sort(), names)
})
