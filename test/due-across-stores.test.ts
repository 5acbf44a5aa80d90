// The due queries over all stores: each is a plain read, and an idle store costs an index look-up and no row.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { dueQueries, dueStores } from '#kit/engines'
import { PLANS_ACROSS_STORES } from '#kit/postgres'
import { beforeDrop, testDatabase } from './database.ts'
import { makeIdleStores } from './idle-stores.ts'
import { startService } from './service-builder.ts'

const STORES = 100
/** Statements that read rows of an idle store that are not due, with the reason. */
const READS: Record<string, string> = { metrics_due: 'it counts the changes that wait, of which a store has few' }

const { db, url } = await testDatabase()
const { engines } = await startService(url)
await makeIdleStores(db, { stores: STORES, subscriptions: 30 })
const client = new pg.Client({ connectionString: url })
await client.connect()
beforeDrop(() => client.end())
await client.query(`set plan_cache_mode = force_generic_plan; ${PLANS_ACROSS_STORES}`)
const { rows } = await client.query("select store_id, now() + interval '15 s' as until from stores")
const stores = dueStores(rows.map(({ store_id, until }) => ({ storeId: store_id, until: until.toISOString() })))
// Consumers of facts share theirs.
const statements = new Map(engines.map((engine) => engine.due(stores)).map((statement) => [statement.name, statement]))

type Plan = Record<string, unknown> & { Plans?: Plan[] }
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

test('each engine has one of its own, and there are no others', () => {
  assert.deepEqual([...statements.keys()].sort(), [...dueQueries].sort())
})

test('the leases of dead nodes are released in every table that has leases', async () => {
  const { rows: leased } = await client.query(
    "select table_name from information_schema.columns where table_schema = 'public' and column_name = 'lease_owner'"
  )
  const released = engines.flatMap(
    ({ releaseLeases }) => releaseLeases?.([]).text.match(/^update (\w+) set/)?.[1] ?? []
  )
  assert.deepEqual([...new Set(released)].sort(), leased.map(({ table_name }) => table_name).sort())
})

for (const { name, text, values } of statements.values()) {
  test(`${name} is a plain read that looks idle stores up and reads none of their rows`, async () => {
    assert.doesNotMatch(text, /\blateral\b|\bfor (no key )?(update|share)|\b(insert|update|delete)\b/i)
    await client.query(`prepare ${name} as ${text}`)
    const given = values.map((value) => `'${Array.isArray(value) ? `{${value.join()}}` : value}'`)
    const { rows } = await client.query(`explain (analyze, format json) execute ${name}(${given.join()})`)
    for (const node of nodesOf(rows[0]['QUERY PLAN'][0].Plan)) {
      if (!('Relation Name' in node) || name in READS) continue
      assert.notEqual(node['Node Type'], 'Seq Scan', `${name} reads the whole of ${node['Relation Name']}`)
      // One row per endpoint of a store, by which the queue is looked up.
      const isParent = node['Relation Name'] === 'webhook_endpoints'
      const read = Number(node['Actual Rows']) * Number(node['Actual Loops'])
      const removed = Number(node['Rows Removed by Filter'] ?? 0) * Number(node['Actual Loops'])
      assert.ok(
        read + removed <= (isParent ? STORES : 0),
        `${name} reads ${read + removed} rows of ${node['Relation Name']}`
      )
    }
  })
}
