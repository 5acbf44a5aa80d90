// Full pages of the Data API over HTTP, read from the database and kept ones, in turns with psql, which copies the endpoint's own SELECT,
// unformatted and as row_to_json, to /dev/null; the last page by the first; then what eight clients that sync do to the memory of the
// process and to other requests. A worker node of the service works beside all of it.
// Usage: node bench/export-pages.ts [customers and orders, 1000000] [a word in the names of the endpoints wanted]
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { Agent } from 'undici'
import { type ExportEndpoint, endpoints, planPage, readPageRequest } from '#exports'
import { Database } from '#kit/postgres'
import { createKey } from '#stores'
import { PLANNER_SETTINGS } from '../src/exports/endpoint.ts'
import { formattedColumns } from '../src/exports/format-fields.ts'
import { scopeOf } from '../src/exports/pages/page-scope.ts'
import { aStore } from '../test/store-builder.ts'
import { benchDatabase, median } from './database.ts'
import type { ClientsOptions } from './export-clients.ts'
import { readExportPage } from './export-page.ts'
import { fillExports } from './export-rows.ts'
import { processCpu, serverCpu } from './server-cpu.ts'

const ROWS = Number(process.argv[2] ?? 1_000_000)
const ONLY = process.argv[3] ?? ''
const ROUNDS = 15
/** Rounds before those that count: code that has run often is compiled. */
const WARM_UP = 30
const SYNC_MS = 10_000
const CLIENTS = 8
const WANTED = { ofCopy: 0.6, keptOfCopy: 2, ofRowToJson: 2.5, lastToFirst: 1.3, processMb: 150, p99: 3 }

const database = await benchDatabase()
const db = new Database({ url: database.url })
const client = new pg.Client({ connectionString: database.url })
const agent = new Agent({ connections: CLIENTS + 4 })
const children: ChildProcess[] = []
try {
  await client.connect()
  const store = await aStore(db)
  if (store.storeId !== 1) throw new Error('The rows are written for store 1')
  const seconds = await timed(() => fillExports(client, ROWS))
  console.log(`${ROWS} customers and orders in ${(seconds / 1000).toFixed(0)} s`)
  const { key } = await createKey(db, { storeId: 1, name: 'Bench' })
  const worker = fork(fileURLToPath(new URL('idle-node.ts', import.meta.url)), [database.url, 'worker'])
  children.push(worker)
  await once(worker, 'message')
  const [unkept, keeping] = [await serve('nothing-kept', database.url), await serve('perennial', database.url)]
  const databaseCpu = await serverCpu(database.url)
  const psql = await startPsql(database.url)
  const reader = { agent, store, key }
  const get = ({ origin }: Server, name: ExportEndpoint['name'], query: Record<string, string>) =>
    readExportPage(reader, { origin, name, query })

  let isGood = true
  for (const endpoint of endpoints.filter(({ name }) => name.includes(ONLY))) {
    const { raw, json, sameJson } = await selectsOf(endpoint)
    const last = await lastQuery(endpoint)
    const { name } = endpoint
    const times: Record<'copy' | 'rowToJson' | 'sameJson' | 'first' | 'last' | 'kept', number[]> = {
      copy: [],
      rowToJson: [],
      sameJson: [],
      first: [],
      last: [],
      kept: []
    }
    const cpu = { service: 0, database: 0, kept: 0 }
    let bytes = 0
    for (let round = -WARM_UP; round < ROUNDS; round++) {
      const copy = await psql.copy(raw)
      const before = [unkept.cpu(), databaseCpu()] as const
      const first = await timed(async () => ({ bytes } = await get(unkept, name, {})))
      const used = [unkept.cpu() - before[0], databaseCpu() - before[1]] as const
      const rowToJson = await psql.copy(json)
      const end = await timed(() => get(unkept, name, last))
      const sameJsonMs = await psql.copy(sameJson)
      const beforeKept = keeping.cpu()
      const kept = await timed(() => get(keeping, name, {}))
      if (round < 0) continue
      times.copy.push(copy)
      times.first.push(first)
      times.rowToJson.push(rowToJson)
      times.sameJson.push(sameJsonMs)
      times.last.push(end)
      times.kept.push(kept)
      cpu.service += used[0]
      cpu.database += used[1]
      cpu.kept += keeping.cpu() - beforeKept
    }
    const ratio = (a: number[], b: number[]) => Number((median(a) / median(b)).toFixed(2))
    const result = {
      of_copy: ratio(times.copy, times.first),
      of_row_to_json: ratio(times.rowToJson, times.first),
      of_same_json: ratio(times.sameJson, times.first),
      last_to_first: ratio(times.last, times.first),
      kept_of_copy: ratio(times.copy, times.kept)
    }
    isGood &&=
      result.of_copy >= WANTED.ofCopy &&
      result.of_row_to_json >= WANTED.ofRowToJson &&
      result.last_to_first <= WANTED.lastToFirst &&
      result.kept_of_copy >= WANTED.keptOfCopy
    console.log(
      JSON.stringify({
        bench: 'export-pages',
        name,
        ...result,
        page_ms: Number(median(times.first).toFixed(1)),
        kept_ms: Number(median(times.kept).toFixed(1)),
        page_bytes: bytes,
        service_cpu_ms: Math.round(cpu.service / ROUNDS),
        database_cpu_ms: Math.round(cpu.database / ROUNDS),
        kept_service_cpu_ms: Math.round(cpu.kept / ROUNDS)
      })
    )
  }

  const { origin } = keeping
  const memoryMb = (of: 'VmHWM' | 'VmRSS') =>
    Number(new RegExp(`${of}:\\s+(\\d+)`).exec(readFileSync(`/proc/${keeping.pid}/status`, 'utf8'))![1]) / 1024
  const quiet = await p99OfRequests(origin, key)
  const beforeMb = memoryMb('VmRSS')
  const { domain, credentials } = store
  const toRead: ClientsOptions = { origin, key, clients: CLIENTS, store: { domain, credentials } }
  const syncing = fork(fileURLToPath(new URL('export-clients.ts', import.meta.url)), [JSON.stringify(toRead)])
  children.push(syncing)
  const busy = await p99OfRequests(origin, key)
  syncing.send('stop')
  const [pages] = (await once(syncing, 'message')) as [number]
  const peakMb = memoryMb('VmHWM')
  const p99Ratio = busy / quiet
  isGood &&= peakMb < WANTED.processMb && p99Ratio <= WANTED.p99
  console.log(
    JSON.stringify({
      bench: 'export-pages',
      name: `${CLIENTS} clients`,
      pages,
      process_mb_before: Math.round(beforeMb),
      process_peak_mb: Math.round(peakMb),
      p99_ms: Number(busy.toFixed(1)),
      p99_without_ms: Number(quiet.toFixed(1)),
      p99_ratio: Number(p99Ratio.toFixed(2)),
      load: Number(loadavg()[0]!.toFixed(1)),
      rows: ROWS
    })
  )
  process.exitCode = isGood ? 0 : 1
} finally {
  for (const child of children) child.kill('SIGKILL')
  await agent.close()
  await client.end()
  await db.close()
  await database.close()
}

/**
 * The SELECT of an endpoint's first page with its values as they are, the same as JSON made by the database, and (`sameJson`) the page's own
 * rows, with formatted values, as JSON made by the database.
 */
async function selectsOf(endpoint: ExportEndpoint): Promise<{ raw: string; json: string; sameJson: string }> {
  const { select, columns: copied } = await planPage(db, 1, endpoint, readPageRequest(endpoint, {}))
  const { scope } = await db.inStore(1, (ctx) => scopeOf(ctx, { ids: [] }))
  const columns = endpoint.fields.map(({ name, sql }) => `${typeof sql === 'string' ? sql : sql(scope)} as "${name}"`)
  const raw = select.replace(formattedColumns(endpoint.fields, scope), () => columns.join(', '))
  if (raw === select) throw new Error(`The columns of ${endpoint.name} are not those of its fields`)
  const names = copied.map(({ name }) => `"${name}"`).join(', ')
  return {
    raw,
    json: `select row_to_json(r) from (${raw}) r`,
    sameJson: `select row_to_json(r) from (${select}) r(${names})`
  }
}

/** What asks for the last full page. */
async function lastQuery(endpoint: ExportEndpoint): Promise<Record<string, string>> {
  const { source, pageSize, paging } = endpoint
  const where = typeof source.where === 'string' ? source.where : source.where({ store: '1' })
  const from = `${source.table} ${source.alias} where ${source.alias}.store_id = 1 and ${where}`
  if (paging === 'page') {
    const { rows } = await client.query(`select count(*)::int as n from ${from}`)
    return { page: String(Math.max(1, Math.floor(rows[0].n / pageSize))) }
  }
  const { rows } = await client.query(
    `select ${source.alias}.id from ${from} order by ${source.alias}.id desc offset ${pageSize} limit 1`
  )
  return { since_id: rows[0]?.id ?? '0' }
}

/** One psql in the store's role and time zone. `copy` returns the milliseconds that it says a COPY took. */
async function startPsql(url: string) {
  const psql = spawn('psql', ['-X', '-q', url], { stdio: ['pipe', 'pipe', 'inherit'] })
  children.push(psql)
  psql.on('error', () => {})
  const lines = createInterface({ input: psql.stdout })[Symbol.asyncIterator]()
  psql.stdin.write(
    "set role perennial_store; set perennial.store_id = '1'; set timezone = 'America/New_York';\n" +
      `${PLANNER_SETTINGS};\n\\timing on\n\\o /dev/null\n`
  )
  return {
    async copy(select: string): Promise<number> {
      psql.stdin.write(`copy (${select.replaceAll(/\s+/g, ' ')}) to stdout;\n`)
      const { value = '' } = await lines.next()
      const ms = /^Time: ([\d.]+) ms/.exec(value)?.[1]
      if (!ms) throw new Error(`psql, which has to be installed, said: ${value}`)
      return Number(ms)
    }
  }
}

/** The 99th percentile of small reads of the direct API, in milliseconds. */
async function p99OfRequests(origin: string, key: string): Promise<number> {
  const times: number[] = []
  const end = performance.now() + SYNC_MS
  while (performance.now() < end) {
    times.push(
      await timed(async () => {
        const { statusCode, body } = await agent.request({
          origin,
          method: 'GET',
          path: '/v1/members/mem_1',
          headers: { authorization: `Bearer ${key}` }
        })
        await body.dump()
        if (statusCode !== 200) throw new Error(`GET /v1/members/mem_1: ${statusCode}`)
      })
    )
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)]!
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

type Server = { origin: string; pid: number; cpu: () => number }

async function serve(which: 'perennial' | 'nothing-kept', url: string): Promise<Server> {
  const path = fileURLToPath(new URL('read-member-server.ts', import.meta.url))
  const server = spawn(process.execPath, [path, which, url], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(server)
  return new Promise((resolve, reject) => {
    const pid = server.pid!
    server.stdout!.once('data', (line: Buffer) =>
      resolve({ origin: line.toString().trim(), pid, cpu: processCpu(pid) })
    )
    server.once('exit', (code) => reject(new Error(`The server ended with ${code}`)))
  })
}
