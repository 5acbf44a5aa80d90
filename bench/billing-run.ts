// A billing run over many due subscriptions of one store, with a platform that responds at once: renewals per second, relative to
// pgbench running the same statements one renewal at a time; and whether memory stays constant.
// Usage: node bench/billing-run.ts [how many]

import { audit, auditStore } from '#audit'
import { Database, STORE_ROLE } from '#kit/postgres'
import { aDueStore } from '../test/due-store.ts'
import { startBillingWorker, untilCharged, untilDone } from './billing-workers.ts'
import { benchDatabase, median } from './database.ts'
import { recordRenewal } from './one-renewal.ts'
import { findPgbench, pgbench } from './pgbench.ts'

const HOW_MANY = Number(process.argv[2] ?? 100_000)
const ROUNDS = 5
const CLIENTS = 8
const SECONDS = 6
/** More than pgbench processes in all rounds. */
const FOR_PGBENCH = 1_000 * SECONDS * ROUNDS
const WANTED = { ratio: 0.5, heapGrowth: 1.15 }
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
  const renewal = await recordRenewal(beside.url, measured)
  const store = await aDueStore(db, { subscriptions: HOW_MANY, dueAt: DUE_AT })
  const worker = await startBillingWorker(database.url, store, process.env.BENCH_CPU_PROF ? ['--cpu-prof'] : [])

  const rates = { ours: [] as number[], pgbench: [] as number[] }
  const sum = { seconds: 0, cpuSeconds: 0, statements: 0, roundTrips: 0, transactions: 0 }
  for (let round = 1; round <= ROUNDS; round++) {
    const options = { url: beside.url, role: STORE_ROLE, script: renewal.script, clients: CLIENTS, seconds: SECONDS }
    rates.pgbench.push(await pgbench(command, options))
    const before = worker.keys.length
    worker.go()
    await untilCharged([worker], (HOW_MANY / ROUNDS) * round)
    // The last round ends when no work is left, and includes work that the other rounds left.
    if (round === ROUNDS) await untilDone([worker], store)
    const ran = await worker.stop()
    rates.ours.push((worker.keys.length - before) / ran.seconds)
    for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += ran[name]
  }
  await worker.end()
  const { findings } = await auditStore(db, store.storeId)
  // The auditor would report a difference between pgbench's statements and the real ones. pgbench does not dispatch events.
  const spoilt = (await measured.inStore(audit)).findings.filter(({ check }) => check !== 'events_dispatched')

  const ratio = median(rates.ours.map((rate, i) => rate / rates.pgbench[i]!))
  const thirds = [1, 2].map((third) =>
    mean(worker.heapMb.filter((_, i, all) => Math.floor((i * 3) / all.length) === third))
  )
  const heapGrowth = thirds[1]! / thirds[0]!
  const per = (name: keyof typeof sum) => round2(sum[name] / HOW_MANY)
  console.log(
    JSON.stringify({
      bench: 'billing-run',
      subscriptions: HOW_MANY,
      renewals_per_s: Math.round(median(rates.ours)),
      over_the_whole_run: Math.round(HOW_MANY / sum.seconds),
      pgbench_per_s: Math.round(median(rates.pgbench)),
      ratio: round2(ratio),
      ratios: rates.ours.map((rate, i) => round2(rate / rates.pgbench[i]!)),
      wanted: WANTED.ratio,
      statements_per_renewal: per('statements'),
      round_trips_per_renewal: per('roundTrips'),
      transactions_per_renewal: per('transactions'),
      statements_of_pgbench: renewal.statements,
      transactions_of_pgbench: renewal.transactions,
      own_cpu_share: round2(sum.cpuSeconds / sum.seconds),
      heap_mb: { thirds: thirds.map(round2), most: round2(Math.max(...worker.heapMb)) },
      heap_growth: round2(heapGrowth),
      findings: findings.length,
      findings_of_pgbench: spoilt.length
    })
  )
  for (const finding of [...findings, ...spoilt].slice(0, 5)) console.error(JSON.stringify(finding))
  const isRight =
    findings.length === 0 &&
    spoilt.length === 0 &&
    worker.keys.length === HOW_MANY &&
    new Set(worker.keys).size === HOW_MANY
  process.exitCode = isRight && ratio >= WANTED.ratio && heapGrowth <= WANTED.heapGrowth ? 0 : 1
} finally {
  await Promise.all([db.close(), besideDb.close()])
  await database.close()
  await beside.close()
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function round2(value: number): number {
  return Number(value.toFixed(2))
}
