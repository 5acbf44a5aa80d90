// What is between the service and PostgreSQL, and beside it: poolers and standbys.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { Database, findStandbyRisk, migrate, refuseSharedSessions } from '#kit/postgres'
import { MIGRATIONS } from '../src/app/migrations.ts'
import { diagnose } from '../src/audit/diagnose.ts'
import { startEmbeddedPostgres } from '../src/embedded-postgres/start.ts'
import { testDatabase } from './database.ts'
import { aPooler } from './transaction-pooler.ts'
import { until } from './until.ts'

const { url } = await testDatabase()
const folder = await mkdtemp(join(tmpdir(), 'perennial-poolers-'))
after(() => rm(folder, { recursive: true, force: true }))

test('connections that share sessions are refused; a session each is not, directly or through a pooler', async () => {
  await refuseSharedSessions(url)
  await refuseSharedSessions(await aPooler(url, 'session'))
})

for (const [pool, options] of Object.entries({
  'hands out what came back last': {},
  'hands out what came back first': { reuses: 'oldest' },
  'has two connections and hands out what came back first': { reuses: 'oldest', size: 2, isWarm: true },
  'has four connections and hands out what came back first': { reuses: 'oldest', size: 4, isWarm: true },
  'has four connections and hands out what came back last': { size: 4, isWarm: true },
  'has seven connections and hands out what came back first': { reuses: 'oldest', size: 7, isWarm: true },
  'has one connection': { size: 1 }
} as const)) {
  test(`a pooler in transaction mode is refused that ${pool}`, async () => {
    await assert.rejects(
      refuseSharedSessions(await aPooler(url, 'transaction', options), 1_000),
      /^Error: DATABASE_URL leads to a pooler in transaction mode.* pool_mode = session for this database$/
    )
  })
}

test('the service does not start behind a pooler in transaction mode, and says why in one sentence', async () => {
  const child = spawn(process.execPath, [fileURLToPath(new URL('../src/main.ts', import.meta.url)), 'serve'], {
    env: { ...process.env, DATABASE_URL: await aPooler(url, 'transaction'), DATA_DIR: folder, LOG_LEVEL: 'error' },
    stdio: ['ignore', 'ignore', 'pipe']
  })
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  assert.match(
    said,
    /^perennial: The database cannot be used: DATABASE_URL leads to a pooler in transaction mode[^\n]*\n$/
  )
  assert.equal(code, 1)
})

test('an asynchronous standby is a warning of the auditor', async () => {
  // A server of its own: a standby belongs to all databases of a server.
  const embedded = await startEmbeddedPostgres({ dataDir: folder, settings: { fsync: 'off' } })
  const db = new Database({ url: embedded.url })
  // What a standby opens on its primary.
  const standby = new pg.Client({
    connectionString: embedded.url,
    replication: 'true',
    application_name: 'standby'
  } as pg.ClientConfig)
  const onServer = async (statements: string) => {
    const client = new pg.Client({ connectionString: embedded.url })
    await client.connect()
    await client.query(statements).finally(() => client.end())
  }
  try {
    await migrate(embedded.url, MIGRATIONS)
    const never = async () => assert.fail('There is no store')
    const warnings = async () => (await diagnose({ db, chargesOf: async () => [], connectorOf: never })).warnings
    assert.deepEqual([await findStandbyRisk(db), await warnings()], [null, []])
    await standby.connect()
    await standby.query('IDENTIFY_SYSTEM')
    assert.match(
      (await findStandbyRisk(db))!,
      /^The database has a standby that is asynchronous \(synchronous_standby_names is empty\)/
    )
    assert.deepEqual(
      (await warnings()).map(({ check, store }) => [check, store]),
      [['standbys_synchronous', '']]
    )

    // A name is waited for, but not this standby's.
    await onServer(`alter system set synchronous_standby_names = 'elsewhere'`)
    await onServer('select pg_reload_conf()')
    // No write is acknowledged now, so nothing of the test writes.
    await until('the setting', async () => /is in synchronous_standby_names/.test((await findStandbyRisk(db)) ?? ''))
    await onServer(`set synchronous_commit = local; create role "Plain user" login password 'x';
                    grant perennial_store, perennial_operator to "Plain user"`)
    const ofUser = new URL(embedded.url)
    ofUser.username = 'Plain user'
    ofUser.password = 'x'
    const asUser = new Database({ url: ofUser.href })
    try {
      assert.match(
        (await findStandbyRisk(asUser))!,
        /^The database has a standby, and its user "Plain user" may not see whether .*: grant pg_monitor to "Plain user"$/
      )
      await onServer('set synchronous_commit = local; grant pg_monitor to "Plain user"')
      assert.match((await findStandbyRisk(asUser))!, /none of them is in synchronous_standby_names/)
    } finally {
      await asUser.close()
    }
  } finally {
    await standby.end()
    await db.close()
    await embedded.stop()
  }
})
