// The program started by an older Node: it runs the Node that npm installed, with the same arguments, exit codes and signals.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { findEmbeddedPostgres } from '../src/embedded-postgres/start.ts'
import { testDatabase } from './database.ts'
import { freePort } from './service-process.ts'
import { until } from './until.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const TOKEN = 'group-operator-token-0123456789abcdef'
const OLDER = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.11.0'})`

/** A copy of the repository whose program prints its arguments and does what the first one says. */
function aCheckout({ installed }: { installed: boolean }): string {
  const dir = mkdtempSync(join(tmpdir(), 'perennial-bin-'))
  after(() => rmSync(dir, { recursive: true, force: true }))
  for (const folder of ['bin', 'src']) mkdirSync(join(dir, folder))
  for (const file of ['perennial.js', 'end-with-launcher.cjs']) {
    copyFileSync(join(ROOT, 'bin', file), join(dir, 'bin', file))
  }
  writeFileSync(join(dir, 'package.json'), '{"type": "module"}')
  if (installed) symlinkSync(join(ROOT, 'node_modules'), join(dir, 'node_modules'))
  writeFileSync(
    join(dir, 'src/main.ts'),
    `const [word, ...rest]: string[] = process.argv.slice(2)
     if (word === 'exit') process.exit(Number(rest[0]))
     if (word === 'die') process.kill(process.pid, 'SIGKILL')
     process.on('SIGTERM', () => {
       console.log('stopped')
       process.exit(7)
     })
     process.on('SIGINT', () => process.exit(8))
     console.log(process.version.split('.')[0], rest.join('|'))
     setInterval(() => {}, 1000)`
  )
  return dir
}

const checkout = aCheckout({ installed: true })
function start(args: string[], { dir = checkout, older = true } = {}) {
  const child = spawn(process.execPath, [...(older ? ['--import', OLDER] : []), join(dir, 'bin/perennial.js'), ...args])
  return { child, ended: once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]> }
}

for (const older of [true, false]) {
  test(`started by ${older ? 'an older' : 'the right'} Node, exit codes and signals are those of the program`, async () => {
    assert.deepEqual(await start(['exit', '0'], { older }).ended, [0, null])
    assert.deepEqual(await start(['exit', '3'], { older }).ended, [3, null])
    assert.deepEqual(await start(['die'], { older }).ended, [null, 'SIGKILL'])
    for (const [signal, code] of [
      ['SIGTERM', 7],
      ['SIGINT', 8]
    ] as const) {
      const { child, ended } = start(['wait', 'two words', '--flag'], { older })
      const [line] = await once(child.stdout, 'data')
      assert.equal(String(line), `${process.version.split('.')[0]} two words|--flag\n`)
      child.kill(signal)
      assert.deepEqual(await ended, [code, null], signal)
    }
  })
}

test('the program stops cleanly when the program that launched it is killed', async () => {
  const { child } = start(['wait', 'long'])
  const output = child.stdout.iterator()
  assert.match(String((await output.next()).value), /long/)
  child.kill('SIGKILL')
  assert.equal(String((await output.next()).value), 'stopped\n')
})

test('a service whose launcher is killed stops, and starts again at the same port', async (t) => {
  const { url } = await testDatabase()
  const dataDir = mkdtempSync(join(tmpdir(), 'perennial-launcher-'))
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const port = await freePort()
  const env = {
    ...process.env,
    DATABASE_URL: url,
    DATA_DIR: dataDir,
    PORT: String(port),
    SANDBOX: 'off',
    LOG_LEVEL: 'silent'
  }
  const serve = async () => {
    const child = spawn(process.execPath, ['--import', OLDER, join(ROOT, 'bin/perennial.js'), 'serve'], { env })
    for await (const chunk of child.stdout) if (String(chunk).includes('ready')) return child
    throw new Error('The service ended before it was ready')
  }
  const isAlive = () =>
    fetch(`http://127.0.0.1:${port}/livez`).then(
      ({ status }) => status === 200,
      () => false
    )

  const killed = await serve()
  assert.ok(await isAlive())
  killed.kill('SIGKILL')
  await until('the service has stopped', async () => !(await isAlive()))
  const again = await serve()
  assert.ok(await isAlive())
  again.kill('SIGTERM')
  assert.deepEqual(await once(again, 'exit'), [0, null])
})

/** Starts the service by an older Node, with its own database in `dataDir`, as the leader of a process group. */
async function serveInGroup(dataDir: string) {
  const { DATABASE_URL: _, ...inherited } = process.env
  const env = {
    ...inherited,
    DATA_DIR: dataDir,
    PORT: '0',
    SANDBOX: 'off',
    LOG_LEVEL: 'info',
    PERENNIAL_TOKEN: TOKEN
  }
  const child = spawn(process.execPath, ['--import', OLDER, join(ROOT, 'bin/perennial.js'), 'serve'], {
    env,
    detached: true
  })
  const ended = once(child, 'exit')
  after(() => child.exitCode === null && child.signalCode === null && process.kill(-child.pid!, 'SIGKILL'))
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      printed += chunk
    })
  }
  const line = (pattern: RegExp) =>
    until(String(pattern), () => {
      assert.equal(child.exitCode, null, printed)
      return pattern.exec(printed)
    })
  const [, url] = await line(/API +(http:\/\/127\.0\.0\.1:\d+)/)
  return { url, line, ended, signalGroup: (signal: NodeJS.Signals) => process.kill(-child.pid!, signal) }
}

function aDataDir(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'perennial-group-'))
  after(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 }))
  return dataDir
}

test('a signal to the whole process group stops the service and its database cleanly', async () => {
  const dataDir = aDataDir()
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGTERM', 'SIGINT', 'SIGTERM', 'SIGINT'] as const) {
    const { ended, signalGroup } = await serveInGroup(dataDir)
    signalGroup(signal)
    assert.deepEqual(await ended, [0, null], signal)
    assert.equal(await findEmbeddedPostgres(dataDir), null)
  }
})

test('a second signal, later, ends a stop that waits at once, and the database stops by itself', async () => {
  const dataDir = aDataDir()
  const { url, line, ended, signalGroup } = await serveInGroup(dataDir)
  const client = new pg.Client({ connectionString: (await findEmbeddedPostgres(dataDir))! })
  client.on('error', () => {})
  await client.connect()
  // The stop waits for a request that waits for this lock.
  await client.query('begin; lock table stores in access exclusive mode')
  const request = fetch(`${url}/admin/api/stores`, { headers: { authorization: `Bearer ${TOKEN}` } }).catch(() => {})
  await until('the request waits', async () => {
    const { rowCount } = await client.query('select from pg_locks where not granted')
    return rowCount! > 0
  })
  signalGroup('SIGTERM')
  await line(/SIGTERM: finishing/)
  await sleep(2_000)
  signalGroup('SIGTERM')
  assert.deepEqual(await ended, [130, null])
  await request
  await until('the database has stopped', () => !existsSync(join(dataDir, 'postgres', 'postmaster.pid')))
})

test('without the package that contains Node 26 the error names the missing package', async () => {
  const { child, ended } = start(['store', 'list'], { dir: aCheckout({ installed: false }) })
  const [errorOutput, [code]] = await Promise.all([text(child.stderr), ended])
  assert.equal(code, 1)
  assert.match(errorOutput, /^perennial: the package node-\S+, which brings Node 26, is not installed .*npm ci/)
  assert.equal(errorOutput.trim().split('\n').length, 1)
})
