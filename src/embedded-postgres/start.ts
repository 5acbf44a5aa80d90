import fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import {
  ensureCluster,
  lockDataDir,
  openDataDir,
  type PidFile,
  type Places,
  placesIn,
  readPassword,
  readPidFile,
  removePidFile,
  SUPERUSER
} from './data-dir.ts'
import { type KeptRunning, keepRunning } from './keep-running.ts'
import {
  endOrphans,
  isPostmaster,
  launch,
  requestStop,
  runsAsPostmaster,
  runsWith,
  type Settings,
  settingsFor,
  stopPostmaster
} from './postmaster.ts'
import { chooseRunAs, messageOf, prepareRuntime, type RunAs, type Runtime } from './runtime.ts'

export type EmbeddedPostgres = {
  /** A superuser's connection to the database `perennial`. */
  url: string
  /** True if the server was already running, left by a former owner that ended without stopping it. */
  adopted: boolean
  /** Resolves with the reason when the server has died and could not be started again: the service cannot go on. */
  gone: KeptRunning['gone']
  /** Shuts the server down, also an adopted one, and releases the data directory. */
  stop(): Promise<void>
  /** Tells the server to shut down, for a process that ends without waiting for that. */
  requestStop(): Promise<void>
}

/** Gets what happens; at the level `warn` what whoever runs the service should know. */
export type EmbeddedLog = (line: string, level?: 'info' | 'warn') => void

export type EmbeddedOptions = {
  dataDir: string
  log?: EmbeddedLog
  /** Settings of PostgreSQL that override ours, such as for a test that needs no durability. */
  settings?: Record<string, string>
  /** As whom PostgreSQL runs where root starts it; an unprivileged system user when left out. */
  runAs?: RunAs
  /** The pauses before each new start of a server that has died, in milliseconds; eight seconds together when left out. */
  pausesMs?: readonly number[]
}

type Server = PidFile & { adopted: boolean }

const DATABASE = 'perennial'

/** The backends of a killed postmaster hold the shared memory until they notice, or until they are ended after a while. */
const FREE_WITHIN_MS = 10_000
const END_ORPHANS_AFTER_MS = 2_000
/** How long a running server may take to respond, and to finish starting or stopping. */
const RESPONDS_WITHIN_MS = 30_000
const SETTLES_WITHIN_MS = 600_000
const REPORT_AFTER_MS = 5_000
const WRONG_PASSWORD = '28P01'
const PASSES_BY_ITSELF = /still in use|already in use|could not create any TCP\/IP sockets/
const STILL_IN_USE = /still in use/
const PID_FILE_STALE = /lock file "postmaster\.pid" (already exists|is empty)/

/** The path of a socket has at most 107 characters on Linux, 103 on macOS. */
const SOCKET_PATH_LIMIT_BYTES = 103

/**
 * Starts the PostgreSQL in `dataDir`, initialising it the first time, and makes this process its owner. The server continues if the
 * owner dies, and the next owner adopts it. A second owner at the same time is refused.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const log = options.log ?? (() => {})
  const places = openDataDir(options.dataDir)
  const unlock = await lockDataDir(places.dataDir)
  try {
    const runAs = chooseRunAs(places.cluster, options.runAs)
    const runtime = await prepareRuntime(places.dataDir, runAs, log)
    const settings = settingsFor(places, runtime, options.settings ?? {})
    const { created } = await ensureCluster(places, runtime, runAs)
    if (created)
      log(`initialised a database in ${places.cluster}${runAs.uid ? `, which runs as user ${runAs.uid}` : ''}`)

    const reportTimer = setTimeout(
      log,
      REPORT_AFTER_MS,
      'waiting for the database server, which may have to recover from a crash'
    )
    let server = await bringUp(places, runtime, runAs, settings, log).finally(() => clearTimeout(reportTimer))
    try {
      await ensureDatabase(places, server)
    } catch (err) {
      if (!server.adopted) await stopPostmaster(server.pid, places, runtime)
      throw err
    }

    const { port, adopted } = server
    const kept = keepRunning({
      isAlive: () => runsAsPostmaster(server.pid, places),
      startAgain: async () => {
        // At the same port: the service holds the address.
        server = await bringUp(places, runtime, runAs, settings, log, port)
      },
      log,
      pausesMs: options.pausesMs
    })
    let stopping: Promise<void> | null = null
    const stopAll = async () => {
      await kept.stop()
      await stopPostmaster(server.pid, places, runtime)
    }
    return {
      url: urlOf(places, port, DATABASE),
      adopted,
      gone: kept.gone,
      stop: () => (stopping ??= stopAll().finally(unlock)),
      async requestStop() {
        void kept.stop()
        await requestStop(server.pid, places, runtime)
      }
    }
  } catch (err) {
    unlock()
    throw err
  }
}

/** The URL of the server that runs in `dataDir` now, for a client in another process; null if none runs. */
export async function findEmbeddedPostgres(dataDir: string): Promise<string | null> {
  if (!fs.existsSync(dataDir)) return null
  const places = placesIn(fs.realpathSync(dataDir))
  const file = readPidFile(places)
  if (file?.state !== 'ready' || (await isPostmaster(file.pid, places)) === false) return null
  return urlOf(places, file.port, DATABASE)
}

async function bringUp(
  places: Places,
  runtime: Runtime,
  runAs: RunAs,
  settings: Settings,
  log: (line: string) => void,
  port?: number
): Promise<Server> {
  const since = performance.now()
  while (true) {
    const running = await findRunning(places)
    if (running) {
      if (runsWith(settings, places)) return { ...running, adopted: true }
      log(`restarting the database server, process ${running.pid}, which runs with other settings`)
      await stopPostmaster(running.pid, places, runtime)
    }

    const launched = await launch(places, runtime, runAs, settings, port)
    if (!('failure' in launched)) return { ...launched, adopted: false }

    const { failure } = launched
    if (PID_FILE_STALE.test(failure)) await discardForeignPidFile(places, log)
    else if (!PASSES_BY_ITSELF.test(failure)) throw new Error(`the database server did not start: ${failure}`)
    const waitedMs = performance.now() - since
    if (waitedMs > FREE_WITHIN_MS) throw new Error(`the database server cannot start yet: ${failure}`)
    if (STILL_IN_USE.test(failure) && waitedMs > END_ORPHANS_AFTER_MS) await endOrphans(places)
    await sleep(100)
  }
}

/** The server that a former owner left, once it is ready; null if there is none or it has stopped. */
async function findRunning(places: Places): Promise<PidFile | null> {
  const since = performance.now()
  while (true) {
    const file = readPidFile(places)
    const ours = file && (await isPostmaster(file.pid, places))
    if (!file || ours === false) return null

    const ready = file.state === 'ready'
    const complaint = ready ? await complaintOf(places, file) : `it is ${file.state}`
    if (complaint === null) return file
    if (ready && ours === null) return null
    if (performance.now() - since > (ready ? RESPONDS_WITHIN_MS : SETTLES_WITHIN_MS)) {
      throw new Error(`the database server of ${places.dataDir}, process ${file.pid}, does not respond: ${complaint}`)
    }
    await sleep(20)
  }
}

/** Null if the server at that port wrote the file: it accepts our password and reads the same file. Otherwise the reason. */
async function complaintOf(places: Places, { pid, port }: PidFile): Promise<string | null> {
  try {
    return await connected(places, port, async (client) => {
      const { rows } = await client.query("select pg_read_file('postmaster.pid') as file")
      return Number.parseInt(rows[0].file, 10) === pid ? null : 'another server answers at its port'
    })
  } catch (err) {
    return messageOf(err)
  }
}

async function ensureDatabase(places: Places, { port }: PidFile): Promise<void> {
  await connected(places, port, async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE])
    if (rowCount === 0) await client.query(`create database ${DATABASE}`)
  })
}

async function connected<T>(places: Places, port: number, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: urlOf(places, port, 'postgres'),
    connectionTimeoutMillis: RESPONDS_WITHIN_MS,
    query_timeout: RESPONDS_WITHIN_MS
  })
  // The server may close the connection at any time, and an unhandled error event would end the process.
  client.on('error', () => {})
  try {
    await client.connect()
    return await work(client)
  } catch (err) {
    if ((err as { code?: string }).code !== WRONG_PASSWORD) throw err
    throw new Error(
      `${places.password} does not hold the password of the database in ${places.cluster}. Put back the file that belongs to it`,
      { cause: err }
    )
  } finally {
    await client.end().catch(() => {})
  }
}

/** Removes a stale file: PostgreSQL treats any live process with that id as its postmaster, even after a reboot. */
async function discardForeignPidFile(places: Places, log: (line: string) => void) {
  const file = readPidFile(places)
  if (file && (await isPostmaster(file.pid, places)) !== false) return
  log(`removing the stale postmaster.pid of ${places.cluster}`)
  removePidFile(places)
}

/** Over the socket if its path is short enough, which serves a quarter more requests than TCP. */
function urlOf(places: Places, port: number, database: string): string {
  const socket = join(places.cluster, `.s.PGSQL.${port}`)
  const fits = process.platform !== 'win32' && Buffer.byteLength(socket) <= SOCKET_PATH_LIMIT_BYTES
  const host = fits ? encodeURIComponent(places.cluster) : '127.0.0.1'
  return `postgresql://${SUPERUSER}:${readPassword(places)}@${host}:${port}/${database}`
}
