// The due queries over all stores: each is a plain read, and an idle store costs an index look-up and no row.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { dueQueries } from '#kit/engines'
import { PLANS_ACROSS_STORES, statementsAcrossStores } from '#kit/postgres'
// The modules with engines, so that every statement has been declared.
import '#analytics'
import '#billing'
import '#credits'
import '#imports'
import '#platform'
import '#sync'
import '#webhooks'
import '../sandbox/index.ts'
import '../src/kit/jobs/index.ts'
import '../src/kit/outbox/index.ts'
import { beforeDrop, testDatabase } from './database.ts'
import { makeIdleStores } from './idle-stores.ts'

const STORES = 100
/** Statements that read rows of an idle store that are not due, with the reason. */
const READS: Record<string, string> = { metrics_due: 'it counts the changes that wait, of which a store has few' }

/** Parameters of a statement besides the stores and their instants. */
const OTHERS: Record<string, string> = { dispatch_due: `, '{webhooks}'` }

const { db, url } = await testDatabase()
await makeIdleStores(db, { stores: STORES, subscriptions: 30 })
const client = new pg.Client({ connectionString: url })
await client.connect()
beforeDrop(() => client.end())
await client.query(`set plan_cache_mode = force_generic_plan; ${PLANS_ACROSS_STORES}`)
const { rows: stores } = await client.query('select store_id from stores')

type Plan = Record<string, unknown> & { Plans?: Plan[] }
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

test('there is one per engine', () => {
  assert.deepEqual([...dueQueries].sort(), [
    'billing_due',
    'credit_lots_due',
    'dispatch_due',
    'imports_due',
    'imports_ended_due',
    'inbound_due',
    'jobs_due',
    'metrics_due',
    'reconciliations_due',
    'sandbox_due',
    'webhooks_due'
  ])
})

for (const name of dueQueries) {
  const statement = statementsAcrossStores.get(name)!
  test(`${name} is a plain read that looks idle stores up and reads none of their rows`, async () => {
    assert.doesNotMatch(statement, /\blateral\b|\bfor (no key )?(update|share)|\b(insert|update|delete)\b/i)
    await client.query(`prepare ${name} as ${statement}`)
    const ids = stores.map((s) => s.store_id).join()
    const { rows } = await client.query(
      `explain (analyze, format json) execute ${name}('{${ids}}', array_fill(now() + interval '15 s', array[${stores.length}])${OTHERS[name] ?? ''})`
    )
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
