// Starts a PostgreSQL for the tests, creates the template that every test file copies, and runs the given files.
import { spawn } from 'node:child_process'
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { migrate } from '#kit/postgres'
import { MIGRATIONS } from '../src/app/migrations.ts'

/** Nothing here has to survive a crash: tests kill the service, never the database server. */
const NOT_DURABLE = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', max_wal_size: '1GB' }
/** A whole run needs a few hundred MB beside the WAL. */
const ROOM_BYTES = 3 * 2 ** 30

/** Memory where the system has a folder for it with room: a copy of the template takes a tenth of the time there. */
async function temporaryFolder(): Promise<string> {
  const memory = await statfs('/dev/shm').catch(() => null)
  return memory && memory.bavail * memory.bsize > ROOM_BYTES ? '/dev/shm' : tmpdir()
}

const given = process.env.TEST_DATABASE_URL
const dataDir = given ? null : await mkdtemp(join(await temporaryFolder(), 'perennial-test-'))
// Services that root starts here continue as the user of the database, who must be able to reach its socket.
if (dataDir) await chmod(dataDir, 0o711)
const embedded = dataDir
  ? await (await import('../src/embedded-postgres/start.ts')).startEmbeddedPostgres({ dataDir, settings: NOT_DURABLE })
  : null
process.env.TEST_DATABASE_URL = given ?? embedded!.url
process.env.TEST_TEMPLATE ??= `perennial_template_${process.pid}`
// Each file is a process that loads mostly the same modules; without the cache this takes a quarter of the time.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'perennial-test-modules')
const { onServer, TEMPLATE, urlOf } = await import('./database.ts')

let status = 1
try {
  await onServer(`drop database if exists ${TEMPLATE}`)
  await onServer(`create database ${TEMPLATE}`)
  await migrate(urlOf(TEMPLATE), MIGRATIONS)
  const files = process.argv.slice(2)
  const isWhole = files.length === 0
  const collected = isWhole ? await mkdtemp(join(tmpdir(), 'perennial-statements-')) : process.env.COLLECTED_STATEMENTS
  if (collected) process.env.COLLECTED_STATEMENTS = collected
  const args = [
    '--import',
    fileURLToPath(new URL('compare-temporal.ts', import.meta.url)),
    ...(collected ? ['--import', fileURLToPath(new URL('collect-statements.ts', import.meta.url))] : []),
    '--test',
    // More files at once than cores makes each slower and none earlier; each may use two dozen connections.
    `--test-concurrency=${Math.min(availableParallelism(), 4)}`,
    '--test-timeout=240000',
    ...(files.length > 0
      ? files
      : ['src/**/*.test.ts', 'sandbox/**/*.test.ts', 'test/**/*.test.ts', 'sdk/src/**/*.test.ts'])
  ]
  const child = spawn(process.execPath, args, { stdio: 'inherit' })
  // The server and its folder go as well when somebody interrupts the tests.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  status = await new Promise<number>((resolve) => child.on('exit', (code) => resolve(code ?? 1)))
  if (collected) {
    // What was put together at run time is checked by the rules of check-sql, which reads the sources.
    const { collectedBreaches } = await import('../scripts/check-sql.ts')
    const breaches = await collectedBreaches(collected)
    for (const { place, rule, reason } of breaches) process.stderr.write(`${place}: rule ${rule}: ${reason}\n`)
    if (breaches.length > 0) status = 1
    if (isWhole) await rm(collected, { recursive: true, force: true })
  }
} finally {
  await onServer(`drop database if exists ${TEMPLATE} with (force)`).catch(() => {})
  await embedded?.stop()
  if (dataDir) await rm(dataDir, { recursive: true, force: true })
}
process.exit(status)
