// 100,000 order webhooks of as many orders and half as many customers, from stored messages to rows and facts, relative to a bare
// client that inserts the same rows in batches of the same size; and the same messages again, which must write nothing.
// Usage: node bench/order-ingest.ts [orders]
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { Database, int, row, sql } from '#kit/postgres'
import type { Connector } from '#platform'
import { createInboundEngine } from '../src/sync/inbound-engine.ts'
import { aStore } from '../test/store-builder.ts'
import { analyzeAsServed } from './analyze-as-served.ts'
import { bareInsert } from './bare-insert.ts'
import { benchDatabase } from './database.ts'
import { rowVersions } from './row-versions.ts'
import { serverCpu } from './server-cpu.ts'

const HOW_MANY = Number(process.argv[2] ?? 100_000)
/** As the inbound engine takes them. */
const BATCH = 200
/** At least this part of the rate of the bare insert. */
const WANTED = Number(process.env.BENCH_WANTED ?? 0.25)
/** The tables that ingesting writes; the messages themselves are not among them. */
const TABLES = ['members', 'orders', 'facts'] as const
/** What else it may write. */
const BESIDES = [
  'platform_refunds',
  'order_transactions',
  'order_disputes',
  'order_discrepancies',
  'metric_changes'
] as const

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
const analyzing = analyzeAsServed(db)
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

  const written = () => rowVersions(client, [...TABLES, ...BESIDES], storeId)

  await deliver('first')
  const ingested = await measure(ingest)
  const { n } = await inStore(({ tx }) =>
    tx.one(row({ n: int }), sql`select count(*) as n from orders where store_id = ${storeId} and lines is not null`)
  )
  if (n !== HOW_MANY) throw new Error(`${n} orders were recorded, not ${HOW_MANY}`)

  await deliver('again')
  const before = await written()
  const repeated = await measure(ingest)
  const after = await written()
  if (after !== before) throw new Error(`The repetition wrote rows: ${before}, then ${after}`)

  const bare = await measure(await bareInsert(client, { tables: TABLES, storeId, batch: BATCH }))
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
    repeated_database_cpu_ms_per_order: repeated.database_cpu_ms_per_order
  }
  console.log(JSON.stringify(result))
  if (result.ratio < WANTED) throw new Error(`${result.ratio} of the bare insert's rate, ${WANTED} wanted`)
} finally {
  await analyzing.stop()
  await client.end()
  await db.close()
  await database.close()
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
