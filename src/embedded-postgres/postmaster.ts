import { execFile, spawn } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { clusterArgument, namingCluster, type PidFile, type Places, readIfThere, readPidFile } from './data-dir.ts'
import { bareEnvironment, type RunAs, type Runtime } from './runtime.ts'

export type Settings = Record<string, string>

/** Recovery after a crash replays at most `max_wal_size`, which takes seconds, on a poor disk minutes. */
const READY_WITHIN_MS = 600_000
const STOPPED_WITHIN_MS = 120_000
const LOG_LIMIT_BYTES = 10 * 2 ** 20

/** Settings go on the command line rather than into the cluster, so that a newer Perennial changes them. */
export function settingsFor(places: Places, runtime: Runtime, own: Settings): Settings {
  const memoryMb = Math.min(os.totalmem(), process.constrainedMemory() || Infinity) / 2 ** 20
  const sharedMb = Math.min(1024, Math.max(128, Math.floor(memoryMb / 8 / 64) * 64))
  const settings: Settings = {
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
    max_connections: '100',
    shared_buffers: `${sharedMb}MB`,
    effective_cache_size: `${Math.max(256, Math.floor(memoryMb / 2))}MB`,
    work_mem: '16MB',
    maintenance_work_mem: '128MB',
    max_wal_size: '2GB',
    random_page_cost: '1.1',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // The application reports errors; this log must not contain statements and their values.
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    log_checkpoints: 'off',
    ...own,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: process.platform === 'win32' ? '' : '.',
    'perennial.postgres': runtime.version
  }
  if (process.platform !== 'win32') settings['perennial.cluster'] = places.cluster
  // Containers have 64 MB of /dev/shm, too little for a parallel hash join; System V shared memory is not limited by it.
  if (process.platform === 'linux' && sharedMemoryMb() < 256) settings.dynamic_shared_memory_type ??= 'sysv'
  return settings
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (err) {
    return (err as NodeJS.ErrnoException).code === 'EPERM'
  }
  if (process.platform !== 'linux') return true
  // A dead process accepts signals until its parent has reaped it, which in a container may be never.
  return !/^[ZX]$/.test(statFields(pid)[0] ?? '')
}

/** What Linux says of a process after its name: the state first, at 19 when it began. Empty when there is no such process. */
function statFields(pid: number): string[] {
  const stat = readIfThere(`/proc/${pid}/stat`)
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** When the process began, which tells it from a later one with its id; null if the system does not provide this. */
function beganAt(pid: number): string | null {
  return process.platform === 'linux' ? (statFields(pid)[19] ?? null) : null
}

/** Whether the process is the postmaster of this cluster; null if the system does not provide this. */
export async function isPostmaster(pid: number, places: Places): Promise<boolean | null> {
  if (!isAlive(pid)) return false
  if (process.platform === 'win32') return null
  return ` ${await commandLine(pid)} `.includes(` perennial.cluster=${places.cluster} `)
}

/**
 * Whether a postmaster that was found or started runs still: another process may have its id by now. Asked several times a
 * second, so only Linux, where that costs nothing, is asked what the process is.
 */
export async function runsAsPostmaster(pid: number, places: Places): Promise<boolean> {
  if (process.platform === 'linux') return (await isPostmaster(pid, places)) === true
  return isAlive(pid) && readPidFile(places)?.pid === pid
}

/** Whether the postmaster runs with the current settings. */
export function runsWith(settings: Settings, places: Places): boolean {
  const line = readIfThere(join(places.cluster, 'postmaster.opts')).trim()
  return line.endsWith(
    settingArguments(settings)
      .map((argument) => ` "${argument}"`)
      .join('')
  )
}

/**
 * Starts a postmaster that outlives this process, and waits until it accepts connections; at a free port, unless one is given.
 * Returns the reason if it fails to start.
 */
export async function launch(
  places: Places,
  runtime: Runtime,
  runAs: RunAs,
  settings: Settings,
  port?: number
): Promise<PidFile | { failure: string }> {
  rotate(places.log)
  sweepSockets(places)
  const output = fs.openSync(places.log, 'a', 0o600)
  const logSizeBefore = fs.fstatSync(output).size
  const failure = (reason: string) => ({
    failure: namingCluster(reasonIn(places.log, logSizeBefore) || reason, places.cluster, runAs)
  })
  try {
    const args = ['-c', `port=${port ?? (await freePort())}`, ...settingArguments(settings)]
    return process.platform === 'win32'
      ? await launchByPgCtl(places, runtime, args, failure)
      : await launchDirectly(places, runtime, runAs, args, output, failure)
  } finally {
    fs.closeSync(output)
  }
}

/**
 * Ends processes of a postmaster that is dead: one that computes does not notice that by itself, and keeps the shared memory from
 * the next postmaster. What they did is rolled back by its recovery. Only Linux says which processes these are; elsewhere, and
 * here too, they end with their statement.
 */
export async function endOrphans(places: Places): Promise<void> {
  if (process.platform !== 'linux') return
  const running = readPidFile(places)?.pid
  if (running !== undefined && (await isPostmaster(running, places))) return
  for (const name of fs.readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      if (!readIfThere(`/proc/${name}/cmdline`).startsWith('postgres: ')) continue
      if (fs.readlinkSync(`/proc/${name}/cwd`) === places.cluster) process.kill(Number(name), 'SIGKILL')
    } catch {
      // It has ended, or it is another user's.
    }
  }
}

/** Shuts the server down: rolls back open transactions, flushes everything to disk, and returns when the process has ended. */
export async function stopPostmaster(pid: number, places: Places, runtime: Runtime): Promise<void> {
  const began = beganAt(pid)
  if (!(await requestStop(pid, places, runtime))) return
  // A process that ends loses its command line a while before it is gone, so that this cannot say that it has ended.
  const runs = () => (began === null ? runsAsPostmaster(pid, places) : isAlive(pid) && beganAt(pid) === began)
  const deadline = performance.now() + STOPPED_WITHIN_MS
  while (await runs()) {
    if (performance.now() > deadline) {
      throw new Error(`the database server, process ${pid}, has not stopped for ${STOPPED_WITHIN_MS / 1000} s`)
    }
    await sleep(10)
  }
}

/** Begins the shutdown, which the server finishes by itself. Returns false if it does not run. */
export async function requestStop(pid: number, places: Places, runtime: Runtime): Promise<boolean> {
  // After its end the process id may belong to another process.
  if (!((await isPostmaster(pid, places)) ?? readPidFile(places)?.pid === pid)) return false
  if (process.platform === 'win32') {
    const args = ['stop', '--pgdata', places.cluster, '--mode', 'fast', '--no-wait', '--silent']
    await promisify(execFile)(runtime.program('pg_ctl'), args, { windowsHide: true })
  } else {
    process.kill(pid, 'SIGINT')
  }
  return true
}

async function launchDirectly(
  places: Places,
  runtime: Runtime,
  runAs: RunAs,
  args: string[],
  output: number,
  failure: (reason: string) => { failure: string }
) {
  const child = spawn(runtime.program('postgres'), ['-D', clusterArgument(places.cluster, runAs), ...args], {
    ...runAs,
    cwd: places.cluster,
    env: bareEnvironment(),
    detached: true,
    stdio: ['ignore', output, output]
  })
  let ended: string | null = null
  child.once('error', (err) => {
    ended = err.message
  })
  child.once('exit', (code, signal) => {
    ended ??= `postgres ended with ${signal ?? `exit ${code}`}`
  })
  child.unref()

  const deadline = performance.now() + READY_WITHIN_MS
  while (ended === null) {
    const file = readPidFile(places)
    if (file?.pid === child.pid && file?.state === 'ready') return file
    if (performance.now() > deadline) {
      child.kill('SIGINT')
      return { failure: `the database server was not ready after ${READY_WITHIN_MS / 1000} s` }
    }
    await sleep(10)
  }
  return failure(ended)
}

/** On Windows, which has no signals, pg_ctl starts the server without administrator rights, with which it would refuse to run. */
async function launchByPgCtl(
  places: Places,
  runtime: Runtime,
  args: string[],
  failure: (reason: string) => { failure: string }
) {
  const options = args.map((argument) => `"${argument}"`).join(' ')
  const child = spawn(
    runtime.program('pg_ctl'),
    [
      'start',
      '--wait',
      '--timeout',
      String(READY_WITHIN_MS / 1000),
      '--silent',
      '--pgdata',
      places.cluster,
      '--log',
      places.log,
      '--options',
      options
    ],
    { cwd: places.cluster, env: bareEnvironment(), windowsHide: true, stdio: 'ignore' }
  )
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('exit', resolve))
  const file = readPidFile(places)
  return code === 0 && file ? file : failure(`pg_ctl ended with exit ${code}`)
}

function settingArguments(settings: Settings): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/** A free port. Another program may take it before PostgreSQL does; then the start is repeated with another port. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net
      .createServer()
      .once('error', reject)
      .listen(0, '127.0.0.1', () => {
        const { port } = server.address() as net.AddressInfo
        server.close(() => resolve(port))
      })
  })
}

async function commandLine(pid: number): Promise<string> {
  if (process.platform === 'linux') return readIfThere(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')
  try {
    const { stdout } = await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)])
    return stdout.trim()
  } catch {
    return ''
  }
}

function sharedMemoryMb(): number {
  try {
    const { bsize, blocks } = fs.statfsSync('/dev/shm')
    return (bsize * blocks) / 2 ** 20
  } catch {
    return 0
  }
}

/** The reason why PostgreSQL failed to start, from its log since then. */
function reasonIn(log: string, offset: number): string {
  const lines = fs.readFileSync(log).subarray(offset).toString('utf8').trim().split('\n')
  const reasons = lines
    .filter((line) => /(FATAL|PANIC): /.test(line))
    .map((line) => line.replace(/^.*?(FATAL|PANIC): +/, ''))
  // One message may go over several lines.
  return (reasons.length > 0 ? reasons : lines).join('; ').replaceAll(',;', ',')
}

/** Removes the sockets of killed postmasters; each start has another port. */
function sweepSockets(places: Places) {
  for (const name of fs.readdirSync(places.cluster)) {
    if (name.startsWith('.s.PGSQL.')) fs.rmSync(join(places.cluster, name), { force: true })
  }
}

function rotate(log: string) {
  const found = fs.statSync(log, { throwIfNoEntry: false })
  if (found && found.size > LOG_LIMIT_BYTES) fs.renameSync(log, `${log}.1`)
}
