import type { FileHandle } from 'node:fs/promises'
import type pg from 'pg'
import { isoOf, realNow } from '#kit/clock'
import { copyOut, openConnection } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { version } from '#kit/version'
import {
  FORMAT,
  FORMAT_VERSION,
  type Header,
  type Manifest,
  type Part,
  type TableEnd,
  type TableStart,
  writeBackupFile
} from './backup-file.ts'
import { RowChecksum } from './row-checksum.ts'
import {
  copyOutOf,
  listSequences,
  listTables,
  MIGRATIONS_TABLE,
  NO_LIMITS,
  ONE_TEXT,
  SANDBOX_SCHEMA,
  SERVICE_SCHEMA,
  SILENCE_MS
} from './tables.ts'

export type BackupOptions = {
  url: string
  path: string
  /** Also the shops, orders and cards of the sandbox platform. */
  withSandbox: boolean
  masterKeyHint: string | null
  /** Where to write instead of a new file at `path`: see `createBackupFile`. It is closed. */
  file?: FileHandle
}

export type BackupReport = { path: string; bytes: number; tables: number; rows: number }

/**
 * Writes all rows of the database to a file, as they were at one instant; the service goes on working meanwhile. Secrets stay
 * encrypted under the master key, which is not in it. Refuses a database that the service has not migrated.
 */
export async function writeBackup(options: BackupOptions): Promise<BackupReport> {
  const config = { connectionString: options.url, application_name: 'perennial backup', silenceMs: SILENCE_MS }
  const client = await openConnection(config)
  try {
    await client.query('begin isolation level repeatable read read only')
    await client.query(`${NO_LIMITS}; ${ONE_TEXT}`)
    const report = { tables: 0, rows: 0 }
    const { bytes } = await writeBackupFile(options.path, partsOf(client, options, report), options.file)
    return { path: options.path, bytes, ...report }
  } finally {
    await client.end()
  }
}

async function* partsOf(
  client: pg.Client,
  { withSandbox, masterKeyHint }: BackupOptions,
  report: { tables: number; rows: number }
): AsyncGenerator<Part> {
  const schema = await schemaOf(client)
  const header: Header = {
    format: FORMAT,
    formatVersion: FORMAT_VERSION,
    service: version,
    schema,
    createdAt: isoOf(realNow()),
    masterKeyHint,
    hasSandbox: withSandbox
  }
  yield { kind: 'header', header }
  const schemas = withSandbox ? [SERVICE_SCHEMA, SANDBOX_SCHEMA] : [SERVICE_SCHEMA]
  const manifest: Manifest = { tables: [], sequences: [] }
  for (const { isForced: _, ...table } of await listTables(client, schemas)) {
    yield { kind: 'table', table }
    const end = yield* rowsOf(client, table)
    yield { kind: 'end', end }
    manifest.tables.push({ schema: table.schema, name: table.name, ...end })
    report.tables++
    report.rows += end.rows
  }
  // Numbers that were given since the snapshot may be among them, which does no harm.
  manifest.sequences = await listSequences(client, schemas)
  yield { kind: 'manifest', manifest }
}

async function* rowsOf(client: pg.Client, table: TableStart): AsyncGenerator<Part, TableEnd> {
  const checksum = new RowChecksum()
  for await (const batch of copyOut(client, copyOutOf(table))) {
    const bytes = Buffer.concat(batch)
    checksum.add(bytes)
    yield { kind: 'rows', bytes }
  }
  return { rows: checksum.rows, checksum: checksum.digest() }
}

/** The newest migration of each set. Row-level security would leave rows out for a user who does not act for all stores. */
async function schemaOf(client: pg.Client): Promise<Record<string, string>> {
  const { rows } = await client.query<{ known: boolean; sees: boolean | null }>(
    `select to_regclass($1) is not null as known,
            (select pg_has_role(oid, 'usage') from pg_roles where rolname = 'perennial_operator') as sees`,
    [MIGRATIONS_TABLE]
  )
  if (!rows[0]!.known)
    throw new Refusal('invalid_request', 'The database has no tables of Perennial: there is nothing to back up')
  if (rows[0]!.sees !== true) {
    throw new Refusal(
      'invalid_request',
      'The database user must have the role perennial_operator, to see the rows of all stores'
    )
  }
  const { rows: newest } = await client.query<{ set: string; name: string }>(
    `select migration_set as set, max(name) as name from schema_migrations where name ~ '^[0-9]{4}-' group by 1 order by 1`
  )
  return Object.fromEntries(newest.map(({ set, name }) => [set, name]))
}
