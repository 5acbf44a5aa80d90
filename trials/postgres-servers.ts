import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { appendFile, chown, mkdtemp, rm } from 'node:fs/promises'
import net, { type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { chooseRunAs } from '../src/embedded-postgres/runtime.ts'
import { freePort } from '../test/service-process.ts'
import { until } from '../test/until.ts'

const run = promisify(execFile)
const NEEDED = ['initdb', 'postgres', 'pg_ctl', 'pg_basebackup']

/** The folder of a PostgreSQL with everything that a standby needs, which the one from npm has not; null where there is none. */
export function findPostgresTools(): string | null {
  const installed = '/usr/lib/postgresql'
  const folders = existsSync(installed) ? readdirSync(installed).map((version) => join(installed, version, 'bin')) : []
  return (
    [process.env.PG_BIN ?? '', ...folders].find((bin) => NEEDED.every((name) => bin && existsSync(join(bin, name)))) ??
    null
  )
}

export const TOOLS_NEEDED =
  `it needs ${NEEDED.join(', ')} of a PostgreSQL 15 or later (Debian: apt install postgresql), in /usr/lib/postgresql or in PG_BIN; ` +
  'the PostgreSQL from npm has no pg_basebackup'

/** A folder for servers of these programs, which they run in as a user who is not root. */
async function aPlaceForServers(bin: string) {
  const root = await mkdtemp(join(tmpdir(), 'perennial-servers-'))
  const runAs = chooseRunAs(join(root, 'none'))
  if (runAs.uid !== undefined) await chown(root, runAs.uid, runAs.gid!)
  const options = { ...runAs, cwd: root, env: { LC_ALL: 'C' } }
  const servers: ChildProcess[] = []
  return {
    root,
    tool: (name: string, ...args: string[]) => run(join(bin, name), args, options),
    async initialise(directory: string): Promise<void> {
      const as = ['--username', 'perennial_admin', '--auth', 'trust', '--encoding', 'UTF8', '--locale', 'C']
      await run(join(bin, 'initdb'), ['--pgdata', directory, ...as], options)
      const settings = `listen_addresses = '127.0.0.1'\nunix_socket_directories = '${root}'\nmax_connections = 200\n`
      await appendFile(join(directory, 'postgresql.conf'), settings)
    },
    async start(directory: string, port: number, ...more: string[]): Promise<ChildProcess> {
      const args = ['-D', directory, '-c', `port=${port}`, ...more]
      const server = spawn(join(bin, 'postgres'), args, { ...options, stdio: 'ignore', detached: true })
      servers.push(server)
      await until(`the server at ${port}`, () => answers(port))
      return server
    },
    async close(): Promise<void> {
      for (const server of servers) {
        if (server.exitCode !== null || server.signalCode !== null) continue
        const ended = once(server, 'exit')
        server.kill('SIGQUIT')
        await ended
      }
      await rm(root, { recursive: true, force: true })
    }
  }
}

const urlOf = (port: number, database = 'postgres') => `postgres://perennial_admin@127.0.0.1:${port}/${database}`

/** A server of these programs. `url` is that of its superuser. */
export async function aPostgresServer(bin: string) {
  const place = await aPlaceForServers(bin)
  const directory = join(place.root, 'data')
  const port = await freePort()
  await place.initialise(directory)
  await place.start(directory, port, '-c', 'fsync=off')
  return {
    port,
    url: (database: string) => urlOf(port, database),
    run: (statement: string) => query(urlOf(port), statement),
    tool: place.tool,
    folder: place.root,
    close: place.close
  }
}

/**
 * A primary and its standby, and one address that leads to the present primary, as a proxy or a floating address does. With
 * `isSynchronous` the primary acknowledges a commit when the standby has it on disk.
 */
export async function aPostgresPair(bin: string, { isSynchronous }: { isSynchronous: boolean }) {
  const { root, tool, initialise, start, close } = await aPlaceForServers(bin)
  const [primaryDir, standbyDir] = [join(root, 'primary'), join(root, 'standby')]
  const [primaryPort, standbyPort] = [await freePort(), await freePort()]
  await initialise(primaryDir)
  const primary = await start(primaryDir, primaryPort)
  const onPrimary = (statement: string) => query(urlOf(primaryPort), statement)
  // The network between the two, and the address of whichever is the primary.
  const link = await aTunnel(primaryPort)
  const address = await aTunnel(primaryPort)
  const copy = ['--pgdata', standbyDir, '--write-recovery-conf', '--wal-method', 'stream', '--checkpoint', 'fast']
  await tool('pg_basebackup', '--dbname', urlOf(link.port), ...copy)
  // It has no standby of its own to wait for, once it is the primary.
  await start(standbyDir, standbyPort, '-c', 'synchronous_standby_names=')
  if (isSynchronous) await onPrimary(`alter system set synchronous_standby_names = '*'`)
  await onPrimary('select pg_reload_conf()')
  await until('the standby streams', async () => {
    const [row] = await onPrimary('select state, sync_state from pg_stat_replication')
    return row?.state === 'streaming' && (row.sync_state === 'sync' || !isSynchronous)
  })

  return {
    /** The address that clients have. */
    url: (database: string) => urlOf(address.port, database),
    onPrimary,
    /**
     * The primary's machine dies, and the standby takes over: the address leads there from then on. For `cutOffMs` before that the
     * standby has got nothing any more, as when the network fails first.
     */
    async failOver(cutOffMs: number): Promise<void> {
      link.cut()
      await new Promise((resolve) => setTimeout(resolve, cutOffMs))
      const backends = await onPrimary('select pid from pg_stat_activity where pid <> pg_backend_pid()')
      for (const pid of [primary.pid!, ...backends.map((row) => Number(row.pid))]) {
        try {
          process.kill(pid, 'SIGKILL')
        } catch {
          // It has ended by itself.
        }
      }
      address.cut()
      await tool('pg_ctl', 'promote', '--pgdata', standbyDir, '--wait')
      address.open(standbyPort)
    },
    async close(): Promise<void> {
      for (const tunnel of [link, address]) tunnel.close()
      await close()
    }
  }
}

/** A connection on the network that can be cut, and lead elsewhere afterwards. What is under way when it is cut is lost. */
async function aTunnel(to: number) {
  let target: number | null = to
  const sockets = new Set<net.Socket>()
  const server = net.createServer((near) => {
    if (target === null) return void near.destroy()
    const far = net.connect(target, '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    near.pipe(far)
    far.pipe(near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    target = null
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    open(port: number) {
      target = port
    },
    close() {
      cut()
      server.close()
    }
  }
}

async function answers(port: number): Promise<boolean> {
  return query(urlOf(port), 'select').then(
    () => true,
    () => false
  )
}

async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query(statement)).rows
  } finally {
    await client.end().catch(() => {})
  }
}
