import fs from 'node:fs'
import { join } from 'node:path'

/** The unprivileged user as whom a program continues that root has started. */
export type ServiceUser = { name: string; uid: number; gid: number }

/** Root has started the program, and it cannot continue as another user. The message says what to do. */
export class RootProblem extends Error {
  /** EX_CONFIG of sysexits.h. */
  readonly exitCode = 78
}

/** In this order, when nothing else says who. The last two exist on nearly every system. */
const USERS = ['perennial', 'postgres', '_postgres', 'nobody']
/** The types of Node lack it. */
const posix = process as unknown as { initgroups(uid: number, extraGid: number): void }
/** What an empty volume may hold. */
const OF_A_VOLUME = new Set(['lost+found'])

/**
 * The user to continue as; null where root has not started the program. It is `wanted`, or who owns one of the `owned` paths, the
 * first that is not root's, or an unprivileged user of the system. Throws RootProblem.
 */
export function chooseServiceUser({ wanted, owned }: { wanted: string | null; owned: string[] }): ServiceUser | null {
  if (process.getuid?.() !== 0) return null
  const users = readUsers()
  const owner = owned
    .map((path) => fs.statSync(path, { throwIfNoEntry: false }))
    .find((found) => found && found.uid !== 0)
  const named = wanted === null ? null : users.find(({ name, uid }) => name === wanted || String(uid) === wanted)
  if (named === undefined) throw new RootProblem(`PERENNIAL_USER must be a user of this system; there is no ${wanted}`)
  if (named?.uid === 0) throw new RootProblem('PERENNIAL_USER must be an unprivileged user, not root')
  if (named) return named
  if (owner)
    return users.find(({ uid }) => uid === owner.uid) ?? { name: `${owner.uid}`, uid: owner.uid, gid: owner.gid }
  const found = USERS.map((name) => users.find((user) => user.name === name)).find((user) => user && user.uid !== 0)
  if (!found) {
    throw new RootProblem(
      'Root has started Perennial, which does not run as root, and this system has no user perennial, postgres or nobody: ' +
        'create a user and name it in PERENNIAL_USER, or start it as an ordinary user'
    )
  }
  return found
}

/**
 * Makes `dir` a directory that the user can write to: creates it, or gives it to the user where it is root's. A directory of root
 * that holds something without one of the files `markers` is somebody else's, and refused. Throws RootProblem.
 */
export function giveDirectory(dir: string, user: ServiceUser, markers: string[]): void {
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 })
  const names = fs.readdirSync(dir).filter((name) => !OF_A_VOLUME.has(name))
  if (fs.statSync(dir).uid === 0) {
    if (names.length > 0 && !markers.some((name) => names.includes(name))) {
      throw new RootProblem(
        `Root has started Perennial, which runs as user ${user.name}, and DATA_DIR ${dir} belongs to root and holds other files: ` +
          `set DATA_DIR to an empty directory, or run chown ${user.name} ${dir}`
      )
    }
    fs.chownSync(dir, user.uid, user.gid)
  }
  const problem = asUser(user, () => {
    const probe = join(dir, `.probe-${process.pid}`)
    fs.writeFileSync(probe, '')
    fs.rmSync(probe)
  })
  if (problem === null) return
  throw new RootProblem(
    `Root has started Perennial, which runs as user ${user.name}, and that user cannot use DATA_DIR ${dir} (${problem}): ` +
      'set DATA_DIR to a directory outside of directories that only root may enter, such as /var/lib/perennial-data, or move the ' +
      'checkout out of them, or start it as an ordinary user'
  )
}

/**
 * Gives the files of root in `dir` to this user; for nobody but root there is nothing to do. Links are not followed, and a file
 * with a second name elsewhere is left alone: who owned the directory before may have put them there.
 */
export function giveFiles(user: ServiceUser, dir: string): void {
  if (process.getuid!() !== 0) return
  for (const name of fs.readdirSync(dir)) {
    const path = join(dir, name)
    const found = fs.lstatSync(path)
    if (found.uid === 0 && found.isFile() && found.nlink === 1) fs.lchownSync(path, user.uid, user.gid)
  }
}

/** Continues as this user, for good. Files of root in `dir` are given to the user. */
export function leaveRoot(user: ServiceUser, dir: string): void {
  giveFiles(user, dir)
  const isKnown = readUsers().some(({ uid }) => uid === user.uid)
  if (isKnown) posix.initgroups(user.uid, user.gid)
  else process.setgroups!([user.gid])
  process.setgid!(user.gid)
  process.setuid!(user.uid)
  // The program that launched us, if there is one, does the same.
  process.send?.({ leaveRoot: { uid: user.uid, gid: user.gid } })
}

/** What prevents the user from doing this; null when nothing does. */
function asUser({ uid, gid }: ServiceUser, work: () => void): string | null {
  process.setegid!(gid)
  process.seteuid!(uid)
  try {
    work()
    return null
  } catch (err) {
    return (err as Error).message
  } finally {
    process.seteuid!(0)
    process.setegid!(0)
  }
}

function readUsers(): ServiceUser[] {
  const lines = fs.readFileSync('/etc/passwd', 'utf8').split('\n')
  return lines.flatMap((line) => {
    const [name, , uid, gid] = line.split(':')
    return name && uid && gid ? { name, uid: Number(uid), gid: Number(gid) } : []
  })
}
