import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { bareEnvironment, messageOf, type RunAs, type Runtime } from './runtime.ts'

/** The paths of one embedded database. */
export type Places = { dataDir: string; cluster: string; password: string; log: string }

/** The content of the postmaster.pid file in a cluster. */
export type PidFile = { pid: number; port: number; state: string }

export const SUPERUSER = 'perennial'

/** How long a start waits for an owner that is shutting down. */
const LOCK_PATIENCE_MS = 2_000
const SQLITE_BUSY = 5
/** The form of the passwords that we make. */
const PASSWORD = /^[\w-]{32}$/

/** Keeps references to the locks, since a garbage-collected database releases its lock. */
const locks = new Set<DatabaseSync>()

export function placesIn(dataDir: string): Places {
  return {
    dataDir,
    cluster: join(dataDir, 'postgres'),
    password: join(dataDir, 'postgres.password'),
    log: join(dataDir, 'postgres.log')
  }
}

/** Creates the directory if it does not exist. Throws if it is not writable. */
export function openDataDir(path: string): Places {
  try {
    fs.mkdirSync(path, { recursive: true, mode: 0o700 })
    fs.accessSync(path, fs.constants.W_OK | fs.constants.X_OK)
  } catch (err) {
    throw new Error(`cannot write to the data directory ${resolve(path)}: ${messageOf(err)}`, { cause: err })
  }
  return placesIn(fs.realpathSync(path))
}

/**
 * Makes this process the only owner of `dataDir` until it releases it or ends in any way. Node has no flock, but SQLite locks
 * files on every system, so a transaction is kept open. Nothing else in this process may open that file, since POSIX releases a
 * process's locks when the first of its descriptors is closed.
 */
export async function lockDataDir(dataDir: string): Promise<() => void> {
  const deadline = performance.now() + LOCK_PATIENCE_MS
  let db: DatabaseSync | null
  while (!(db = tryLock(dataDir))) {
    if (performance.now() > deadline) throw new Error(`${dataDir} is already in use by process ${ownerOf(dataDir)}`)
    await sleep(50)
  }

  const lock = db
  locks.add(lock)
  return () => {
    if (locks.delete(lock)) lock.close()
  }
}

/** Initialises the cluster if there is none. It is renamed into place, so it is either complete or absent. */
export async function ensureCluster(places: Places, runtime: Runtime, runAs: RunAs): Promise<{ created: boolean }> {
  sweepDrafts(places)
  if (fs.existsSync(join(places.cluster, 'PG_VERSION'))) {
    takeOver(places.cluster, runAs)
    return { created: false }
  }

  const draft = `${places.cluster}.new-${randomBytes(6).toString('hex')}`
  try {
    fs.mkdirSync(draft, { mode: 0o700 })
    giveTo(runAs, draft)
    writePassword(places.password)
    await initdb(draft, places.password, runtime, runAs)
    fs.renameSync(draft, places.cluster)
  } catch (err) {
    fs.rmSync(draft, { recursive: true, force: true })
    throw new Error(`cannot initialise the database in ${places.cluster}: ${messageOf(err)}`, { cause: err })
  }
  syncDirectory(places.dataDir)
  return { created: true }
}

export function readPassword(places: Places): string {
  try {
    return fs.readFileSync(places.password, 'utf8').trim()
  } catch (err) {
    throw new Error(`cannot read the database password: ${messageOf(err)}`, { cause: err })
  }
}

/** The file exists while the postmaster runs, and stays if the postmaster is killed. */
export function readPidFile(places: Places): PidFile | null {
  const lines = readIfThere(pidFileOf(places)).split('\n')
  const pid = Number(lines[0])
  if (!Number.isInteger(pid) || pid <= 0) return null
  return { pid, port: Number(lines[3]), state: (lines[7] ?? '').trim() }
}

/** Only for a file whose process is not a postmaster of this cluster; PostgreSQL removes most of these itself. */
export function removePidFile(places: Places) {
  fs.rmSync(pidFileOf(places), { force: true })
}

/**
 * How a process whose working directory is the cluster names it. Under Linux, root can so give the cluster to a user
 * who may not pass through the directories above it: the way in through one's own working directory is always open.
 */
export function clusterArgument(cluster: string, runAs: RunAs): string {
  return runAs.uid !== undefined && process.platform === 'linux' ? '/proc/self/cwd' : cluster
}

/** What a program said, with the cluster named as everybody else knows it. */
export const namingCluster = (text: string, cluster: string, runAs: RunAs) =>
  text.replaceAll(clusterArgument(cluster, runAs), cluster)

function pidFileOf(places: Places): string {
  return join(places.cluster, 'postmaster.pid')
}

function tryLock(dataDir: string): DatabaseSync | null {
  const db = new DatabaseSync(join(dataDir, 'owner.lock'), { timeout: 0, open: false })
  try {
    db.open()
    db.exec('pragma journal_mode = memory; begin immediate')
    fs.writeFileSync(join(dataDir, 'owner.pid'), `${process.pid}\n`)
    return db
  } catch (err) {
    if (db.isOpen) db.close()
    if ((err as { errcode?: number }).errcode === SQLITE_BUSY) return null
    throw new Error(`cannot lock the data directory ${dataDir}: ${messageOf(err)}`, { cause: err })
  }
}

function ownerOf(dataDir: string): string {
  try {
    return fs.readFileSync(join(dataDir, 'owner.pid'), 'utf8').trim()
  } catch {
    return 'unknown'
  }
}

/** Removes the files of a start that was killed. */
function sweepDrafts(places: Places) {
  const prefix = `${basename(places.cluster)}.new-`
  for (const name of fs.readdirSync(places.dataDir)) {
    if (name.startsWith(prefix)) fs.rmSync(join(places.dataDir, name), { recursive: true, force: true })
  }
}

/** Corrects owner and mode: a restored backup can belong to root, and a mounted volume can have a mode that PostgreSQL refuses. */
function takeOver(cluster: string, runAs: RunAs) {
  if (runAs.uid !== undefined && fs.statSync(cluster).uid === 0) {
    const below = fs.readdirSync(cluster, { recursive: true, encoding: 'utf8' })
    for (const path of below) giveTo(runAs, join(cluster, path))
    giveTo(runAs, cluster)
  }
  fs.chmodSync(cluster, 0o700)
}

function giveTo({ uid, gid }: RunAs, path: string) {
  if (uid !== undefined && gid !== undefined) fs.lchownSync(path, uid, gid)
}

/**
 * A new cluster gets the password of the one before it: whoever has moved that one away can put it back. The file is made anew all
 * the same, since the one that is there may be a link to somebody else's, and is replaced as a whole.
 */
function writePassword(path: string) {
  const former = readIfThere(path).trim()
  const password = PASSWORD.test(former) ? former : randomBytes(24).toString('base64url')
  const draft = `${path}.new`
  fs.rmSync(draft, { force: true })
  fs.writeFileSync(draft, `${password}\n`, { mode: 0o600, flag: 'wx', flush: true })
  fs.renameSync(draft, path)
}

async function initdb(directory: string, password: string, runtime: Runtime, runAs: RunAs): Promise<void> {
  const other = runAs.uid !== undefined
  const input = fs.openSync(password, 'r')
  try {
    // The other user may be unable to reach the path, so it reopens our descriptor, for which it must own the file.
    giveTo(runAs, password)
    const { code, output } = await run(
      runtime.program('initdb'),
      [
        `--pgdata=${clusterArgument(directory, runAs)}`,
        `--username=${SUPERUSER}`,
        `--pwfile=${other ? '/dev/fd/3' : password}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale=C',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--no-instructions'
      ],
      { ...runAs, cwd: directory },
      input
    )
    if (code !== 0)
      throw new Error(`initdb failed: ${namingCluster(output.trim(), directory, runAs) || `exit ${code}`}`)
  } finally {
    fs.closeSync(input)
    if (other) fs.chownSync(password, 0, 0)
  }
}

function run(program: string, args: string[], options: RunAs & { cwd: string }, input: number) {
  return new Promise<{ code: number | string | null; output: string }>((resolve, reject) => {
    const env = bareEnvironment()
    const child = spawn(program, args, {
      ...options,
      env,
      windowsHide: true,
      // A signal to our process group, such as Ctrl-C, is for us to handle.
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'ignore', 'pipe', input]
    })
    let output = ''
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code: code ?? signal, output }))
  })
}

/** A rename is durable only after its directory is synced. Windows cannot open directories and does not need this. */
function syncDirectory(path: string) {
  if (process.platform === 'win32') return
  const directory = fs.openSync(path, 'r')
  fs.fsyncSync(directory)
  fs.closeSync(directory)
}

export function readIfThere(path: string): string {
  try {
    return fs.readFileSync(path, 'utf8')
  } catch (err) {
    // Reading the /proc file of a process that is ending fails with ESRCH.
    if (['ENOENT', 'ESRCH'].includes((err as NodeJS.ErrnoException).code ?? '')) return ''
    throw err
  }
}
