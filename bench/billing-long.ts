// One uninterrupted billing run over many due subscriptions: whether it keeps its rate, relative to its beginning and to pgbench
// running the same renewal one by one before and after it; and what one renewal costs service and database.
// Usage: node bench/billing-long.ts [how many]

import { auditStore } from '#audit'
import { Database, STORE_ROLE } from '#kit/postgres'
import { aDueStore } from '../test/due-store.ts'
import { startBillingWorker, untilDone } from './billing-workers.ts'
import { benchDatabase } from './database.ts'
import { recordRenewal } from './one-renewal.ts'
import { findPgbench, pgbench } from './pgbench.ts'
import { type Cost, runStages } from './renewal-stages.ts'
import { serverCpu } from './server-cpu.ts'

const HOW_MANY = Number(process.argv[2] ?? 100_000)
const PART = Math.round(HOW_MANY / 10)
const SECONDS = 8
const CLIENTS = 1
const WARM_UP = 500
/** Renewed stage by stage: a server's CPU time is known in hundredths of a second. */
const STAGED = Math.min(HOW_MANY, Math.max(PART, 2_000))
/** More than pgbench renews before and after the run. */
const FOR_PGBENCH = 2 * 1_000 * SECONDS
const WANTED = { keeps: 0.8, ratio: 5 }
const DUE_AT = Temporal.Instant.from('2026-02-28T15:00:00Z')

const command = await findPgbench()
if (!command) throw new Error('There is no pgbench on this machine')
const database = await benchDatabase()
// A separate database, since a worker bills every store that it finds.
const beside = await benchDatabase()
const db = new Database({ url: database.url })
const besideDb = new Database({ url: beside.url })
try {
  const measured = await aDueStore(besideDb, { subscriptions: FOR_PGBENCH, dueAt: DUE_AT })
  const { script } = await recordRenewal(beside.url, measured)
  const options = { url: beside.url, role: STORE_ROLE, script, clients: CLIENTS, seconds: SECONDS }
  const store = await aDueStore(db, { subscriptions: HOW_MANY, dueAt: DUE_AT })
  const worker = await startBillingWorker(database.url, store)
  const cpu = await serverCpu(database.url)
  const besideCpu = await serverCpu(beside.url)
  const staged = async (howMany: number) => {
    const renewed = await aDueStore(besideDb, { subscriptions: howMany, dueAt: DUE_AT })
    const ended = await runStages(besideDb, renewed, { now: DUE_AT, serverMs: besideCpu })
    return { ...ended, findings: (await auditStore(besideDb, renewed.storeId)).findings }
  }
  // Code that has not run yet is slow.
  await staged(WARM_UP)
  const stages = await staged(STAGED)

  const pgbenchRates = [await pgbench(command, options)]
  const before = cpu()
  worker.go()
  const began = performance.now()
  const partEnds: number[] = []
  const serverMsAt: number[] = [before]
  const watching = setInterval(() => {
    if (worker.keys.length < PART * (partEnds.length + 1)) return
    partEnds.push(performance.now())
    serverMsAt.push(cpu())
  }, 10)
  await untilDone([worker], store)
  clearInterval(watching)
  const ran = await worker.stop()
  const serverMs = cpu() - before
  pgbenchRates.push(await pgbench(command, options))
  await worker.end()

  const rates = partEnds.map((end, i) => Math.round((PART * 1000) / (end - (partEnds[i - 1] ?? began))))
  const keeps = rates.at(-1)! / rates[0]!
  const rate = HOW_MANY / ran.seconds
  const ratio = rate / (pgbenchRates.reduce((sum, one) => sum + one, 0) / pgbenchRates.length)
  const findings = [...stages.findings, ...(await auditStore(db, store.storeId)).findings]
  console.log(
    JSON.stringify({
      bench: 'billing-long',
      subscriptions: HOW_MANY,
      renewals_per_s: Math.round(rate),
      rates_of_tenths: rates,
      database_cpu_ms_of_tenths: serverMsAt.slice(1).map((ms, i) => round2((ms - serverMsAt[i]!) / PART)),
      last_to_first: round2(keeps),
      pgbench_per_s: pgbenchRates.map(Math.round),
      ratio: round2(ratio),
      wanted: WANTED,
      service_cpu_ms_per_renewal: round2((ran.cpuSeconds * 1000) / HOW_MANY),
      database_cpu_ms_per_renewal: round2(serverMs / HOW_MANY),
      service_cpu_ms_of_stages: perRenewal(stages.costs, 'service'),
      database_cpu_ms_of_stages: perRenewal(stages.costs, 'database'),
      findings: findings.length
    })
  )
  for (const finding of findings.slice(0, 5)) console.error(JSON.stringify(finding))
  const isRight =
    findings.length === 0 &&
    stages.settled === STAGED &&
    new Set(worker.keys).size === HOW_MANY &&
    worker.keys.length === HOW_MANY
  process.exitCode = isRight && keeps >= WANTED.keeps && ratio >= WANTED.ratio ? 0 : 1
} finally {
  await Promise.all([db.close(), besideDb.close()])
  await database.close()
  await beside.close()
}

function perRenewal(stages: Record<string, Cost>, of: keyof Cost): Record<string, number> {
  return Object.fromEntries(Object.entries(stages).map(([stage, cost]) => [stage, round3(cost[of] / STAGED)]))
}

function round3(value: number): number {
  return Number(value.toFixed(3))
}

function round2(value: number): number {
  return Number(value.toFixed(2))
}
