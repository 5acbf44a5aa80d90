// Rules of the schema, read from the database: every table is bound to a store by its keys and by row-level security.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { bool, directStatements, nullable, row, sql, text, textList } from '#kit/postgres'
// The doors and the surfaces, so that every direct statement has been declared.
import '#billing'
import '#analytics'
import '#audit'
import '#sync'
import '#views'
import '#webhooks'
import '../src/http/server/server.ts'
import '../src/kit/jobs/index.ts'
import '../src/kit/outbox/index.ts'
import { testDatabase } from './database.ts'

const { db, url } = await testDatabase()

/** Tables and keys that are not bound to a store, each with its reason. */
const EXCEPTIONS: Record<string, string> = {
  schema_migrations: 'belongs to the installation',
  known_consumers: 'belongs to the installation',
  nodes: 'belongs to the installation',
  installation: 'belongs to the installation',
  ...Object.fromEntries(
    ['people', 'sessions', 'accounts', 'verifications', 'two_factors', 'passkeys', 'invitations', 'changes'].map(
      (of) => [`team_${of}`, 'is of people who sign in, who belong to the installation']
    )
  ),
  erased_shops: 'what stays of a deleted store',
  stores_domain_key: 'a domain leads to its store, so it cannot be looked up by store',
  webhook_deliveries_fact_id_endpoint_id_day_key: 'led by the store it would be planned in place of the primary key'
}

test('every table has store_id first in its primary key, its unique keys and its foreign keys', async () => {
  const keys = await db.inInstallation((tx) =>
    tx.many(
      row({ name: text, table: text, kind: text, columns: textList, references: nullable(textList) }),
      sql`
      select c.conname as name, t.relname as table, c.contype::text as kind,
             array(select a.attname::text from unnest(c.conkey) with ordinality k(attnum, position)
                     join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.attnum order by k.position) as columns,
             case when c.contype = 'f' then
               array(select a.attname::text from unnest(c.confkey) with ordinality k(attnum, position)
                       join pg_attribute a on a.attrelid = c.confrelid and a.attnum = k.attnum order by k.position) end as references
        from pg_constraint c join pg_class t on t.oid = c.conrelid
       where t.relnamespace = 'public'::regnamespace and c.contype in ('p', 'u', 'f') and not t.relispartition
      union all
      select i.relname, t.relname, 'u', array(select a.attname::text from unnest(x.indkey::smallint[]) with ordinality k(attnum, position)
               join pg_attribute a on a.attrelid = x.indrelid and a.attnum = k.attnum order by k.position), null
        from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
       where x.indisunique and t.relnamespace = 'public'::regnamespace and not t.relispartition`
    )
  )
  assert.ok(keys.length > 30)
  const wrong = keys.filter(
    ({ name, table, columns, references }) =>
      !(name in EXCEPTIONS || table in EXCEPTIONS) &&
      (columns[0] !== 'store_id' || (references !== null && references[0] !== 'store_id'))
  )
  assert.deepEqual(wrong, [])
})

test('every table has row-level security on and forced, with its two policies and grants', async () => {
  const tables = await db.inInstallation((tx) =>
    tx.many(
      row({ name: text, enabled: bool, forced: bool, policies: textList, hasPrimaryKey: bool }),
      sql`
      select t.relname as name, t.relrowsecurity as enabled, t.relforcerowsecurity as forced,
             array(select p.policyname::text from pg_policies p where p.schemaname = 'public' and p.tablename = t.relname order by 1) as policies,
             exists (select from pg_constraint c where c.conrelid = t.oid and c.contype = 'p') as has_primary_key
        from pg_class t where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p') order by 1`
    )
  )
  for (const table of tables) {
    if (table.name in EXCEPTIONS) continue
    assert.deepEqual(
      table,
      { name: table.name, enabled: true, forced: true, policies: ['all_stores', 'one_store'], hasPrimaryKey: true },
      table.name
    )
  }
})

test('no foreign key connects the sandbox with the service', async () => {
  const crossing = await db.inInstallation((tx) =>
    tx.many(
      row({ name: text }),
      sql`
      select k.conname as name from pg_constraint k join pg_class t on t.oid = k.conrelid join pg_class r on r.oid = k.confrelid
       where k.contype = 'f' and 'sandbox'::regnamespace in (t.relnamespace, r.relnamespace)`
    )
  )
  assert.deepEqual(crossing, [])
})

type Plan = Record<string, unknown> & { Plans?: Plan[] }

/** The table scans in a plan, with all conditions that PostgreSQL checks there. */
function scansOf(plan: Plan): { table: string; conditions: string }[] {
  const conditions = ['Index Cond', 'Recheck Cond', 'Filter', 'Conflict Arbiter Indexes']
    .map((key) => String(plan[key] ?? ''))
    .join(' ')
  const here =
    typeof plan['Relation Name'] === 'string' && plan['Node Type'] !== 'ModifyTable'
      ? [{ table: plan['Relation Name'], conditions }]
      : []
  return [...here, ...(plan.Plans ?? []).flatMap(scansOf)]
}

test('every direct statement, which runs without row-level security, is bound to its store in its text and its plan', async () => {
  assert.ok(directStatements.size >= 8)
  const tables = await db.inInstallation((tx) =>
    tx.many(
      row({ name: text }),
      sql`
      select table_name::text as name from information_schema.columns where table_schema = 'public' and column_name = 'store_id'`
    )
  )
  const bound = new Set(tables.map((t) => t.name))
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('set plan_cache_mode = force_generic_plan')
    for (const [name, statement] of directStatements) {
      assert.match(statement, /\$1\b/, `${name} must be the store first`)
      await client.query(`prepare ${name} as ${statement}`)
      const { rows: types } = await client.query(
        'select parameter_types::text[] as types from pg_prepared_statements where name = $1',
        [name]
      )
      const values = (types[0].types as string[]).map((type) => sampleOf(type)).join(', ')
      const { rows } = await client.query(`explain (format json) execute ${name}${values && `(${values})`}`)
      const [{ Plan: plan }] = rows[0]['QUERY PLAN']
      for (const { table, conditions } of scansOf(plan)) {
        if (!bound.has(table)) continue
        assert.match(conditions, /store_id = \$1\b/, `${name} scans ${table} without store_id = $1: ${conditions}`)
      }
      if (/insert into/i.test(statement))
        assert.match(statement, /insert into \w+[^(]*\(store_id/i, `${name} writes the store first`)
    }
  } finally {
    await client.end()
  }
})

function sampleOf(type: string): string {
  if (type.endsWith('[]')) return `'{}'::${type}`
  return `null::${type}`
}
