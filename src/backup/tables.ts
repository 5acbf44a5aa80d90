import type pg from 'pg'
import type { SequenceValue, TableStart } from './backup-file.ts'

/** The schemas of the service and of its sandbox platform. */
export const SERVICE_SCHEMA = 'public'
export const SANDBOX_SCHEMA = 'sandbox'
/** Made and written by migrations; a restore migrates instead of loading it. */
export const MIGRATIONS_TABLE = 'schema_migrations'

/** Names as PostgreSQL reads them. */
export const quoted = (...names: string[]): string => names.map((name) => `"${name.replaceAll('"', '""')}"`).join('.')

/** A table in the database. A partition is a table of its own. */
export type Table = TableStart & { isForced: boolean }

/**
 * The tables of these schemas that keep rows over a crash, referenced ones before those that refer to them. Counts of requests are
 * not among them: they are of the last minutes.
 */
export async function listTables(client: pg.Client, schemas: string[]): Promise<Table[]> {
  const { rows } = await client.query<{
    id: string
    schema: string
    name: string
    columns: string[]
    parent: string | null
    bounds: string | null
    forced: boolean
    needs: string[]
  }>(
    `select c.oid::text as id, n.nspname as schema, c.relname as name, c.relforcerowsecurity as forced,
            array(select a.attname::text from pg_attribute a
                   where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
                   order by a.attnum) as columns,
            p.relname as parent, pg_get_expr(c.relpartbound, c.oid) as bounds,
            array(select distinct t.oid::text
                    from pg_constraint k
                    join pg_class t on t.oid = k.confrelid or t.oid in (select inhrelid from pg_inherits where inhparent = k.confrelid)
                   where k.contype = 'f' and k.conrelid in (c.oid, i.inhparent) and t.oid <> c.oid) as needs
       from pg_class c
       join pg_namespace n on n.oid = c.relnamespace
       left join pg_inherits i on i.inhrelid = c.oid
       left join pg_class p on p.oid = i.inhparent
      where n.nspname = any($1) and c.relkind = 'r' and c.relpersistence = 'p' and c.relname <> $2
      order by n.nspname, c.relname`,
    [schemas, MIGRATIONS_TABLE]
  )
  const placed = new Set<string>()
  const known = new Set(rows.map(({ id }) => id))
  const ordered: typeof rows = []
  while (ordered.length < rows.length) {
    const ready = rows.filter(
      ({ id, needs }) => !placed.has(id) && needs.every((other) => placed.has(other) || !known.has(other))
    )
    if (ready.length === 0) throw new Error('The foreign keys of the tables form a circle')
    for (const row of ready) placed.add(row.id)
    ordered.push(...ready)
  }
  return ordered.map(({ schema, name, columns, parent, bounds, forced }) => ({
    schema,
    name,
    columns,
    partitionOf: parent === null ? null : { parent, bounds: bounds! },
    isForced: forced
  }))
}

/** Where the sequences of these schemas are. */
export async function listSequences(client: pg.Client, schemas: string[]): Promise<SequenceValue[]> {
  const { rows } = await client.query<{ schema: string; name: string }>(
    `select n.nspname as schema, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = any($1) and c.relkind = 'S' order by 1, 2`,
    [schemas]
  )
  const sequences: SequenceValue[] = []
  for (const { schema, name } of rows) {
    const read = `select last_value::text as value, is_called as "isCalled" from ${quoted(schema, name)}`
    const { rows: values } = await client.query<{ value: string; isCalled: boolean }>(read)
    sequences.push({ schema, name, ...values[0]! })
  }
  return sequences
}

/** So that a value has one text, whatever the server, the database and the user have set. */
export const ONE_TEXT = `set local timezone = 'UTC'; set local datestyle = 'ISO, YMD'; set local intervalstyle = 'iso_8601';
  set local bytea_output = 'hex'; set local extra_float_digits = 1; set local row_security = on`

/** A connection is cut when no byte has come or gone for so long: checking a large table takes minutes. */
export const SILENCE_MS = 3_600_000
/** A large table takes its time, and no limit of the service's other work holds here. */
export const NO_LIMITS = 'set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0'

export const copyOutOf = ({ schema, name, columns }: TableStart): string =>
  `copy ${quoted(schema, name)} (${columns.map((column) => quoted(column)).join(', ')}) to stdout`

export const copyInto = ({ schema, name, columns }: TableStart): string =>
  `copy ${quoted(schema, name)} (${columns.map((column) => quoted(column)).join(', ')}) from stdin`
