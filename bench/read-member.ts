// The speed of reading one member over HTTP, relative to a bare Fastify route with the same single SQL read. Both alternate in one
// run, so that the machine's other load affects both equally. Usage: node bench/read-member.ts
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Client } from 'undici'
import { Database, sql } from '#kit/postgres'
import { createKey } from '#stores'
import { aStore } from '../test/store-builder.ts'
import { benchDatabase, median } from './database.ts'

const MEMBERS = 10_000
const ROUNDS = 7
const ROUND_MS = 2_000
const CONNECTIONS = 32
const SERVER = fileURLToPath(new URL('./read-member-server.ts', import.meta.url))

const database = await benchDatabase()
const db = new Database({ url: database.url })
const servers: ChildProcess[] = []
try {
  const store = await aStore(db)
  await store.inStore(({ tx, storeId, now }) =>
    tx.run(sql`
      insert into members (store_id, platform_customer_id, email, first_name, last_name, status, member_since, created_at, updated_at)
      select ${storeId}, 1000000 + n, 'person-' || n || '@example.com', 'Ada', 'Adler', 'active', ${now}, ${now}, ${now}
        from generate_series(1, ${MEMBERS}::int) n`)
  )
  await db.inInstallation((tx) => tx.run(sql`analyze members`)).catch(() => 0)
  const { key } = await createKey(db, { storeId: store.storeId, name: 'Bench' })

  const perennial = await serve('perennial')
  const bare = await serve('bare')
  const rates: Record<'perennial' | 'bare', number[]> = { perennial: [], bare: [] }
  await load(perennial, key, 500)
  await load(bare, key, 500)
  for (let round = 0; round < ROUNDS; round++) {
    rates.bare.push(await load(bare, key, ROUND_MS))
    rates.perennial.push(await load(perennial, key, ROUND_MS))
  }
  const ratio = median(rates.perennial.map((rate, i) => rate / rates.bare[i]!))
  console.log(
    JSON.stringify({
      bench: 'read-member',
      perennial_per_s: Math.round(median(rates.perennial)),
      bare_per_s: Math.round(median(rates.bare)),
      ratio: Number(ratio.toFixed(2)),
      wanted: 0.6
    })
  )
  process.exitCode = ratio >= 0.6 ? 0 : 1
} finally {
  for (const server of servers) server.kill('SIGKILL')
  await db.close()
  await database.close()
}

async function serve(which: 'perennial' | 'bare'): Promise<string> {
  const server = spawn(process.execPath, [SERVER, which, database.url], { stdio: ['ignore', 'pipe', 'inherit'] })
  servers.push(server)
  return new Promise((resolve, reject) => {
    server.stdout!.once('data', (line: Buffer) => resolve(line.toString().trim()))
    server.once('exit', (code) => reject(new Error(`The ${which} server ended with ${code}`)))
  })
}

/** Requests per second over `ms`, each connection with one request in flight. */
async function load(origin: string, key: string, ms: number): Promise<number> {
  const until = performance.now() + ms
  const started = performance.now()
  let done = 0
  const connection = async () => {
    const client = new Client(origin)
    while (performance.now() < until) {
      const id = 1 + Math.floor(Math.random() * MEMBERS)
      const { statusCode, body } = await client.request({
        method: 'GET',
        path: `/v1/members/mem_${id}`,
        headers: { authorization: `Bearer ${key}` }
      })
      const text = await body.text()
      if (statusCode !== 200) throw new Error(`${statusCode}: ${text}`)
      done++
    }
    await client.close()
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, connection))
  return (done / (performance.now() - started)) * 1000
}
