// Starts a PostgreSQL for the tests, creates the template that every test file copies, and runs the given files.
import { spawn } from 'node:child_process'
import { glob, mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildAdminIfChanged } from '../scripts/build-admin.ts'
import { buildAll } from '../scripts/build-storefront.ts'
import { groupTestFiles } from './group-files.ts'
import { startTestServer } from './test-server.ts'

const ALL_FILES = ['src/**/*.test.ts', 'sandbox/**/*.test.ts', 'test/**/*.test.ts', 'sdk/src/**/*.test.ts']

/** Long before this the whole suite has ended, also on a slow machine: a process that a test left does not keep it for ever. */
const LIMIT_MINUTES = 80
/** No group of files needs a third of it on such a machine: what hangs is named before the whole run is ended. */
const FILE_LIMIT_MINUTES = 40

// Tests see the sources as they are, not what the last `npm ci` made of them.
await buildAll()
await buildAdminIfChanged()
const server = await startTestServer()
let status = 1
try {
  await server.makeTemplate()
  const files = process.argv.slice(2)
  const isWhole = files.length === 0
  const groups = await mkdtemp(join(tmpdir(), 'perennial-test-groups-'))
  const collected = isWhole ? await mkdtemp(join(tmpdir(), 'perennial-statements-')) : process.env.COLLECTED_STATEMENTS
  if (collected) process.env.COLLECTED_STATEMENTS = collected
  const args = [
    // Tests make much garbage at once: with room for it, the collector costs a twentieth less of all CPU time.
    '--max-semi-space-size=64',
    '--import',
    fileURLToPath(new URL('compare-temporal.ts', import.meta.url)),
    ...(collected ? ['--import', fileURLToPath(new URL('collect-statements.ts', import.meta.url))] : []),
    '--test',
    // Each waits a third of its time for something else than a core. Many more would only be slower; each may use two dozen connections.
    `--test-concurrency=${Math.min(availableParallelism() + 1, 5)}`,
    `--test-timeout=${FILE_LIMIT_MINUTES * 60_000}`,
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    `--test-reporter=${fileURLToPath(new URL('report-failures.ts', import.meta.url))}`,
    '--test-reporter-destination=stderr',
    ...(isWhole ? await groupTestFiles(await Array.fromAsync(glob(ALL_FILES)), groups) : files)
  ]
  // A process group of its own, so that the limit ends the processes of the files too.
  const child = spawn(process.execPath, args, { stdio: 'inherit', detached: true })
  const killAll = (signal: NodeJS.Signals) => child.pid && process.kill(-child.pid, signal)
  const limit = setTimeout(() => {
    process.stderr.write(`The tests did not end within ${LIMIT_MINUTES} minutes\n`)
    killAll('SIGKILL')
  }, LIMIT_MINUTES * 60_000)
  // The server and its folder go as well when somebody interrupts the tests.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => killAll(signal))
  status = await new Promise<number>((resolve) => child.on('exit', (code) => resolve(code ?? 1)))
  clearTimeout(limit)
  await rm(groups, { recursive: true, force: true })
  if (collected) {
    // What was put together at run time is checked by the rules of check-sql, which reads the sources.
    const { collectedBreaches } = await import('../scripts/check-sql.ts')
    const breaches = await collectedBreaches(collected)
    for (const { place, rule, reason } of breaches) process.stderr.write(`${place}: rule ${rule}: ${reason}\n`)
    if (breaches.length > 0) status = 1
    if (isWhole) await rm(collected, { recursive: true, force: true })
  }
} finally {
  await server.stop()
}
process.exit(status)
