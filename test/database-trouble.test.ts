// A database that answers, and that nothing can be written to: not ready, and the status says first why. On a server of its own, whose
// settings and disk are changed.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, test } from 'node:test'
import pg from 'pg'
import pino from 'pino'
import { migrate, sql } from '#kit/postgres'
import { MIGRATIONS } from '../src/app/migrations.ts'
import { startEmbeddedPostgres } from '../src/embedded-postgres/start.ts'
import { aSmallDisk } from '../trials/small-disk.ts'
import { commandLine } from './command-line.ts'
import { OPERATOR_TOKEN, startServiceHere } from './service-here.ts'
import { until } from './until.ts'

const home = await mkdtemp(join(tmpdir(), 'perennial-trouble-'))
const disk = await aSmallDisk(home, 400 * 2 ** 20)
const postgres = await startEmbeddedPostgres({
  dataDir: home,
  settings: { max_wal_size: '64MB', min_wal_size: '32MB', wal_recycle: 'off' }
})
const owner = new pg.Client({ connectionString: postgres.url })
await owner.connect()
await migrate(postgres.url, MIGRATIONS)
const lines: { level: number; msg: string }[] = []
const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
const service = await startServiceHere(postgres.url, { background: true, logger })
const { run } = commandLine(service)
const store = await service.aStore()
await store.member('ada@example.com')
after(async () => {
  // Or a test that has failed would keep the service from ending.
  await healthy()
  await owner.end()
  await service.stop()
  await postgres.stop()
  if ('close' in disk) await disk.close()
  await rm(home, { recursive: true, force: true })
})

const setting = async (change: string) => {
  await owner.query(`alter system ${change}`)
  await owner.query('select pg_reload_conf()')
}

async function healthy() {
  await owner.query('set default_transaction_read_only = off')
  if ('free' in disk) await disk.free()
  await setting('reset synchronous_standby_names')
  await setting('reset default_transaction_read_only')
}

async function ready() {
  const from = performance.now()
  const response = await fetch(`${service.url}/readyz`)
  const { checks } = (await response.json()) as { checks: { database: string } }
  return { status: response.status, database: checks.database, ms: performance.now() - from }
}

/** Probes at the same time and one after the other while it is not ready: each is answered, with the reason. */
async function assertedNotReady(reason: RegExp) {
  // The first answers may be from before the setting was known to every process of the server.
  await until('it is not ready', async () => reason.test((await ready()).database))
  for (let nth = 0; nth < 2; nth++) {
    for (const { status, database, ms } of await Promise.all(Array.from({ length: 5 }, ready))) {
      assert.equal(status, 503)
      assert.match(database, reason)
      assert.ok(ms < 5_000, `${ms} ms`)
    }
    await new Promise((resolve) => setTimeout(resolve, 1_100))
  }
}

/** The status says it first, with what to do, and nothing says that all works. */
async function assertedStatus(kind: string, message: RegExp, next: RegExp) {
  const shown = await run(['status'])
  assert.equal(shown.code, 1)
  assert.match(shown.out, message)
  assert.doesNotMatch(shown.out, /everything works|Is a node of the role/)
  const { problems } = JSON.parse((await run(['status', '--json'])).out)
  assert.deepEqual([problems[0].kind, problems[0].store], [kind, null])
  assert.match(problems[0].message, message)
  assert.match(problems[0].next, next)
  return problems as { kind: string; next: string }[]
}

/** The log has one error when it began and one line when it ended, and the service is ready. */
async function assertedEnd(reason: RegExp) {
  await until('it is ready again', async () => (await ready()).status === 200)
  await until('the log says that it ended', () => lines.some(({ msg }) => /^The database works again/.test(msg)))
  const said = lines.filter(({ msg }) => /^The database (failed|works again)/.test(msg))
  assert.deepEqual(
    said.map(({ level }) => level),
    [50, 30],
    said.map(({ msg }) => msg).join('\n')
  )
  assert.match(said[0]!.msg, reason)
  assert.equal((await run(['status'])).code, 0)
  lines.length = 0
}

const begun = (reason: RegExp) => until('the log says it', () => lines.some(({ msg }) => reason.test(msg)))

afterEach(healthy)

test('commits that wait for a synchronous standby: not ready, said first, and no probe leaves a process of the server behind', async () => {
  const waiting = async () => {
    const { rows } = await owner.query<{ count: number }>(
      "select count(*)::int as count from pg_stat_activity where wait_event = 'SyncRep' and query like '%into nodes%'"
    )
    return rows[0]!.count
  }
  await setting("set synchronous_standby_names = 'gone'")
  const reason = /commits nothing: .* wait for a synchronous standby \(synchronous_standby_names is 'gone'\)/
  await assertedNotReady(reason)
  await assertedStatus('database_does_not_commit', reason, /Start its synchronous standby/)
  await until('the server has ended the late writes', async () => (await waiting()) === 0)
  assert.equal((await fetch(`${service.url}/livez`)).status, 200)
  await begun(reason)
  await setting('reset synchronous_standby_names')
  await assertedEnd(reason)
})

test('a server that is set to read only: work that waits for that is not said to need a node', async () => {
  await service.db.inInstallation((tx) =>
    tx.run(sql`update stores set clock_at = clock_at + interval '32 days' where store_id = ${store.storeId}`)
  )
  // Whoever meets it first says it.
  const LOGGED = /The database failed: (It only reads|cannot execute .* in a read-only transaction)/
  await setting('set default_transaction_read_only = on')
  const reason = /It only reads: it is a standby, or was set to read only/
  await assertedNotReady(reason)
  const problems = await assertedStatus(
    'database_reads_only',
    reason,
    /alter system reset default_transaction_read_only/
  )
  for (const { kind, next } of problems) {
    if (kind === 'work_waiting') assert.match(next, /it goes on when this is over: The database cannot be written/)
  }
  const moved = await run(['clock', 'advance', '--store', store.domain, '--by', 'P1M'])
  assert.equal(moved.code, 1)
  assert.match(moved.err, /database/)
  await begun(LOGGED)
  await healthy()
  await until('it is ready again', async () => (await ready()).status === 200)
  await service.deps.settle(store.storeId)
  await assertedEnd(LOGGED)
})

test('a full disk: not ready though the rows of the probe fit on their page, and everything works when there is room', async (t) => {
  if ('skipped' in disk) return t.skip(disk.skipped)
  await disk.fill()
  const filling = setInterval(() => void disk.fill().catch(() => {}), 300)
  const reason = /Its disk is full: .*No space left on device/
  try {
    await assertedNotReady(reason)
    await assertedStatus('database_full', reason, /Make room on the disk/)
    await begun(reason)
  } finally {
    clearInterval(filling)
    await disk.free()
  }
  await assertedEnd(reason)
  const added = await fetch(`${service.url}/admin/api${store.at}/sandbox/customers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'grace@example.com' })
  })
  assert.ok(added.ok)
})
