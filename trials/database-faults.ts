import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbeddedPostgres } from '../src/embedded-postgres/start.ts'
import { startProcess } from '../test/service-process.ts'
import { aStallingProxy } from '../test/stalling-proxy.ts'
import { until } from '../test/until.ts'
import { type LoadedStore, type Phase, pause, startFaultLoad } from './fault-load.ts'
import { aSmallDisk, type SmallDisk } from './small-disk.ts'

const DISK_BYTES = 700 * 2 ** 20
/** A log of the server that fits on the small disk. */
const SMALL_LOG = { max_wal_size: '96MB', min_wal_size: '32MB', wal_recycle: 'off' }
const STORES = 4
/** Kubernetes kills a process that has not ended after so long. */
const STOPS_WITHIN_MS = 30_000
/** The whole service has to work by itself so soon after the fault; an operator looks later. */
const RECOVERS_WITHIN_MS = 60_000

export const FAULTS = [
  'half-open',
  'stall-in-message',
  'reset',
  'pool-exhausted',
  'disk-full',
  'read-only',
  'postmaster-killed',
  'postmaster-stopped',
  'terminated',
  'sigterm',
  'sigterm-half-open'
] as const
export type Fault = (typeof FAULTS)[number]

export type DatabaseFaultsTrial = {
  dataDir: string
  /** Each is caused once, in this order. */
  faults: readonly Fault[]
  /** How long each lasts. */
  holdMs: number
  seed: number
}
type FaultReport = { fault: Fault; during: Phase; recoveredMs: number }
export type DatabaseFaultsReport = {
  faults: FaultReport[]
  skipped: string[]
  acknowledged: number
  events: number
}

type Place = {
  line: Awaited<ReturnType<typeof aStallingProxy>>
  /** Of the cluster, past the line. */
  url: string
  cluster: string
  disk: SmallDisk | null
  service: () => Awaited<ReturnType<typeof startProcess>>
  restart: () => Promise<void>
  holdMs: number
}

/**
 * A service under load whose database fails in every way that a database does, with the limits that the service has in production.
 * Every request is answered within ten seconds, with 200 or 503 and Retry-After; `/readyz` within five, `/livez` always 200; a stop
 * ends in time; afterwards everything works by itself; in the end every acknowledged write is there once, its event was delivered,
 * and the auditor has no findings. Throws otherwise.
 */
export async function failDatabase(trial: DatabaseFaultsTrial): Promise<DatabaseFaultsReport> {
  const home = join(trial.dataDir, 'disk')
  await mkdir(home)
  const made = trial.faults.includes('disk-full') ? await aSmallDisk(home, DISK_BYTES) : null
  const disk = made && !('skipped' in made) ? made : null
  const skipped = made && 'skipped' in made ? [made.skipped] : []
  // A server that was killed stays away for as long as a fault lasts.
  const postgres = await startEmbeddedPostgres({
    dataDir: home,
    settings: SMALL_LOG,
    pausesMs: Array(600).fill(trial.holdMs)
  })
  const line = await aStallingProxy(postgres.url)
  const receiver = await aReceiver()
  const start = () =>
    startProcess({ databaseUrl: line.url, dataDir: trial.dataDir, env: { LOG_LEVEL: 'fatal', SANDBOX: 'on' } })
  let service = await start()
  try {
    const stores = await Promise.all(
      Array.from({ length: STORES }, (_, n) => aLoadedStore(service, receiver, `faults-${trial.seed}-${n}.example`))
    )
    const load = startFaultLoad(() => service.url, stores)
    const restart = async () => {
      service = await start()
    }
    const place = { line, url: postgres.url, disk, service: () => service, restart, holdMs: trial.holdMs }
    const reports: FaultReport[] = []
    for (const fault of trial.faults) {
      if (fault === 'disk-full' && !disk) continue
      await pause(1_500)
      const isStop = fault.startsWith('sigterm')
      load.next({ mayBeAway: isStop })
      const end = await CAUSES[fault]({ ...place, cluster: join(home, 'postgres') })
      const during = load.next({ mayBeAway: isStop })
      const endedAt = performance.now()
      await end()
      await until('the service is ready', load.ready)
      await load.once()
      const recoveredMs = Math.round(performance.now() - endedAt)
      assert.ok(recoveredMs < RECOVERS_WITHIN_MS, `${fault}: works again only after ${recoveredMs} ms`)
      load.next()
      assert.deepEqual(load.odd, [], fault)
      if (!isStop && fault !== 'terminated' && fault !== 'reset') assert.ok(during.shed > 0, `${fault} had an effect`)
      reports.push({ fault, during, recoveredMs })
    }
    await load.stop()
    assert.deepEqual(load.odd, [])
    const acknowledged = [...load.acknowledged.values()].reduce((sum, count) => sum + count, 0)
    await examine(service, stores, load.acknowledged)
    await until('every event was delivered', () => receiver.ids.size >= acknowledged)
    assert.equal(receiver.ids.size, acknowledged, 'one event for each write')
    assert.equal(receiver.unsigned, 0)
    return { faults: reports, skipped, acknowledged, events: receiver.ids.size }
  } finally {
    line.pass()
    await service.kill()
    line.close()
    receiver.close()
    await postgres.stop()
    await disk?.close()
  }
}

/** Cause a fault for as long as it lasts; what they return ends it. */
const CAUSES: Record<Fault, (place: Place) => Promise<() => Promise<void>>> = {
  async 'half-open'({ line, holdMs }) {
    line.stall()
    await pause(holdMs)
    return async () => line.pass()
  },
  async 'stall-in-message'({ line, holdMs }) {
    line.stallAfter(777)
    await pause(holdMs)
    return async () => line.pass()
  },
  async reset({ line, holdMs }) {
    line.reset()
    await pause(holdMs)
    return async () => line.pass()
  },
  // Somebody else keeps a table that every request needs, so that the connections of the pool wait, all of them.
  async 'pool-exhausted'({ url, holdMs }) {
    const client = await connected(url)
    await client.query('begin; lock table idempotent_responses, members in access exclusive mode')
    await pause(Math.max(holdMs, 6_000))
    return async () => {
      await client.query('commit')
      await client.end()
    }
  },
  async 'disk-full'({ disk, holdMs }) {
    await disk!.fill()
    const filling = setInterval(() => void disk!.fill().catch(() => {}), 500)
    await pause(Math.max(holdMs, 8_000))
    clearInterval(filling)
    return () => disk!.free()
  },
  async 'read-only'({ url, holdMs }) {
    const set = async (value: string) => {
      const client = await connected(url)
      await client.query(`alter database perennial set default_transaction_read_only = ${value}`)
      await client.query(TERMINATE)
      await client.end()
    }
    await set('on')
    await pause(holdMs)
    return async () => {
      const client = await connected(url)
      await client.query('set default_transaction_read_only = off')
      await client.query('alter database perennial set default_transaction_read_only = off')
      await client.query(TERMINATE)
      await client.end()
    }
  },
  async 'postmaster-killed'({ cluster, holdMs }) {
    process.kill(await postmasterOf(cluster), 'SIGKILL')
    await pause(holdMs)
    return async () => {}
  },
  // All processes of the server stand still, as on a machine that swaps.
  async 'postmaster-stopped'({ cluster, holdMs, url }) {
    const client = await connected(url)
    const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_activity')
    await client.end()
    const pids = [await postmasterOf(cluster), ...rows.map(({ pid }) => pid)]
    const signal = (name: NodeJS.Signals) => {
      for (const pid of pids) {
        try {
          process.kill(pid, name)
        } catch {
          // It has ended.
        }
      }
    }
    signal('SIGSTOP')
    await pause(Math.max(holdMs, 8_000))
    return async () => signal('SIGCONT')
  },
  async terminated({ url, holdMs }) {
    const client = await connected(url)
    for (const endAt = performance.now() + holdMs; performance.now() < endAt; ) {
      await client.query(`${TERMINATE} and random() < 0.5`)
      await pause(50)
    }
    await client.end()
    return async () => {}
  },
  async sigterm({ service, restart }) {
    await stopped(service(), [0])
    return restart
  },
  async 'sigterm-half-open'({ line, service, restart }) {
    line.stall()
    await pause(1_000)
    await stopped(service(), [0, 75])
    return async () => {
      line.pass()
      await restart()
    }
  }
}

const TERMINATE = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'perennial'"

async function stopped(service: Awaited<ReturnType<typeof startProcess>>, codes: number[]): Promise<void> {
  const from = performance.now()
  service.signal('SIGTERM')
  const code = await service.ended
  const ms = Math.round(performance.now() - from)
  assert.ok(code !== null && codes.includes(code), `The exit code is ${code}`)
  assert.ok(ms < STOPS_WITHIN_MS, `The stop took ${ms} ms`)
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'trial' })
  client.on('error', () => {})
  await client.connect()
  return client
}

async function postmasterOf(cluster: string): Promise<number> {
  return Number.parseInt(await readFile(join(cluster, 'postmaster.pid'), 'utf8'), 10)
}

type Receiver = Awaited<ReturnType<typeof aReceiver>>

/** Counts events by their webhook_id, which is the same in each of their posts. */
async function aReceiver() {
  const receiver = { url: '', secrets: [] as string[], ids: new Set<string>(), unsigned: 0, close: () => {} }
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    try {
      for await (const chunk of req) chunks.push(chunk as Buffer)
    } catch {
      return
    }
    const body = Buffer.concat(chunks)
    const isSigned = receiver.secrets.some(
      (secret) => req.headers['x-svc-signature'] === `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
    )
    if (!isSigned) receiver.unsigned++
    receiver.ids.add(String(req.headers['webhook-id']))
    res.writeHead(204).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  receiver.close = () => {
    server.closeAllConnections()
    server.close()
  }
  return receiver
}

async function aLoadedStore(
  service: Awaited<ReturnType<typeof startProcess>>,
  receiver: Receiver,
  domain: string
): Promise<LoadedStore> {
  const shop = { domain, name: 'Trial', timezone: 'UTC', currency: 'USD', plan: 'enterprise', sandbox: true }
  const { id } = await service.call('POST', '/stores', shop)
  const at = `/stores/${id}`
  const { key } = await service.call('POST', `${at}/keys`, { name: 'Trial' })
  const hook = { url: receiver.url, events: ['store_credit.added'] }
  const { secret } = await service.call('POST', `${at}/webhooks`, hook)
  receiver.secrets.push(secret as string)
  const customer = await service.call('POST', `${at}/sandbox/customers`, { email: 'ada@example.com' })
  const known = async () => {
    const headers = { authorization: `Bearer ${key}` }
    return (await fetch(`${service.url}/v1/store-credits/${customer.id}`, { headers })).status === 200
  }
  await until('the customer is known', known)
  return { key: key as string, customer: String(customer.id) }
}

/** Every acknowledged addition is in its balance, none twice. */
async function examine(
  service: Awaited<ReturnType<typeof startProcess>>,
  stores: LoadedStore[],
  acknowledged: Map<string, number>
): Promise<void> {
  const total = new Map<string, number>()
  for (const { key, customer } of stores) {
    const headers = { authorization: `Bearer ${key}` }
    const response = await fetch(`${service.url}/v1/store-credits/${customer}`, { headers })
    const { data } = (await response.json()) as { data: { balance: number } }
    total.set(key, data.balance)
  }
  const balances = [...total.values()].reduce((sum, balance) => sum + balance, 0)
  const expected = [...acknowledged.values()].reduce((sum, count) => sum + count, 0)
  assert.equal(balances, expected, 'the balances are what was acknowledged')
  const { findings } = await service.call('POST', '/doctor', {})
  assert.deepEqual(findings, [])
}
