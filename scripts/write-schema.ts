// Writes migrations/schema.sql from a new database: `npm run schema:generate`. It uses TEST_DATABASE_URL's server, or an
// embedded one.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { migrate } from '#kit/postgres'
import { MIGRATIONS } from '../src/app/migrations.ts'
import { startEmbeddedPostgres } from '../src/embedded-postgres/start.ts'
import { SCHEMA_FILE, schemaText } from './schema-text.ts'

const given = process.env.TEST_DATABASE_URL
const dataDir = await mkdtemp(join(tmpdir(), 'perennial-schema-'))
const embedded = given ? null : await startEmbeddedPostgres({ dataDir })
const server = given ?? embedded!.url
const name = `schema_${process.pid}`
const url = new URL(server)
url.pathname = `/${name}`

/** Runs `work` on a new connection. */
async function connected<T>(to: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: to })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

try {
  await connected(server, (client) => client.query(`create database ${name}`))
  await migrate(url.href, MIGRATIONS)
  await writeFile(SCHEMA_FILE, await connected(url.href, schemaText))
  await connected(server, (client) => client.query(`drop database ${name}`))
} finally {
  await embedded?.stop()
  await rm(dataDir, { recursive: true, force: true })
}
