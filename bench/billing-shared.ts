// Four processes bill one store with many due subscriptions: each charge is made once, and each process makes some.
// Usage: node bench/billing-shared.ts [how many subscriptions] [how many processes]

import { auditStore } from '#audit'
import { Database, int, row, sql } from '#kit/postgres'
import { aDueStore } from '../test/due-store.ts'
import { startBillingWorker, untilDone } from './billing-workers.ts'
import { benchDatabase } from './database.ts'

const HOW_MANY = Number(process.argv[2] ?? 100_000)
const PROCESSES = Number(process.argv[3] ?? 4)

const database = await benchDatabase()
const db = new Database({ url: database.url })
try {
  const store = await aDueStore(db, {
    subscriptions: HOW_MANY,
    dueAt: Temporal.Instant.from('2026-02-28T15:00:00Z')
  })
  const workers = await Promise.all(Array.from({ length: PROCESSES }, () => startBillingWorker(database.url, store)))
  const started = performance.now()
  for (const worker of workers) worker.go()
  await untilDone(workers, store)
  const seconds = (performance.now() - started) / 1000
  const ran = await Promise.all(workers.map((worker) => worker.stop()))
  await Promise.all(workers.map((worker) => worker.end()))

  const keys = workers.flatMap((worker) => worker.keys)
  const { charged, twice } = await store.inStore(({ tx, storeId }) =>
    tx.one(
      row({ charged: int, twice: int }),
      sql`
      select count(*) as charged, count(*) - count(distinct (subscription_id, cycle_index)) as twice
        from billing_attempts where store_id = ${storeId} and status = 'success'`
    )
  )
  const { findings } = await auditStore(db, store.storeId)
  const shares = workers.map((worker) => worker.keys.length)
  console.log(
    JSON.stringify({
      bench: 'billing-shared',
      subscriptions: HOW_MANY,
      processes: PROCESSES,
      charges: keys.length,
      distinct: new Set(keys).size,
      successes: charged,
      cycles_twice: twice,
      of_each_process: shares,
      findings: findings.length,
      renewals_per_s: Math.round(HOW_MANY / seconds),
      statements_per_renewal: Number((ran.reduce((sum, r) => sum + r.statements, 0) / HOW_MANY).toFixed(2))
    })
  )
  for (const finding of findings.slice(0, 5)) console.error(JSON.stringify(finding))
  const isRight =
    keys.length === HOW_MANY &&
    new Set(keys).size === HOW_MANY &&
    charged === HOW_MANY &&
    twice === 0 &&
    findings.length === 0
  process.exitCode = isRight && Math.min(...shares) > 0 ? 0 : 1
} finally {
  await db.close()
  await database.close()
}
