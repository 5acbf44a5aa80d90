// A billing run over many due subscriptions against the sandbox, which answers at once: what a renewal costs in
// statements and round trips, and whether memory stays flat. Usage: node --expose-gc bench/billing-run.ts [how many]
import pino from 'pino'
import { Database } from '#kit/postgres'
import { Secret } from '#kit/secrets'
import { createMetrics } from '../src/app/metrics.ts'
import { syncContractsById } from '../src/app/platform-topics.ts'
import { createService } from '../src/app/service.ts'
import { openStore } from '../src/http/admin/open-store.ts'
import { testVault } from '../test/store-builder.ts'
import { benchDatabase } from './database.ts'

const HOW_MANY = Number(process.argv[2] ?? 10_000)
const START = Temporal.Instant.from('2026-01-31T15:00:00Z')
const SLICE = 500

const database = await benchDatabase()
const db = new Database({ url: database.url })
const sandboxDb = new Database({ url: database.url })
const urls = { public: '', sandbox: '' }
const metrics = createMetrics()
const service = await createService({
  db,
  sandboxDb,
  vault: testVault,
  operatorToken: new Secret('bench'),
  logger: pino({ level: 'warn' }),
  metrics,
  addresses: { loopback: true, allow: [] },
  urls
})
try {
  urls.public = await service.http.listen({ port: 0, host: '127.0.0.1' })
  urls.sandbox = await service.sandbox.app.listen({ port: 0, host: '127.0.0.1' })
  const { store } = await openStore(service.deps, {
    domain: 'bench.example',
    name: 'Bench',
    timezone: 'America/New_York',
    currency: 'USD',
    plan: 'enterprise',
    sandbox: true,
    clockAt: START
  })
  await contractsFor(store.storeId)

  const heap: number[] = []
  const mark = () => {
    globalThis.gc?.()
    heap.push(Math.round(process.memoryUsage().heapUsed / 1e6))
  }
  const before = { ...db.stats }
  mark()
  const watch = setInterval(mark, 5_000)
  const started = performance.now()
  await service.deps.advanceClock(store.storeId, { by: 'P1M' })
  const seconds = (performance.now() - started) / 1000
  clearInterval(watch)
  mark()

  const { findings, checked } = await service.deps.doctor(store.storeId)
  const per = (name: keyof typeof before) => Number(((db.stats[name] - before[name]) / HOW_MANY).toFixed(2))
  console.log(
    JSON.stringify({
      bench: 'billing-run',
      renewals: checked.platform_charges_agree,
      findings: findings.length,
      statements_per_renewal: per('statements'),
      round_trips_per_renewal: per('roundTrips'),
      transactions_per_renewal: per('transactions'),
      renewals_per_s: Math.round(HOW_MANY / seconds),
      heap_mb: { first: heap[0], most: Math.max(...heap), last: heap.at(-1) }
    })
  )
  process.exitCode = findings.length === 0 && checked.platform_charges_agree === HOW_MANY ? 0 : 1
} finally {
  await service.stop()
  await Promise.all([metrics.close(), db.close(), sandboxDb.close()])
  await database.close()
}

/** Customers with a contract each, on the platform and then here, without the messages of so many checkouts. */
async function contractsFor(storeId: number): Promise<void> {
  for (let from = 0; from < HOW_MANY; from += SLICE) {
    const numbers = Array.from({ length: Math.min(SLICE, HOW_MANY - from) }, (_, i) => from + i + 1)
    const ids = numbers.map((n) => String(900_000_000 + n))
    await service.sandbox.controls.importFixtures({
      storeId,
      customers: ids.map((id) => ({ id, email: `person-${id}@example.com` })),
      orders: ids.map((id) => ({ id, customerId: id, total: '29.00' })),
      contracts: ids.map((id) => ({
        id,
        customerId: id,
        price: '29.00',
        interval: 'MONTH',
        intervalCount: 1,
        originOrderId: id
      }))
    })
    await syncContractsById(service.demoDeps, storeId, ids)
  }
  await service.deps.settle(storeId)
}
