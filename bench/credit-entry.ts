// An addition of store credit over HTTP with its Idempotency-Key, against a bare node:http server whose one statement writes the same
// five rows (account, lot, entry, fact, key): 64 connections over many accounts and over one, and one request at a time. The two run in
// turns, and the CPU of the service and of the database is told for each. A worker node of the service works beside both: it delivers
// the facts of both stores and gathers statistics, and its CPU is told apart.
// Usage: node bench/credit-entry.ts [rounds] [seconds] [a word in the names of the cases]
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Client } from 'undici'
import { audit } from '#audit'
import { Database } from '#kit/postgres'
import { createKey } from '#stores'
import { aStore } from '../test/store-builder.ts'
import { benchDatabase, median, runOn } from './database.ts'
import { processCpu, serverCpu } from './server-cpu.ts'

const MEMBERS = 10_000
const AMOUNT = 1618
const [rounds = 5, seconds = 4] = process.argv.slice(2, 4).map(Number)
const word = process.argv[4] ?? ''
const CASES = [
  { name: '64 connections, many accounts', atOnce: 64, members: MEMBERS, wanted: 0.6 },
  { name: '64 connections, one account', atOnce: 64, members: 1, wanted: 0.6 },
  { name: 'one at a time', atOnce: 1, members: MEMBERS, wanted: 0.4 }
]

type Side = { origin: string; headers: Record<string, string>; cpu: () => number }
type Measured = { rate: number; serviceCpuMs: number; databaseCpuMs: number; workerCpuMs: number }

const database = await benchDatabase()
const db = new Database({ url: database.url })
const servers: ChildProcess[] = []
try {
  // A currency without decimals, so that amounts are the same numbers in tables and events.
  const stores = await Promise.all([0, 1].map(() => aStore(db, { currency: 'JPY' })))
  for (const { storeId } of stores) {
    await runOn(
      database.url,
      `insert into members (store_id, id, platform_customer_id, email, status, member_since, created_at, updated_at)
       overriding system value
       select ${storeId}, n, 1000000 + n, 'person-' || n || '@example.com', 'active', now(), now(), now()
         from generate_series(1, ${MEMBERS}) n;
       insert into credit_accounts (store_id, member_id, balance_minor, entries, updated_at)
       select ${storeId}, n, 0, 0, now() from generate_series(1, ${MEMBERS}) n`
    )
  }
  await runOn(database.url, 'analyze members; analyze credit_accounts')
  const [ours, bare] = stores.map(({ storeId }) => storeId)
  const { key } = await createKey(db, { storeId: ours!, name: 'Bench' })
  const sides = {
    ours: await serve('read-member-server.ts', ['perennial', database.url], { authorization: `Bearer ${key}` }),
    bare: await serve('bare-credit-server.ts', [database.url, String(bare)], {})
  }
  const worker = fork(fileURLToPath(new URL('idle-node.ts', import.meta.url)), [database.url, 'worker'])
  servers.push(worker)
  await once(worker, 'message')
  const beside = { database: await serverCpu(database.url), worker: processCpu(worker.pid!) }
  let isReached = true
  for (const { name, atOnce, members, wanted } of CASES.filter((one) => one.name.includes(word))) {
    const runs: Record<keyof typeof sides, Measured[]> = { ours: [], bare: [] }
    for (const side of ['ours', 'bare'] as const) await measure(sides[side], atOnce, members, 1, beside)
    for (let round = 0; round < rounds; round++) {
      // Each begins every second round: what comes later in a round may find a warmer machine.
      for (const side of round % 2 === 0 ? (['bare', 'ours'] as const) : (['ours', 'bare'] as const)) {
        runs[side].push(await measure(sides[side], atOnce, members, seconds, beside))
      }
    }
    const ratios = runs.ours.map(({ rate }, i) => rate / runs.bare[i]!.rate)
    const ratio = median(ratios)
    isReached &&= ratio >= wanted
    const of = (side: keyof typeof sides, figure: keyof Measured) =>
      Number(median(runs[side].map((run) => run[figure])).toFixed(3))
    console.log(
      JSON.stringify({
        bench: 'credit-entry',
        name,
        entries_per_s: Math.round(of('ours', 'rate')),
        bare_per_s: Math.round(of('bare', 'rate')),
        ratio: Number(ratio.toFixed(2)),
        ratios: ratios.map((one) => Number(one.toFixed(2))),
        wanted,
        service_cpu_ms: of('ours', 'serviceCpuMs'),
        database_cpu_ms: of('ours', 'databaseCpuMs'),
        worker_cpu_ms: of('ours', 'workerCpuMs'),
        bare_service_cpu_ms: of('bare', 'serviceCpuMs'),
        bare_database_cpu_ms: of('bare', 'databaseCpuMs'),
        bare_worker_cpu_ms: of('bare', 'workerCpuMs'),
        load: Number(loadavg()[0]!.toFixed(1))
      })
    )
  }
  // Both have done the same work: their ledgers add up.
  for (const store of stores) {
    const { findings } = await store.inStore(audit)
    const wrong = findings.filter(({ check }) => check.startsWith('credit_'))
    if (wrong.length > 0) throw new Error(JSON.stringify(wrong.slice(0, 3)))
  }
  process.exitCode = isReached ? 0 : 1
} finally {
  for (const server of servers) server.kill('SIGKILL')
  await db.close()
  await database.close()
}

/** Additions per second, with the CPU of each. */
async function measure(
  { origin, headers, cpu }: Side,
  atOnce: number,
  members: number,
  forSeconds: number,
  beside: Record<'database' | 'worker', () => number>
): Promise<Measured> {
  const clients = Array.from({ length: atOnce }, () => new Client(origin))
  const body = JSON.stringify({ amount: AMOUNT, reason: 'bench' })
  const before = [cpu(), beside.database(), beside.worker()]
  const began = performance.now()
  let done = 0
  const loop = async (client: Client) => {
    while (performance.now() - began < forSeconds * 1000) {
      const path = `/v1/store-credits/cust_${1 + Math.floor(Math.random() * members)}/add`
      const keyed = { ...headers, 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() }
      const response = await client.request({ method: 'POST', path, headers: keyed, body })
      const text = await response.body.text()
      if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${text}`)
      done++
    }
  }
  await Promise.all(clients.map(loop))
  const rate = done / ((performance.now() - began) / 1000)
  const [serviceCpuMs, databaseCpuMs, workerCpuMs] = [cpu(), beside.database(), beside.worker()].map(
    (ms, i) => (ms - before[i]!) / done
  )
  await Promise.all(clients.map((client) => client.close()))
  return { rate, serviceCpuMs: serviceCpuMs!, databaseCpuMs: databaseCpuMs!, workerCpuMs: workerCpuMs! }
}

async function serve(file: string, args: string[], headers: Record<string, string>): Promise<Side> {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const started = spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  servers.push(started)
  const origin = await new Promise<string>((resolve, reject) => {
    started.stdout.once('data', (line: Buffer) => resolve(line.toString().trim()))
    started.once('exit', (code) => reject(new Error(`The server ended with ${code}`)))
  })
  return { origin, headers, cpu: processCpu(started.pid!) }
}
