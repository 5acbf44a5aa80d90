// How long a change of one customer takes to reach the platform while nothing else happens: from the request to the direct API until the
// shop has the metafield, and how many calls of the platform an idle store causes. Arguments: changes (300 when left out) and how many
// seconds to be idle (60).
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { createKey } from '#stores'
import { startCountedPlatform } from './counted-platform.ts'
import { processCpu, serverCpu } from './server-cpu.ts'

const CHANGES = Number(process.argv[2] ?? 300)
const IDLE_SECONDS = Number(process.argv[3] ?? 60)
const CUSTOMERS = 100
const DOMAIN = 'change-bench.example'
/** A change that has not arrived by then never does. */
const LONGEST_MS = 60_000
/** Requests to the direct API are limited to 300 a minute for each key. */
const PAUSE_MS = 250

const bench = await startCountedPlatform()
const { platform, line, one } = bench
let service: Awaited<ReturnType<typeof bench.start>> | null = null
try {
  const storeId = await platform.aStore(DOMAIN, CUSTOMERS, Temporal.Now.instant().subtract({ hours: 24 }))
  const { key } = await createKey(platform.db, { storeId, name: 'Bench' })
  await bench.connect(storeId, DOMAIN)
  service = await bench.start()
  const isSettled = async () => {
    const { due, walks } = await bench.metafieldsLeft(storeId)
    return due + walks === 0
  }
  await until(isSettled, 'the first sync')

  const databaseMs = await serverCpu(bench.databaseUrl)
  const cpu = processCpu(service.pid)
  const [databaseBefore, cpuBefore] = [databaseMs(), cpu()]
  const took: number[] = []
  for (let i = 0; i < CHANGES; i++) {
    const customer = 900_000_001 + (i % CUSTOMERS)
    const began = performance.now()
    const { body } = await add(service.url, key, customer, `bench-${i}`)
    const balance = String(body.data.balance)
    await until(async () => {
      const row = await one<{ value: string } | undefined>(
        `select value from sandbox.metafields where store_id = ${storeId} and owner_type = 'Customer' and owner_id = '${customer}' and key = 'svc_st'`
      )
      return row !== undefined && Number(row.value) === Number(balance)
    }, `change ${i}`)
    took.push(performance.now() - began)
    await sleep(PAUSE_MS)
  }
  const spent = { serviceMs: cpu() - cpuBefore, databaseMs: databaseMs() - databaseBefore }
  await until(isSettled, 'the last change')
  await sleep(2_000)
  const calls = line.calls()
  await sleep(IDLE_SECONDS * 1000)
  const sorted = took.toSorted((a, b) => a - b)
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!)
  process.stdout.write(
    `${JSON.stringify({
      changes: CHANGES,
      p50Ms: at(0.5),
      p99Ms: at(0.99),
      longestMs: at(1),
      serviceCpuMsPerChange: Number((spent.serviceMs / CHANGES).toFixed(2)),
      databaseCpuMsPerChange: Number((spent.databaseMs / CHANGES).toFixed(2)),
      idleSeconds: IDLE_SECONDS,
      callsWhileIdle: line.calls() - calls
    })}\n`
  )
} finally {
  await service?.kill()
  await bench.close()
}

async function add(url: string, key: string, customer: number, reason: string) {
  const response = await request(`${url}/v1/store-credits/${customer}/add`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': reason },
    body: JSON.stringify({ amount: 1, reason })
  })
  const body = (await response.body.json()) as { data: { balance: number } }
  assert.ok(response.statusCode < 300, JSON.stringify(body))
  return { body }
}

async function until(is: () => Promise<boolean>, what: string): Promise<void> {
  const began = performance.now()
  while (!(await is())) {
    if (performance.now() - began > LONGEST_MS) throw new Error(`Not within a minute: ${what}`)
    await sleep(10)
  }
}
