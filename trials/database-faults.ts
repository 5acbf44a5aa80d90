import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../src/embedded-postgres/start.ts'
import { startProcess } from '../test/service-process.ts'
import { aStallingProxy } from '../test/stalling-proxy.ts'
import { until } from '../test/until.ts'
import { aServerFolder } from './a-server-folder.ts'
import { CAUSES, type Fault } from './database-fault-causes.ts'
import { type LoadedStore, type Phase, pause, startFaultLoad } from './fault-load.ts'
import { listenHere } from './listen-here.ts'
import { aSmallDisk } from './small-disk.ts'

const DISK_BYTES = 700 * 2 ** 20
/** A log of the server that fits on the small disk. */
const SMALL_LOG = { max_wal_size: '96MB', min_wal_size: '32MB', wal_recycle: 'off' }
/** Each writes one change at a time: more of them than the service has connections. */
const STORES = 12
/** A server that has died is started again so often, until it can start. */
const TRIED_AGAIN_MS = Array<number>(3_000).fill(1_000)
/** The whole service has to work by itself so soon after the fault; an operator looks later. */
const RECOVERS_WITHIN_MS = 60_000
/** How many broken promises the message of a failure names. */
const MAX_SAID = 5
/** Requests may meet none of the connections that end. */
const MAY_GO_UNNOTICED: Fault[] = ['terminated', 'reset']
/** So long readiness may wait for the database. */
const READY_MS = 4_000
/** Nothing can be written meanwhile, by nobody. */
const NOT_READY: Fault[] = ['half-open', 'disk-full', 'read-only', 'postmaster-stopped']

export type DatabaseFaultsTrial = {
  dataDir: string
  /** Each is caused once, in this order. */
  faults: readonly Fault[]
  /** How long each lasts. */
  holdMs: number
  seed: number
}
type FaultReport = Phase & { fault: Fault; recoveredMs: number }
export type DatabaseFaultsReport = {
  faults: FaultReport[]
  /** Why a fault was not caused; left out where all were. */
  leftOut?: string
  acknowledged: number
  events: number
}

/**
 * A service under load whose database fails in every way that a database does, with the limits that the service has in production.
 * Every request is answered within ten seconds, with 200 or 503 and Retry-After; `/readyz` within five, 503 while nothing can be
 * written; `/livez` always 200; a stop ends in time; afterwards everything works by itself; in the end every acknowledged write is
 * there once, its event was delivered, and the auditor has no findings. Throws otherwise.
 */
export async function failDatabase(trial: DatabaseFaultsTrial): Promise<DatabaseFaultsReport> {
  // Not in the service's folder, which belongs to the user that root has it run as.
  const home = await aServerFolder()
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rm(home, { recursive: true, force: true }))
  const made = trial.faults.includes('disk-full') ? await aSmallDisk(home, DISK_BYTES) : null
  const disk = made && !('skipped' in made) ? stack.adopt(made, (open) => open.close()) : null
  const notCaused = made && 'skipped' in made ? { leftOut: made.skipped } : {}
  const postgres = stack.adopt(
    await startEmbeddedPostgres({ dataDir: home, settings: SMALL_LOG, pausesMs: TRIED_AGAIN_MS }),
    (open) => open.stop()
  )
  const receiver = stack.adopt(await aReceiver(), (open) => open.close())
  const line = stack.adopt(await aStallingProxy(postgres.url), (open) => open.close())
  const start = () =>
    startProcess({ databaseUrl: line.url, dataDir: trial.dataDir, env: { LOG_LEVEL: 'error', SANDBOX: 'on' } })
  let service = await start()
  stack.defer(async () => {
    line.pass()
    await service.kill()
  })
  const stores = await Promise.all(
    Array.from({ length: STORES }, (_, n) => aLoadedStore(service, receiver, `faults-${trial.seed}-${n}.example`))
  )
  const load = stack.adopt(
    startFaultLoad(() => service.url, stores),
    (running) => running.giveUp()
  )
  const place = {
    line,
    url: postgres.url,
    cluster: join(home, 'postgres'),
    disk,
    service: () => service,
    async restart() {
      service = await start()
    },
    holdMs: trial.holdMs
  }
  const reports: FaultReport[] = []
  for (const fault of trial.faults) {
    if (fault === 'disk-full' && !disk) continue
    await pause(1_500)
    const isStop = fault.startsWith('sigterm')
    load.next({ mayBeAway: isStop })
    const end = await CAUSES[fault](place)
    const during = load.next({ mayBeAway: isStop })
    const endedAt = performance.now()
    await end()
    await until('the service is ready', load.ready, RECOVERS_WITHIN_MS)
    await load.once()
    const recoveredMs = Math.round(performance.now() - endedAt)
    assert.ok(recoveredMs < RECOVERS_WITHIN_MS, `${fault}: works again only after ${recoveredMs} ms, ${machine()}`)
    load.next()
    assert.deepEqual(load.odd, [], `${fault}: ${load.odd.slice(0, MAX_SAID).join('; ')}`)
    if (!isStop && !MAY_GO_UNNOTICED.includes(fault)) assert.ok(during.answers[503]! > 0, `${fault} had an effect`)
    if (NOT_READY.includes(fault) && trial.holdMs > READY_MS)
      assert.ok(during.notReady > 0, `${fault}: /readyz was 200 all the time`)
    reports.push({ fault, ...during, recoveredMs })
  }
  await load.stop()
  assert.deepEqual(load.odd, [])
  const acknowledged = [...load.acknowledged.values()].reduce((sum, count) => sum + count, 0)
  await examine(service, stores, load.acknowledged)
  await until('every event was delivered', () => receiver.ids.size >= acknowledged)
  assert.equal(receiver.ids.size, acknowledged, 'one event for each write')
  assert.equal(receiver.unsigned, 0)
  return { faults: reports, ...notCaused, acknowledged, events: receiver.ids.size }
}

/** Where requests take longer than their deadline because of other work, nothing works again before that ends. */
const machine = () => `with ${Math.round(loadavg()[0]!)} processes for ${availableParallelism()} cores`

type Receiver = Awaited<ReturnType<typeof aReceiver>>

/** Counts events by their webhook_id, which is the same in each of their posts. */
async function aReceiver() {
  const receiver = { secrets: [] as string[], ids: new Set<string>(), unsigned: 0 }
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
  return Object.assign(receiver, await listenHere(server))
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
  const { findings } = await until('the auditor', () => service.call('POST', '/doctor', {}).catch(() => null))
  assert.deepEqual(findings, [])
}
