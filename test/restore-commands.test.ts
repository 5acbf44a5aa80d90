// `perennial restore`, with a file and with --mark, and `perennial store release`, as an operator runs them; also as root.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { chmod, lstat, mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { after, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readBackupFile } from '../src/backup/backup-file.ts'
import { writeBackup } from '../src/backup/write-backup.ts'
import { commandLine } from './command-line.ts'
import { emptyDatabase, testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { until } from './until.ts'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const { url } = await testDatabase()
const service = await startService(url)
const cli = commandLine(service).process
const store = await service.aStore()
await store.member('ada@example.com')

const folder = await mkdtemp(join(tmpdir(), 'perennial-restore-'))
after(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
const file = join(folder, 'whole.backup')
/** Where DATA_DIR is: any user may enter. */
const place = await mkdtemp(join(tmpdir(), 'perennial-restored-'))
await chmod(place, 0o755)
after(() => rm(place, { recursive: true, force: true, maxRetries: 10 }))
await writeBackup({ url, path: file, withSandbox: true, masterKeyHint: null })

const isRoot = process.getuid?.() === 0 && process.platform === 'linux'

/** The address of a database that every user can reach: its socket is in a directory of its own user. */
function overTcp(address: string): string {
  const at = new URL(address)
  if (at.hostname.startsWith('%2F')) at.hostname = '127.0.0.1'
  return at.href
}

test('a backup is restored by the command, which says what is on hold and what follows; a second time is refused', async () => {
  const to = overTcp(await emptyDatabase())
  const env = { DATABASE_URL: to, DATA_DIR: join(place, 'a') }
  const first = await cli.run(['restore', file], env)
  assert.equal(first.code, 0, first.err)
  assert.match(first.out, /stores_on_hold +1\n/)
  assert.match(first.out, /Every store is on hold: nothing is charged, .*\n.*begins with the start of the service/)
  const again = await cli.run(['restore', file, '--json'], env)
  assert.equal(again.code, 1)
  const { error } = JSON.parse(again.out)
  assert.deepEqual([error.code, /^The database is not empty/.test(error.message)], ['conflict', true], again.out)
  for (const args of [['restore'], ['restore', file, '--mark']]) {
    const refused = await cli.run(args, env)
    assert.equal(refused.code, 1)
    assert.match(refused.err, /Either a file or --mark is required/)
  }
})

test('--mark puts the stores of a database that another tool has restored on hold, and an operator can release one', async () => {
  const env = { DATABASE_URL: overTcp(url), DATA_DIR: join(place, 'b') }
  const held = async () =>
    (await cli.json('store', 'list')).data.filter((one: { restored_at: string | null }) => one.restored_at).length
  assert.equal(await held(), 0)
  const release = () => cli.json('store', 'release', '--store', store.id)
  assert.equal((await release()).released, false)
  // As a store whose platform is gone: its hold does not end by itself.
  await service.sandbox.controls.install({ storeId: store.storeId, accessToken: 'another-token' })

  const marked = await cli.run(['restore', '--mark', '--json'], env)
  assert.equal(marked.code, 0, marked.out + marked.err)
  assert.deepEqual(JSON.parse(marked.out), { stores_on_hold: 1 })
  await until('the service knows', async () => (await held()) === 1)
  const doctor = await cli.run(['doctor', '--store', store.id])
  assert.match(doctor.out, /restored_store_on_hold/)

  assert.equal((await release()).released, true)
  assert.equal(await held(), 0)
  const { data } = await cli.json('alert', 'list', '--store', store.id)
  assert.deepEqual(
    data.map(({ kind }: { kind: string }) => kind).filter((kind: string) => kind.startsWith('restore')),
    ['restore_finished', 'restored']
  )
})

const idsOf = async (pid: number) => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const of = (name: string) =>
    new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)![1]!.split(/\s+/).filter(Boolean).map(Number)
  return { users: [...new Set(of('Uid'))], groups: [...of('Gid'), ...of('Groups')] }
}

test('started by root it continues as PERENNIAL_USER, to whom everything belongs, and reads a file that only root can', {
  skip: isRoot ? false : 'only root can leave root'
}, async () => {
  const [uid] = /^nobody:[^:]*:(\d+)/m
    .exec(await readFile('/etc/passwd', 'utf8'))!
    .slice(1)
    .map(Number)
  const dataDir = join(place, 'data')
  // In a folder that only root may enter. It has nothing to read until the processes have been looked at.
  const pipe = join(folder, 'pipe.backup')
  execFileSync('mkfifo', ['-m', '600', pipe])
  const { DATABASE_URL: _, ...inherited } = process.env
  const child = spawn(process.execPath, [MAIN, 'restore', pipe, '--json'], {
    env: { ...inherited, DATA_DIR: dataDir, PERENNIAL_USER: 'nobody' }
  })
  after(() => child.exitCode === null && child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  const [out, err] = [text(child.stdout), text(child.stderr)]
  const writing = await open(pipe, 'r+')
  await until('the command has left root', async () => (await idsOf(child.pid!)).users.join() === `${uid}`)
  assert.equal((await idsOf(child.pid!)).groups.includes(0), false)
  const [postmaster] = (await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')
  assert.deepEqual((await idsOf(Number(postmaster))).users, [uid])
  await pipeline(createReadStream(file), writing.createWriteStream())
  const [code] = await ended
  assert.equal(code, 0, (await out) + (await err))
  assert.equal(JSON.parse(await out).stores_on_hold, 1)
  const owners = await Promise.all(
    (await readdir(dataDir)).map(async (name) => [name, (await lstat(join(dataDir, name))).uid])
  )
  assert.ok(owners.length >= 3)
  assert.deepEqual(
    owners.filter(([, owner]) => owner !== uid),
    []
  )
})

test('started by root a backup is written as PERENNIAL_USER to a folder that only root may enter', {
  skip: isRoot ? false : 'only root can leave root'
}, async () => {
  const [, uid] = /^nobody:[^:]*:(\d+)/m.exec(await readFile('/etc/passwd', 'utf8'))!.map(Number)
  const { DATABASE_URL: _, ...inherited } = process.env
  const env = { ...inherited, DATABASE_URL: overTcp(url), DATA_DIR: join(place, 'c'), PERENNIAL_USER: 'nobody' }
  const to = join(folder, 'by-root.backup')
  const backUp = async () => {
    const child = spawn(process.execPath, [MAIN, 'backup', to, '--json'], { env })
    after(() => child.exitCode === null && child.kill('SIGKILL'))
    const ended = once(child, 'exit')
    const [out, err] = [text(child.stdout), text(child.stderr)]
    const seen = new Set<number>()
    while (child.exitCode === null) {
      // It may end meanwhile.
      const ids = await idsOf(child.pid!).catch(() => null)
      for (const user of ids?.users ?? []) seen.add(user)
      await setTimeout(5)
    }
    const [code] = await ended
    return { code, seen, document: JSON.parse(await out), said: (await out) + (await err) }
  }
  // What a backup that failed has left.
  await writeFile(to, '')
  const first = await backUp()
  assert.equal(first.code, 0, first.said)
  assert.ok(first.seen.has(uid!), `${[...first.seen]}`)
  assert.equal((await lstat(to)).size, first.document.bytes)
  const parts = []
  for await (const { kind } of readBackupFile(to)) parts.push(kind)
  assert.equal(parts.at(-1), 'manifest')
  const again = await backUp()
  assert.equal(again.code, 1)
  assert.match(again.document.error.message, /by-root\.backup cannot be written: it exists already/)
  assert.equal((await lstat(to)).size, first.document.bytes)
})
