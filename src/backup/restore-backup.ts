import { readdir } from 'node:fs/promises'
import type pg from 'pg'
import { countLiveNodes } from '#kit/engines'
import { copyIn, copyOut, type MigrationSet, migrate, openConnection } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { holdAllStores } from '#sync'
import {
  FORMAT,
  FORMAT_VERSION,
  type Header,
  type Manifest,
  type Part,
  readBackupFile,
  type TableEnd,
  type TableStart
} from './backup-file.ts'
import { RowChecksum } from './row-checksum.ts'
import {
  copyInto,
  copyOutOf,
  listTables,
  MIGRATIONS_TABLE,
  NO_LIMITS,
  ONE_TEXT,
  quoted,
  SANDBOX_SCHEMA,
  SERVICE_SCHEMA,
  SILENCE_MS,
  type Table
} from './tables.ts'

export type RestoreOptions = {
  url: string
  path: string
  /** The file, where it is open already. */
  fd?: number
  sets: readonly MigrationSet[]
  log: (line: string) => void
}
export type RestoreReport = { header: Header; tables: number; rows: number }

/**
 * Loads a backup into an empty database: migrates that to the schema of the backup, loads and verifies all rows in one transaction,
 * and then migrates to the present schema. Refuses a database that has rows, and a backup of a newer version. After a failure the
 * database has no rows, and the same call begins anew. The stores are on hold from the commit of their rows on; `takeIn` does the
 * rest. Refuses a database that a service uses.
 */
export async function restoreBackup({ url, path, fd, sets, log }: RestoreOptions): Promise<RestoreReport> {
  const parts = readBackupFile(path, fd)
  try {
    const header = await headerOf(path, parts)
    await refuseNewer(header, sets)
    await refuseInUse(url)
    await migrate(url, sets, log, header.schema)
    const config = { connectionString: url, application_name: 'perennial restore', silenceMs: SILENCE_MS }
    const client = await openConnection(config)
    try {
      const loaded = await load(client, header, parts)
      // Functions and triggers come after the rows, and so do migrations that are newer than the backup.
      await migrate(url, sets, log)
      await client.query('analyze')
      return { header, ...loaded }
    } finally {
      await client.end()
    }
  } finally {
    await parts.return(undefined)
  }
}

async function headerOf(path: string, parts: AsyncGenerator<Part>): Promise<Header> {
  const first = await parts.next()
  const header = !first.done && first.value.kind === 'header' ? first.value.header : null
  if (header?.format !== FORMAT) throw new Refusal('invalid_request', `${path} is not a backup of Perennial`)
  if (header.formatVersion > FORMAT_VERSION) throw newer(header, `the format ${header.formatVersion}`)
  return header
}

async function refuseNewer(header: Header, sets: readonly MigrationSet[]): Promise<void> {
  for (const { name, directory } of sets) {
    const newest = header.schema[name]
    if (newest !== undefined && !(await readdir(directory)).includes(newest))
      throw newer(header, `the migration ${newest}`)
  }
}

const newer = ({ service }: Header, what: string) =>
  new Refusal(
    'invalid_request',
    `The backup was written by a newer version of Perennial (${service}), with ${what}, which this version does not have: ` +
      'restore it with that version or a later one'
  )

/** What a migration or a first start writes by itself is no data. */
const WRITTEN_BY_ITSELF = new Set(['installation', 'known_consumers', 'nodes'])

async function refuseInUse(url: string): Promise<void> {
  const client = await openConnection({ connectionString: url, silenceMs: SILENCE_MS })
  try {
    const tables = await listTables(client, [SERVICE_SCHEMA, SANDBOX_SCHEMA])
    // The table that an operator knows comes first: it is the one that is named.
    for (const { schema, name } of tables.sort((a, b) => Number(b.name === 'stores') - Number(a.name === 'stores'))) {
      if (schema === SERVICE_SCHEMA && WRITTEN_BY_ITSELF.has(name)) continue
      const { rowCount } = await client.query(`select from ${quoted(schema, name)} limit 1`)
      if (rowCount === 0) continue
      throw new Refusal(
        'conflict',
        `The database is not empty (${name} has rows). A backup is restored into an empty one: set DATABASE_URL to a new ` +
          'database, or move DATA_DIR/postgres away'
      )
    }
    const nodes = await countLiveNodes((text, values) => client.query(text, values))
    if (nodes === 0) return
    throw new Refusal(
      'conflict',
      `The database is in use by ${nodes === 1 ? 'a process' : `${nodes} processes`} of the service: stop the service first. One that ` +
        'has crashed counts for up to half a minute'
    )
  } finally {
    await client.end()
  }
}

/** One transaction: either all rows of the backup are there, each as it was, or none. */
async function load(
  client: pg.Client,
  header: Header,
  parts: AsyncGenerator<Part>
): Promise<{ tables: number; rows: number }> {
  await client.query('begin')
  try {
    await client.query(`${NO_LIMITS}; ${ONE_TEXT}`)
    await refuseOtherSchema(client, header)
    const schemas = [SERVICE_SCHEMA, SANDBOX_SCHEMA]
    const there = new Map((await listTables(client, schemas)).map((table) => [nameOf(table), table]))
    await openTables(client, [...there.values()])
    const loaded: (TableStart & TableEnd)[] = []
    let manifest: Manifest | null = null
    for (;;) {
      const { value: part, done } = await parts.next()
      if (done) break
      if (part.kind === 'manifest') manifest = part.manifest
      else if (part.kind === 'table') {
        const table = await tableFor(client, part.table, there)
        loaded.push({ ...part.table, ...(await loadTable(client, table, parts)) })
      } else throw damaged('its parts are not in order')
    }
    checkManifest(manifest, loaded)
    for (const table of loaded) await verify(client, table)
    for (const { schema, name, value, isCalled } of manifest!.sequences) {
      await client.query('select setval($1::regclass, $2::bigint, $3)', [quoted(schema, name), value, isCalled])
    }
    // Whoever sees the rows sees that they are on hold: the migrations that follow may take long.
    for (const { text, values } of holdAllStores()) await client.query(text, values)
    await closeTables(client, [...there.values()])
    await client.query('commit')
    return { tables: loaded.length, rows: loaded.reduce((sum, { rows }) => sum + rows, 0) }
  } catch (err) {
    await client.query('rollback').catch(() => {})
    throw err
  }
}

const damaged = (why: string) => new Refusal('invalid_request', `The backup is damaged: ${why}. Nothing was restored`)
const nameOf = ({ schema, name }: Pick<TableStart, 'schema' | 'name'>) => `${schema}.${name}`

/** A database that was migrated further has columns and rules that the rows of the backup do not know. */
async function refuseOtherSchema(client: pg.Client, header: Header): Promise<void> {
  const { rows } = await client.query<{ set: string; name: string }>(
    `select migration_set as set, max(name) as name from ${MIGRATIONS_TABLE} where name ~ '^[0-9]{4}-' group by 1`
  )
  const other = rows.find(({ set, name }) => header.schema[set] !== undefined && header.schema[set] !== name)
  if (!other) return
  throw new Refusal(
    'conflict',
    `The database has the migration ${other.name}, and the backup is from before it. Use a database that was never started`
  )
}

/** Lets the owner load rows: their triggers have written already what they write, and COPY knows no row-level security. */
async function openTables(client: pg.Client, tables: Table[]): Promise<void> {
  for (const table of tables) {
    await client.query(
      `alter table ${quoted(table.schema, table.name)} no force row level security, disable trigger user`
    )
    await client.query(`delete from ${quoted(table.schema, table.name)}`)
  }
}

async function closeTables(client: pg.Client, tables: Table[]): Promise<void> {
  for (const { schema, name, isForced } of tables) {
    const force = isForced ? 'force row level security, ' : ''
    await client.query(`alter table ${quoted(schema, name)} ${force}enable trigger user`)
  }
}

const BOUNDS = /^FOR VALUES FROM \('\d{4}-\d\d-\d\d'\) TO \('\d{4}-\d\d-\d\d'\)$/

/** The table for these rows; a partition of a day that has none yet is made. */
async function tableFor(client: pg.Client, wanted: TableStart, there: Map<string, Table>): Promise<Table> {
  const found = there.get(nameOf(wanted))
  if (found) {
    const missing = wanted.columns.filter((column) => !found.columns.includes(column))
    if (missing.length > 0) throw damaged(`${wanted.name} has no column ${missing.join(', ')}`)
    return found
  }
  const { partitionOf, schema, name } = wanted
  if (!partitionOf || !BOUNDS.test(partitionOf.bounds)) throw damaged(`there is no table ${name}`)
  const parent = quoted(schema, partitionOf.parent)
  await client.query(`create table ${quoted(schema, name)} partition of ${parent} ${partitionOf.bounds}`)
  await client.query('select protect_table($1::regclass)', [quoted(schema, name)])
  const made = { ...wanted, isForced: true }
  await openTables(client, [made])
  there.set(nameOf(wanted), made)
  return made
}

/** Loads the rows that follow, up to the end of the table, and checks them against what is written there. */
async function loadTable(client: pg.Client, table: Table, parts: AsyncGenerator<Part>): Promise<TableEnd> {
  const checksum = new RowChecksum()
  let end: TableEnd | null = null
  async function* rows(): AsyncGenerator<Buffer> {
    for (;;) {
      const { value: part, done } = await parts.next()
      if (done) throw damaged('it is cut off')
      if (part.kind === 'end') {
        end = part.end
        return
      }
      if (part.kind !== 'rows') throw damaged('its parts are not in order')
      checksum.add(part.bytes)
      yield part.bytes
    }
  }
  const count = await copyIn(client, copyInto(table), rows())
  const stated = end as TableEnd | null
  if (!stated || stated.rows !== count || stated.checksum !== checksum.digest()) {
    throw damaged(`the rows of ${table.name} are not those that were written`)
  }
  return stated
}

function checkManifest(manifest: Manifest | null, loaded: (TableStart & TableEnd)[]): void {
  const listed = (tables: Manifest['tables']) =>
    JSON.stringify(tables.map(({ schema, name, rows, checksum }) => [schema, name, rows, checksum]))
  if (!manifest || listed(manifest.tables) !== listed(loaded))
    throw damaged('its list of tables does not fit its content')
}

/** Reads a loaded table back: what the database has is what the backup has. */
async function verify(client: pg.Client, table: TableStart & TableEnd): Promise<void> {
  const checksum = new RowChecksum()
  for await (const rows of copyOut(client, copyOutOf(table))) for (const row of rows) checksum.add(row)
  if (checksum.rows === table.rows && checksum.digest() === table.checksum) return
  throw new Error(`${table.name} was loaded with other rows than the backup has: nothing was restored`)
}
