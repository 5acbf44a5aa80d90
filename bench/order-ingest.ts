// 100,000 order webhooks of as many orders and half as many customers, from stored messages to rows and facts, relative to a bare
// client that inserts the same rows in batches of the same size; and the same messages again, which must write nothing.
// Usage: node bench/order-ingest.ts [orders]
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { analyzeGrownTables, Database, int, row, sql } from '#kit/postgres'
import { runPeriodically } from '#kit/run-periodically'
import type { Connector } from '#platform'
import { createInboundEngine } from '../src/sync/inbound-engine.ts'
import { aStore } from '../test/store-builder.ts'
import { benchDatabase } from './database.ts'
import { serverCpu } from './server-cpu.ts'

const HOW_MANY = Number(process.argv[2] ?? 100_000)
/** As the inbound engine takes them. */
const BATCH = 200
/** At least this part of the rate of the bare insert. */
const WANTED = Number(process.env.BENCH_WANTED ?? 0.25)
/** The tables that ingesting writes; the messages themselves are not among them. */
const TABLES = ['members', 'orders', 'facts'] as const

const sample = JSON.parse(
  readFileSync(new URL('../test/fixtures/platform/payloads/orders__create.json', import.meta.url), 'utf8')
)

function bodyOf(n: number): string {
  const id = 5_000_000_000_000 + n
  const customer = 7_000_000_000_000 + Math.floor(n / 2)
  return JSON.stringify({
    ...sample,
    id,
    admin_graphql_api_id: `gid://platform/Order/${id}`,
    name: `#${n}`,
    order_number: n,
    cancelled_at: null,
    financial_status: 'paid',
    created_at: '2026-01-31T10:00:00-05:00',
    processed_at: '2026-01-31T10:00:00-05:00',
    updated_at: '2026-01-31T10:00:01-05:00',
    customer: { ...sample.customer, id: customer, admin_graphql_api_id: `gid://platform/Customer/${customer}` },
    line_items: sample.line_items.slice(0, 3)
  })
}

const database = await benchDatabase()
const db = new Database({ url: database.url })
const client = new pg.Client({ connectionString: database.url })
await client.connect()
// As a node that serves does.
const analyzing = runPeriodically(5_000, async () => void (await analyzeGrownTables(db)))
try {
  const serverMs = await serverCpu(database.url)
  const { storeId, inStore } = await aStore(db)
  const engine = createInboundEngine({
    db,
    leaseOwner: 1,
    disconnect: async () => {},
    connectorOf: async () => ({}) as Connector
  })

  /** Stores the messages of all orders, which is not measured. */
  const deliver = async (delivery: string) => {
    for (let from = 0; from < HOW_MANY; from += 1_000) {
      const numbers = Array.from({ length: Math.min(1_000, HOW_MANY - from) }, (_, i) => from + i)
      await inStore(({ tx, now }) =>
        tx.run(sql`
        insert into inbound_webhooks (store_id, webhook_id, topic, body, received_at, run_at, status)
        select ${storeId}, t.id, 'orders/create', t.body, ${now}, ${now}, 'waiting'
          from unnest(${numbers.map((n) => `${delivery}-${n}`)}::text[], ${numbers.map(bodyOf)}::text[]) as t(id, body)
        on conflict do nothing`)
      )
    }
    await client.query('analyze inbound_webhooks, orders, members, facts')
  }

  /** The time and the CPU time of this process and of the database. */
  const measure = async (work: () => Promise<void>) => {
    const [service, server, from] = [process.cpuUsage(), serverMs(), performance.now()]
    await work()
    const seconds = (performance.now() - from) / 1000
    const { user, system } = process.cpuUsage(service)
    return {
      per_s: Math.round(HOW_MANY / seconds),
      service_cpu_ms_per_order: round((user + system) / 1000 / HOW_MANY),
      database_cpu_ms_per_order: round((serverMs() - server) / HOW_MANY)
    }
  }

  const ingest = async () => {
    while ((await engine.runOnce(storeId)) > 0);
  }

  const written = async (): Promise<number> => {
    await client.query('select pg_stat_force_next_flush()')
    const { rows } = await client.query(
      `select coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0)::int as n from pg_stat_user_tables
        where relname = any($1)`,
      [[...TABLES, 'platform_refunds', 'order_transactions', 'order_disputes', 'order_discrepancies', 'metric_changes']]
    )
    return rows[0].n
  }

  await deliver('first')
  const ingested = await measure(ingest)
  const { n } = await inStore(({ tx }) =>
    tx.one(row({ n: int }), sql`select count(*) as n from orders where store_id = ${storeId} and lines is not null`)
  )
  if (n !== HOW_MANY) throw new Error(`${n} orders were recorded, not ${HOW_MANY}`)

  await deliver('again')
  const rowsBefore = await until(written)
  const repeated = await measure(ingest)
  const rowsOfRepetition = (await until(written)) - rowsBefore

  const bare = await bareInsert()
  const result = {
    name: 'order-ingest',
    orders: HOW_MANY,
    ...ingested,
    bare_per_s: bare.per_s,
    ratio: round(ingested.per_s / bare.per_s),
    bare_client_cpu_ms_per_order: bare.service_cpu_ms_per_order,
    bare_database_cpu_ms_per_order: bare.database_cpu_ms_per_order,
    repeated_per_s: repeated.per_s,
    repeated_service_cpu_ms_per_order: repeated.service_cpu_ms_per_order,
    repeated_database_cpu_ms_per_order: repeated.database_cpu_ms_per_order,
    rows_written_by_repetition: rowsOfRepetition
  }
  console.log(JSON.stringify(result))
  if (rowsOfRepetition !== 0) throw new Error(`The repetition wrote ${rowsOfRepetition} rows`)
  if (result.ratio < WANTED) throw new Error(`${result.ratio} of the bare insert's rate, ${WANTED} wanted`)

  /** Reads the rows back, and inserts them into tables of the same shape and with the same indexes, without a check or a parse. */
  async function bareInsert() {
    const batches: { text: string; values: unknown[] }[] = []
    for (const table of TABLES) {
      await client.query(
        `create table bare_${table} (like ${table} including defaults including constraints including indexes)`
      )
      const { rows: columns } = await client.query(
        `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
          where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
        [table]
      )
      const names = columns.map(({ name }) => name).join(', ')
      const { rows } = await client.query({
        text: `select ${columns.map(({ name }) => `${name}::text`).join(', ')} from ${table} where store_id = ${storeId} order by id`,
        rowMode: 'array'
      })
      for (let from = 0; from < rows.length; from += BATCH) {
        const some = rows.slice(from, from + BATCH)
        batches.push({
          text: `insert into bare_${table} (${names})
                 select ${columns.map(({ type }, i) => `t.c${i}::${type}`).join(', ')}
                   from unnest(${columns.map((_, i) => `$${i + 1}::text[]`).join(', ')}) as t(${columns.map((_, i) => `c${i}`).join(', ')})`,
          values: columns.map((_, i) => some.map((one) => one[i]))
        })
      }
    }
    return measure(async () => {
      for (const { text, values } of batches) await client.query(text, values)
    })
  }
} finally {
  await analyzing.stop()
  await client.end()
  await db.close()
  await database.close()
}

/** Counters come some time after the transaction that they count. */
async function until(read: () => Promise<number>): Promise<number> {
  let last = -1
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    const now = await read()
    if (now === last) return now
    last = now
  }
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
