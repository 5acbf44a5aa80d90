// The service with its own database, whose server is killed.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { until } from './until.ts'

const TOKEN = 'operator-token-0123456789abcdef-0123456789'

test('a server that is killed runs again soon; one that cannot start ends the service with 69 and a sentence', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'perennial-dies-'))
  const { DATABASE_URL: _, ...inherited } = process.env
  const child = spawn(process.execPath, [fileURLToPath(new URL('../src/main.ts', import.meta.url)), 'serve'], {
    env: {
      ...inherited,
      DATA_DIR: dataDir,
      PORT: '0',
      SANDBOX: 'off',
      LOG_LEVEL: 'info',
      LOG_FORMAT: 'json',
      PERENNIAL_TOKEN: TOKEN
    }
  })
  after(() => {
    child.kill('SIGKILL')
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 })
  })
  const ended = once(child, 'exit')
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      printed += chunk
    })
  }
  const [, url] = await until('the service is ready', () => {
    assert.equal(child.exitCode, null, printed)
    return /API +(http:\/\/127\.0\.0\.1:\d+)/.exec(printed)
  })
  const postmaster = () => Number.parseInt(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10)
  const ready = () => fetch(`${url}/readyz`).then(({ status }) => status)
  const stores = () => fetch(`${url}/admin/api/stores`, { headers: { authorization: `Bearer ${TOKEN}` } })

  const first = postmaster()
  process.kill(first, 'SIGKILL')
  await until('the server is started again', () => /the database server runs again/.test(printed))
  assert.notEqual(postmaster(), first)
  await until('the service is ready again', async () => (await ready()) === 200)
  assert.equal((await stores()).status, 200)

  const control = join(dataDir, 'postgres/global/pg_control')
  renameSync(control, `${control}.away`)
  process.kill(postmaster(), 'SIGKILL')
  await until('it is not ready', async () => (await ready().catch(() => 0)) !== 200)
  assert.deepEqual(await ended, [69, null])
  assert.match(
    printed,
    /perennial: The embedded database has died and could not be started again: .*pg_control.*\. What PostgreSQL itself says is in .*postgres\.log/
  )
  // As root, PostgreSQL runs as another user, and names the cluster by its own working directory.
  assert.ok(!printed.includes('/proc/self'), printed)
})
