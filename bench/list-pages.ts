// Pages of 100 with their exact totals over HTTP, relative to a bare Fastify route that reads the same page without a total: every
// list, filter and depth, with a million rows in each list; then the cost of the maintained counts for writes.
// Usage: node bench/list-pages.ts [rows in each list] [a word in the names of the cases wanted]
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { Client } from 'undici'
import { Database } from '#kit/postgres'
import { createKey } from '#stores'
import { rollUpTotals } from '#views'
import { aStore } from '../test/store-builder.ts'
import { benchDatabase, median } from './database.ts'
import { listCases } from './list-cases.ts'
import { fillLists, insertMembers } from './list-rows.ts'

const ROWS = Number(process.argv[2] ?? 1_000_000)
const ONLY = process.argv[3] ?? ''
const ROUNDS = 7
const ROUND_MS = 250
const CONNECTIONS = 16
/** Pages that take the bare route seconds are requested by few connections, or they would wait for one another. */
const DEEP_CONNECTIONS = 2
const WANTED = 0.5

const database = await benchDatabase()
const db = new Database({ url: database.url })
const client = new pg.Client({ connectionString: database.url })
const servers: ChildProcess[] = []
try {
  await client.connect()
  const { storeId } = await aStore(db)
  if (storeId !== 1) throw new Error('The cases are written for store 1')
  const seconds = await timed(() => fillLists(client, ROWS))
  const rebuilt = await timed(() => client.query('select rebuild_lists(1)'))
  await client.query('vacuum analyze')
  console.log(`${ROWS} rows in each of three lists in ${seconds.toFixed(0)} s, counted in ${rebuilt.toFixed(1)} s`)

  const { key } = await createKey(db, { storeId, name: 'Bench' })
  const perennial = await serve('read-member-server.ts', 'perennial', database.url)
  const bare = await serve('bare-lists-server.ts', database.url, String(ROWS))
  const cases = listCases(ROWS).map((one, nth) => ({ ...one, nth }))
  let worst = { ratio: Number.POSITIVE_INFINITY, name: '' }
  for (const { name, path, nth } of cases.filter((one) => one.name.includes(ONLY))) {
    const [list, offset] = [name.replace(/ @.*/, ''), Number(name.replace(/.*@/, ''))]
    const first = cases.find((other) => other.name === `${list} @0`)!
    await load(perennial, path, 100, key)
    await load(bare, `/${first.nth}`, 100)
    const [ours, bareFirst]: [number[], number[]] = [[], []]
    for (let round = 0; round < ROUNDS; round++) {
      bareFirst.push(await load(bare, `/${first.nth}`, ROUND_MS))
      ours.push(await load(perennial, path, ROUND_MS, key))
    }
    // The bare route gets slower with depth; ours is compared with its first page.
    const ratio = median(ours.map((rate, i) => rate / bareFirst[i]!))
    const same = offset > 0 ? median(ours) / (await load(bare, `/${nth}`, ROUND_MS, '', DEEP_CONNECTIONS)) : ratio
    if (ratio < worst.ratio) worst = { ratio, name }
    console.log(
      `${name.padEnd(70)} ${median(ours).toFixed(0).padStart(6)}/s · of the bare page ${same.toFixed(2).padStart(6)} · of the bare first page ${ratio.toFixed(2)}`
    )
  }
  for (const server of servers.splice(0)) server.kill('SIGKILL')
  const upkeep = await measureUpkeep()
  console.log(
    JSON.stringify({
      bench: 'list-pages',
      rows: ROWS,
      lowest_ratio: Number(worst.ratio.toFixed(2)),
      lowest_case: worst.name,
      wanted: WANTED,
      ...upkeep
    })
  )
  process.exitCode = worst.ratio >= WANTED ? 0 : 1
} finally {
  for (const server of servers) server.kill('SIGKILL')
  await client.end()
  await db.close()
  await database.close()
}

/** Writes with and without the triggers that record changes, alternating; then the speed of the roll-up. */
async function measureUpkeep() {
  const ratios = { insert: [] as number[], update: [] as number[] }
  const switched = async (to: 'enable' | 'disable', work: () => Promise<unknown>) => {
    for (const name of ['record_inserts', 'record_updates'])
      await client.query(`alter table members ${to} trigger ${name}`)
    return timed(work)
  }
  const inserted = () => insertMembers(client, ROWS * 2, 5_000)
  const updated = async () => {
    for (let i = 0; i < 20; i++) {
      const from = 1 + Math.floor(Math.random() * (ROWS - 200))
      await client.query(
        `update members set status = case status when 'active' then 'paused' else 'active' end, updated_at = now()
          where store_id = 1 and id between $1 and $1 + 199`,
        [from]
      )
    }
  }
  for (let round = 0; round < ROUNDS; round++) {
    ratios.insert.push((await switched('enable', inserted)) / (await switched('disable', inserted)))
    ratios.update.push((await switched('enable', updated)) / (await switched('disable', updated)))
  }
  await client.query('select rebuild_lists(1)')
  await switched('enable', () => insertMembers(client, ROWS * 2, 50_000))
  let rolledUp = 0
  const seconds = await timed(async () => {
    rolledUp = await rollUpTotals(db)
  })
  return {
    insert_cost: Number(median(ratios.insert).toFixed(2)),
    update_of_200_cost: Number(median(ratios.update).toFixed(2)),
    rolled_up_per_s: Math.round(rolledUp / seconds)
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return (performance.now() - started) / 1000
}

async function serve(file: string, ...args: string[]): Promise<string> {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const server = spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  servers.push(server)
  return new Promise((resolve, reject) => {
    server.stdout!.once('data', (line: Buffer) => resolve(line.toString().trim()))
    server.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)))
  })
}

/** Requests per second over `ms`, each connection with one request in flight. */
async function load(origin: string, path: string, ms: number, key = '', connections = CONNECTIONS): Promise<number> {
  const started = performance.now()
  let done = 0
  const connection = async () => {
    const http = new Client(origin)
    do {
      const { statusCode, body } = await http.request({
        method: 'GET',
        path,
        headers: { authorization: `Bearer ${key}` }
      })
      const text = await body.text()
      if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${text}`)
      done++
    } while (performance.now() - started < ms)
    await http.close()
  }
  await Promise.all(Array.from({ length: connections }, connection))
  return (done / (performance.now() - started)) * 1000
}
