// The first sync of a store's customers against the time that the platform's cost budget alone needs for the same calls. The service is killed in
// the middle and started again. Arguments: customers (20,000 when left out) and what the platform restores in a second (100).
import assert from 'node:assert/strict'
import { startCountedPlatform } from './counted-platform.ts'
import { processCpu, rssOf, serverCpu } from './server-cpu.ts'

const CUSTOMERS = Number(process.argv[2] ?? 20_000)
const RESTORED_PER_SECOND = Number(process.argv[3] ?? 100)
const CAPACITY = RESTORED_PER_SECOND * 20
const DOMAIN = 'metafield-bench.example'
/** A store whose renewals run beside the sync, with a cost budget of its own. */
const DOMAIN_BESIDE = 'renewals-beside.example'
const RENEWALS_BESIDE = 500
const EVERY_MS = 500
const LONGEST_MS = 3_600_000

const bench = await startCountedPlatform()
const { platform, line, run, one, start } = bench
let service: Awaited<ReturnType<typeof start>> | null = null
try {
  const storeId = await platform.aStore(DOMAIN, CUSTOMERS, Temporal.Now.instant().subtract({ hours: 24 }))
  const beside = await platform.aStore(DOMAIN_BESIDE, RENEWALS_BESIDE)
  await run(
    `update sandbox.shops set cost_restore_rate = ${RESTORED_PER_SECOND}, cost_capacity = ${CAPACITY} where store_id = ${storeId}`
  )
  // As a store is that was just connected, with customers already read.
  for (const table of ['known_metafields', 'metafield_owners', 'sandbox.metafields'])
    await run(`delete from ${table} where store_id = ${storeId}`)
  await run(
    `update metafield_stores set shop_id = null, phase = 'start', written = 0, is_asked = true, finished_at = null, next_at = now() where store_id = ${storeId}`
  )
  // Its clock runs, or what was throttled would not come due again. So does that of another store, whose members are all due: their
  // renewals, and the metafields that change with them, are the work beside.
  await bench.connect(storeId, DOMAIN)
  await run(`update stores set clock_at = null where store_id = ${beside}`)
  await run('vacuum (analyze)')

  const databaseMs = await serverCpu(bench.databaseUrl)
  const before = databaseMs()
  service = await start()
  const began = performance.now()
  let [serviceMs, highestRss, stops, last] = [0, 0, 0, { due: 1, walks: 1, written: 0 }]
  let pid = service.pid
  let cpu = processCpu(pid)
  while (last.due + last.walks > 0) {
    if (performance.now() - began > LONGEST_MS) throw new Error(`Not within an hour: ${JSON.stringify(last)}`)
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
    highestRss = Math.max(highestRss, rssOf(pid))
    last = await bench.metafieldsLeft(storeId)
    if (stops === 0 && last.written > CUSTOMERS * 1.5) {
      serviceMs += cpu()
      await service.kill()
      stops++
      service = await start()
      pid = service.pid
      cpu = processCpu(pid)
    }
  }
  const seconds = (performance.now() - began) / 1000
  serviceMs += cpu()
  const { there } = await one<{ there: number }>(
    `select count(distinct owner_id)::int as there from sandbox.metafields where store_id = ${storeId} and owner_type = 'Customer'`
  )
  assert.equal(there, CUSTOMERS)
  const throttleSeconds = Math.max(0, line.cost() - CAPACITY) / RESTORED_PER_SECOND
  const rounded = (value: number, digits = 2) => Number(value.toFixed(digits))
  process.stdout.write(
    `${JSON.stringify({
      customers: CUSTOMERS,
      restoredPerSecond: RESTORED_PER_SECOND,
      metafields: last.written,
      calls: line.calls(),
      throttled: line.throttled(),
      cost: line.cost(),
      seconds: rounded(seconds, 1),
      throttleSeconds: rounded(throttleSeconds, 1),
      ratio: rounded(seconds / throttleSeconds),
      stops,
      serviceCpuMsPerCustomer: rounded(serviceMs / CUSTOMERS, 3),
      databaseCpuMsPerCustomer: rounded((databaseMs() - before) / CUSTOMERS, 3),
      highestRssMb: Math.round(highestRss)
    })}\n`
  )
} finally {
  await service?.kill()
  await bench.close()
}
