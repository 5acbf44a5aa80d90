import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { migrate } from '#kit/postgres'
import { MIGRATIONS } from '../src/app/migrations.ts'
import { startEmbeddedPostgres } from '../src/embedded-postgres/start.ts'

/** A new migrated database for the bench, on BENCH_DATABASE_URL's server or an embedded one; `close` removes it. */
export async function benchDatabase(): Promise<{ url: string; close(): Promise<void> }> {
  const given = process.env.BENCH_DATABASE_URL || null
  const dataDir = given ? null : await mkdtemp(join(tmpdir(), 'perennial-bench-'))
  // Services that root starts here continue as the user of the database, who must be able to reach its socket.
  if (dataDir) await chmod(dataDir, 0o711)
  const embedded = dataDir ? await startEmbeddedPostgres({ dataDir }) : null
  const server = given ?? embedded!.url
  const name = `bench_${randomBytes(4).toString('hex')}`
  const url = new URL(server)
  url.pathname = `/${name}`
  const close = async () => {
    await runOn(server, `drop database if exists ${name} with (force)`)
    await embedded?.stop()
    if (dataDir) await rm(dataDir, { recursive: true, force: true })
  }
  try {
    await runOn(server, `create database ${name}`)
    await migrate(url.href, MIGRATIONS)
  } catch (err) {
    // A migration that a saboteur has broken leaves no server behind.
    await close()
    throw err
  }
  return { url: url.href, close }
}

/** Runs one statement on a new connection. */
export async function runOn(url: string, statement: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await client.query(statement)
  } finally {
    await client.end()
  }
}

/** The median of several numbers. */
export function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!
}
