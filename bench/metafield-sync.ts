// A first sync of all customers against the time that the platform's cost budget alone needs for the same calls. The service is killed in
// the middle and started again. Arguments: customers (20,000 when left out) and what the platform restores in a second (100).
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { freePort, startProcess } from '../test/service-process.ts'
import { BESIDE_THE_PLATFORM, startPlatform } from '../trials/platform.ts'
import { benchDatabase, runOn } from './database.ts'
import { processCpu, serverCpu } from './server-cpu.ts'

const CUSTOMERS = Number(process.argv[2] ?? 20_000)
const RESTORED_PER_SECOND = Number(process.argv[3] ?? 100)
const CAPACITY = RESTORED_PER_SECOND * 20
const DOMAIN = 'metafield-bench.example'
const EVERY_MS = 500
const LONGEST_MS = 3_600_000

const database = await benchDatabase()
const dataDir = await mkdtemp(join(tmpdir(), 'perennial-bench-'))
const port = await freePort()
const platform = await startPlatform(database.url, `http://127.0.0.1:${port}`)
const line = await countCosts(platform.url)
const start = () => startProcess({ databaseUrl: database.url, dataDir, port, env: BESIDE_THE_PLATFORM })
let service: Awaited<ReturnType<typeof start>> | null = null
try {
  const storeId = await platform.aStore(DOMAIN, CUSTOMERS)
  const run = (statement: string) => runOn(database.url, statement)
  const one = async (statement: string) => (await run(statement)).rows[0] as Record<string, number>
  await run(
    `update sandbox.shops set cost_restore_rate = ${RESTORED_PER_SECOND}, cost_capacity = ${CAPACITY} where store_id = ${storeId}`
  )
  await run(`update stores set platform_url = '${line.url}/${DOMAIN}' where store_id = ${storeId}`)
  // As a store is that was just connected, with customers already read.
  for (const table of ['known_metafields', 'metafield_owners', 'sandbox.metafields'])
    await run(`delete from ${table} where store_id = ${storeId}`)
  await run(
    `update metafield_stores set shop_id = null, phase = 'start', written = 0, is_asked = true, finished_at = null, next_at = now() where store_id = ${storeId}`
  )
  // Its clock runs, or what was throttled would not come due again; so its renewals run beside the sync, and share the cost budget.
  await run(`update stores set clock_at = null where store_id = ${storeId}`)
  await run('vacuum (analyze)')

  const left = async () =>
    one(`select (select count(*) from metafield_owners where store_id = ${storeId} and due_at is not null)::int as due,
                (select count(*) from metafield_stores where store_id = ${storeId} and (finished_at is null or phase <> 'start' or is_asked))::int as walks,
                (select written from metafield_stores where store_id = ${storeId})::int as written`)
  const databaseMs = await serverCpu(database.url)
  const before = databaseMs()
  service = await start()
  const began = performance.now()
  let [serviceMs, highestRss, stops, last] = [0, 0, 0, { due: 1, walks: 1, written: 0 } as Record<string, number>]
  let pid = service.pid
  let cpu = processCpu(pid)
  while (last.due! + last.walks! > 0) {
    if (performance.now() - began > LONGEST_MS) throw new Error(`Not within an hour: ${JSON.stringify(last)}`)
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
    highestRss = Math.max(highestRss, rssOf(pid))
    last = await left()
    if (stops === 0 && last.written! > CUSTOMERS * 1.5) {
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
  const { there } = await one(
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
  line.close()
  await platform.close()
  await rm(dataDir, { recursive: true, force: true })
  await database.close()
}

/** The memory that a process has, in MB; 0 where it is gone. */
function rssOf(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'ENOENT') return 0
    throw err
  }
}

/** A proxy to the platform that sums up what its calls cost by the platform's own account. */
async function countCosts(target: string) {
  const sums = { calls: 0, cost: 0, throttled: 0 }
  const server = createServer(async (req, res) => {
    try {
      const chunks: Buffer[] = []
      for await (const chunk of req) chunks.push(chunk as Buffer)
      const { 'x-platform-access-token': token = '', 'content-type': type = 'application/json' } = req.headers
      const response = await request(`${target}${req.url}`, {
        method: req.method as 'GET' | 'POST',
        headers: { 'x-platform-access-token': String(token), 'content-type': type },
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) })
      })
      const body = await response.body.text()
      sums.calls++
      const cost = /"actualQueryCost":(\d+)/.exec(body)
      if (cost) sums.cost += Number(cost[1])
      if (body.includes('"THROTTLED"')) sums.throttled++
      res.writeHead(response.statusCode, { 'content-type': 'application/json' }).end(body)
    } catch {
      // The service was killed in the middle of its call, or the platform is gone.
      req.socket.destroy()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: () => sums.calls,
    cost: () => sums.cost,
    throttled: () => sums.throttled,
    close() {
      server.closeAllConnections()
      server.close()
    }
  }
}
