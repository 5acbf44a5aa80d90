// The service that root has started: no process of it stays root, whoever launched it, and the next start finds everything.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { testDatabase } from './database.ts'
import { until } from './until.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const OLDER = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.11.0'})`
/** Groups that root may be in, beside its own: whoever does not give them up keeps their rights. */
const GROUPS_OF_ROOT = [0, 54_322]
const IN_GROUPS = `data:text/javascript,process.setgroups([${GROUPS_OF_ROOT}])`
const isRoot = process.getuid?.() === 0 && process.platform === 'linux'
const skip = isRoot ? false : 'only root can leave root'

function aDir(mode = 0o700): string {
  const dir = fs.mkdtempSync(join(tmpdir(), 'perennial-root-'))
  fs.chmodSync(dir, mode)
  after(() => fs.rmSync(dir, { recursive: true, force: true, maxRetries: 10 }))
  return dir
}

/** Starts the service. With `older` it is launched by an older Node, which stays its parent. */
function start(env: Record<string, string>, { older = false } = {}) {
  const { DATABASE_URL: _, ...inherited } = process.env
  const args = older ? ['--import', OLDER, join(ROOT, 'bin/perennial.js')] : [join(ROOT, 'src/main.ts')]
  const child = spawn(process.execPath, ['--import', IN_GROUPS, ...args, 'serve'], {
    env: { ...inherited, PORT: '0', SANDBOX: 'off', LOG_LEVEL: 'info', LOG_FORMAT: 'json', ...env }
  })
  after(() => child.exitCode === null && child.signalCode === null && child.kill('SIGKILL'))
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  const url = async () => {
    let printed = ''
    for await (const chunk of child.stdout) {
      printed += chunk
      const found = /API +(http:\S+)\/v1/.exec(printed)
      if (found) return found[1]!
    }
    throw new Error(`The service ended before it was ready: ${printed}`)
  }
  return { child, ended, url }
}

/** The real, effective, saved and file-system ids of a process, for its users and its groups. */
function idsOf(pid: number) {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8')
  const of = (name: string) =>
    new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)![1]!.split(/\s+/).filter(Boolean).map(Number)
  return { users: new Set(of('Uid')), groups: new Set([...of('Gid'), ...of('Groups')]) }
}

const descendantsOf = (pid: number): number[] => {
  const children = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  return [pid, ...children.flatMap(descendantsOf)]
}

const postmasterOf = (dataDir: string) =>
  Number(fs.readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])

const nobody = () =>
  fs
    .readFileSync('/etc/passwd', 'utf8')
    .match(/^nobody:[^:]*:(\d+):(\d+)/m)!
    .slice(1)
    .map(Number)

test('no process stays root, and the files belong to who continues; a second start by root works too', {
  skip
}, async () => {
  const [uid, gid] = nobody() as [number, number]
  const dataDir = aDir()
  for (const older of [true, false]) {
    const { child, ended, url } = start({ DATA_DIR: dataDir, PERENNIAL_USER: 'nobody' }, { older })
    const address = await url()
    const processes = [...descendantsOf(child.pid!), postmasterOf(dataDir)]
    assert.ok(processes.length >= (older ? 3 : 2))
    for (const pid of processes) {
      const { users, groups } = idsOf(pid)
      const kept = GROUPS_OF_ROOT.filter((group) => groups.has(group))
      assert.deepEqual([[...users], kept], [[uid], []], `process ${pid} of ${processes}, older ${older}`)
      assert.ok(groups.has(gid))
    }
    assert.deepEqual(
      fs.readdirSync(dataDir).filter((name) => fs.statSync(join(dataDir, name)).uid !== uid),
      []
    )
    assert.equal(fs.statSync(join(dataDir, 'master.key')).mode & 0o777, 0o600)
    assert.equal((await fetch(`${address}/readyz`)).status, 200)
    const token = fs.readFileSync(join(dataDir, 'operator.token'), 'utf8').trim()
    const stores = await fetch(`${address}/admin/api/stores`, { headers: { authorization: `Bearer ${token}` } })
    assert.equal(stores.status, 200)
    child.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null])
    assert.equal(fs.existsSync(join(dataDir, 'postgres/postmaster.pid')), false)
    assert.equal(fs.existsSync(join(dataDir, 'server.json')), false)
  }
})

test('who owns the data directory continues, and a port below 1024 is open all the same', { skip }, async () => {
  const databaseUrl = overTcp((await testDatabase()).url)
  const dataDir = aDir()
  fs.chownSync(dataDir, 54_321, 54_321)
  const port = await freeLowPort()
  const { child, ended, url } = start({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl, PORT: String(port) })
  assert.equal((await fetch(`${await url()}/livez`)).status, 200)
  const { users, groups } = idsOf(child.pid!)
  // A user without a name, and so without groups of its own.
  assert.deepEqual([[...users], [...groups]], [[54_321], [54_321]])
  child.kill('SIGINT')
  assert.deepEqual(await ended, [0, null])
})

test('the service and its launcher stop when the launcher gets a signal, and when it is killed', { skip }, async () => {
  const databaseUrl = overTcp((await testDatabase()).url)
  const env = { DATA_DIR: aDir(), DATABASE_URL: databaseUrl, PERENNIAL_USER: 'nobody' }
  const killed = start(env, { older: true })
  const address = await killed.url()
  killed.child.kill('SIGKILL')
  await until('the service has stopped', () =>
    fetch(`${address}/livez`).then(
      () => false,
      () => true
    )
  )
  const stopped = start(env, { older: true })
  await stopped.url()
  stopped.child.kill('SIGTERM')
  assert.deepEqual(await stopped.ended, [0, null])
})

/** The address of a database that every user can reach: its socket is in a directory of its own user. */
function overTcp(url: string): string {
  const address = new URL(url)
  if (address.hostname.startsWith('%2F')) address.hostname = '127.0.0.1'
  return address.href
}

async function refusal(env: Record<string, string>) {
  const { child, ended } = start(env)
  const [said, [code]] = await Promise.all([text(child.stderr), ended])
  assert.equal(code, 78, said)
  assert.equal(said.trim().split('\n').length, 1, said)
  return said
}

test('where the other user cannot work, the start says what to do, and nothing is changed', { skip }, async () => {
  const closed = aDir()
  const inside = join(closed, 'data')
  assert.match(await refusal({ DATA_DIR: inside }), /cannot use DATA_DIR .*data .*set DATA_DIR to a directory outside/)

  const others = aDir(0o755)
  fs.writeFileSync(join(others, 'letter.txt'), 'mine')
  assert.match(await refusal({ DATA_DIR: others }), /belongs to root and holds other files: set DATA_DIR to an empty/)
  assert.deepEqual([fs.statSync(others).uid, fs.readdirSync(others)], [0, ['letter.txt']])

  for (const [user, said] of [
    ['root', /must be an unprivileged user, not root/],
    ['no-such-user', /must be a user of this system; there is no no-such-user/]
  ] as const) {
    assert.match(await refusal({ DATA_DIR: aDir(), PERENNIAL_USER: user }), said)
  }
})

test('a link or a second name that the former owner left leads root to no file elsewhere', { skip }, async () => {
  const databaseUrl = overTcp((await testDatabase()).url)
  const dataDir = aDir()
  fs.chownSync(dataDir, 54_321, 54_321)
  const elsewhere = aDir()
  for (const name of ['linked', 'named']) fs.writeFileSync(join(elsewhere, name), 'root only', { mode: 0o600 })
  fs.symlinkSync(join(elsewhere, 'linked'), join(dataDir, 'postgres.log'))
  fs.linkSync(join(elsewhere, 'named'), join(dataDir, 'postgres.password'))
  const { child, ended, url } = start({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl })
  await url()
  child.kill('SIGTERM')
  await ended
  for (const name of ['linked', 'named']) assert.equal(fs.statSync(join(elsewhere, name)).uid, 0, name)
})

test('a database that only root and its own user can reach is noticed at the start', { skip }, async () => {
  const { url: databaseUrl } = await testDatabase()
  if (overTcp(databaseUrl) === databaseUrl) return
  const { child, ended } = start({ DATA_DIR: aDir(), DATABASE_URL: databaseUrl, PERENNIAL_USER: 'nobody' })
  const [said, [code]] = await Promise.all([text(child.stderr), ended])
  assert.equal(code, 1)
  assert.match(said, /continues as user nobody, and that user cannot reach the database .*PERENNIAL_USER/)
})

async function freeLowPort(): Promise<number> {
  for (let port = 1023; port > 900; port--) {
    const server = createServer()
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject).listen(port, '127.0.0.1', resolve)
      })
      await new Promise((resolve) => server.close(resolve))
      return port
    } catch {
      // It is in use.
    }
  }
  throw new Error('There is no free port below 1024')
}
