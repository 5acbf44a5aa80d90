import assert from 'node:assert/strict'
import { test } from 'node:test'
import { row, sql, text } from '#kit/postgres'
import { testDatabase } from '../../test/database.ts'
import { NOT_PERSONAL } from './columns.ts'
import { HOLDERS } from './erase-person.ts'

const { db } = await testDatabase()

/** Types that can hold words, or a day that somebody was born on. */
const WORDS = ['text', 'text[]', 'character varying', 'json', 'jsonb', 'bytea', 'uuid', 'date', 'xml', 'inet']

const Column = row({ tableName: text, columnName: text })

// People who sign in are of the whole installation, of no shop: an owner removes them (src/team).
test('every column that can hold words is known to hold data about people, or known to hold none', async () => {
  const columns = await db.inInstallation((tx) =>
    tx.many(
      Column,
      sql`
      select c.relname as table_name, a.attname as column_name
        from pg_class c
        join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
        join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       where c.relkind in ('r', 'p') and not c.relispartition and c.relname not like 'team\\_%' and format_type(a.atttypid, null) = any(${WORDS}::text[])
       order by 1, 2`
    )
  )
  const found = columns.map(({ tableName, columnName }) => `${tableName}.${columnName}`)
  const personal = HOLDERS.flatMap(({ table, columns }) => columns.map((column) => `${table}.${column}`))
  const other = Object.entries(NOT_PERSONAL).flatMap(([table, names]) => names.map((name) => `${table}.${name}`))
  const known = [...personal, ...other]
  assert.deepEqual(
    found.filter((column) => !known.includes(column)),
    [],
    'declare them in a personal-data.ts, or list them in privacy/columns.ts'
  )
  assert.deepEqual(
    known.filter((column) => !found.includes(column)),
    [],
    'there are no such columns'
  )
  assert.deepEqual(
    personal.filter((column) => other.includes(column)),
    [],
    'in both'
  )
  assert.deepEqual(new Set(HOLDERS.map(({ table }) => table)).size, HOLDERS.length, 'each table once')
})
