import { randomBytes } from 'node:crypto'
import { after } from 'node:test'
import pg from 'pg'
import { Database } from '#kit/postgres'

const server = process.env.TEST_DATABASE_URL
if (!server) throw new Error('TEST_DATABASE_URL is not set: run tests with `npm test`, which brings up a PostgreSQL')

/** The database that `test/run.ts` migrated once; each test file gets a copy of it. */
export const TEMPLATE = process.env.TEST_TEMPLATE ?? 'perennial_template'

export function urlOf(database: string): string {
  const url = new URL(server!)
  url.pathname = `/${database}`
  return url.href
}

export async function onServer(...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf('postgres') })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

const before: (() => Promise<void>)[] = []

/** Registers `close` to run before this file's databases are dropped, in reverse order of registration. */
export function beforeDrop(close: () => Promise<void>): void {
  before.unshift(close)
}

/** A migrated, empty database for this test file, dropped when the file ends. */
export async function testDatabase(): Promise<{ db: Database; url: string }> {
  const name = `test_${process.pid}_${randomBytes(4).toString('hex')}`
  await onServer(
    `create database ${name} template ${TEMPLATE}`,
    // For a server that is given: otherwise tests would mostly wait for its disk.
    `alter database ${name} set synchronous_commit = off`
  )
  const url = urlOf(name)
  const db = new Database({ url })
  after(async () => {
    for (const close of before.splice(0)) await close()
    await db.close()
    await onServer(`drop database if exists ${name} with (force)`)
  })
  return { db, url }
}

/** A database without any tables, dropped when the file ends. */
export async function emptyDatabase(): Promise<string> {
  const name = `test_${process.pid}_${randomBytes(4).toString('hex')}`
  await onServer(`create database ${name}`, `alter database ${name} set synchronous_commit = off`)
  after(() => onServer(`drop database if exists ${name} with (force)`))
  return urlOf(name)
}
