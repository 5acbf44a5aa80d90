// The commands of docs/operations.md for a backup with PostgreSQL's own tools, as the role that it documents.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Database, migrate } from '#kit/postgres'
import { findRestore, writePlace } from '#stores'
import { MIGRATIONS } from '../src/app/migrations.ts'
import { aPostgresServer, findPostgresTools } from '../trials/postgres-servers.ts'
import { contentOf } from './database-content.ts'
import { aStore } from './store-builder.ts'

const bin = findPostgresTools()
const skip =
  bin !== null && existsSync(join(bin, 'pg_dump'))
    ? false
    : 'pg_dump is not on this machine: the PostgreSQL from npm does not bring it'

test('pg_dump and pg_restore work as the documented role, under row-level security', { skip }, async () => {
  const server = await aPostgresServer(bin!)
  after(server.close)
  await server.run(`create role perennial login createrole`)
  for (const name of ['perennial', 'restored']) await server.run(`create database ${name} owner perennial`)
  const as = (database: string) => `postgres://perennial@127.0.0.1:${server.port}/${database}`
  const url = as('perennial')
  await migrate(url, MIGRATIONS)
  const db = new Database({ url })
  for (let n = 0; n < 2; n++) {
    const store = await aStore(db)
    await store.aKey()
  }
  await writePlace(db, null)
  await db.close()

  const file = join(server.folder, 'perennial.dump')
  await assert.rejects(
    server.tool('pg_dump', '--format=custom', `--file=${file}`, url),
    /query would be affected by row-level security policy/
  )
  await server.tool('pg_dump', '--enable-row-security', '--format=custom', `--file=${file}`, url)
  await server.tool(
    'pg_restore',
    '--no-owner',
    '--exit-on-error',
    '--single-transaction',
    `--dbname=${as('restored')}`,
    file
  )
  const content = await contentOf(as('restored'))
  assert.deepEqual(content, await contentOf(url))
  assert.deepEqual([content['public.stores']![0], content['public.api_keys']![0]], [2, 2])

  await migrate(as('restored'), MIGRATIONS)
  const restored = new Database({ url: as('restored') })
  assert.equal(await findRestore(restored, null), 'copied', 'the start of the service notices it')
  await restored.close()
})
