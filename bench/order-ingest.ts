// 100,000 order webhooks of as many orders and half as many customers, from stored messages to rows and facts, in turns with two bare
// clients: one inserts the same rows in batches of the same size, the other also reads the same messages, parses their JSON, and marks
// them as done. In the end the same messages again, which must write nothing. A round is 10,000 orders; medians of the rounds.
// Usage: node bench/order-ingest.ts [orders]
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { Database, int, row, sql } from '#kit/postgres'
import type { Connector } from '#platform'
import { createInboundEngine } from '../src/sync/inbound-engine.ts'
import { aStore } from '../test/store-builder.ts'
import { analyzeAsServed } from './analyze-as-served.ts'
import { bareInsert } from './bare-insert.ts'
import { cpuMeter } from './cpu-meter.ts'
import { benchDatabase, median } from './database.ts'
import { rowVersions } from './row-versions.ts'

const HOW_MANY = Number(process.argv[2] ?? 100_000)
const ROUND = Math.min(10_000, HOW_MANY)
/** As the inbound engine takes them. */
const BATCH = 200
/** At least this part of the rate of the bare client that also reads. */
const WANTED = Number(process.env.BENCH_WANTED ?? 0.4)
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

/** Orders per second, and milliseconds of CPU per order. */
type Measured = { perS: number; processMs: number; databaseMs: number }

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
  const meter = await cpuMeter(database.url)
  const { storeId, inStore } = await aStore(db)
  const engine = createInboundEngine({
    db,
    leaseOwner: 1,
    checkUninstalled: async () => {},
    connectorOf: async () => ({}) as Connector
  })

  /** Stores the messages of some orders, which is not measured. */
  const deliver = async (delivery: string, first: number) => {
    for (let from = first; from < first + ROUND; from += 1_000) {
      const numbers = Array.from({ length: Math.min(1_000, first + ROUND - from) }, (_, i) => from + i)
      await inStore(({ tx, now }) =>
        tx.run(sql`
        insert into inbound_webhooks (store_id, webhook_id, topic, body, received_at, run_at, status)
        select ${storeId}, t.id, 'orders/create', t.body, ${now}, ${now}, 'waiting'
          from unnest(${numbers.map((n) => `${delivery}-${n}`)}::text[], ${numbers.map(bodyOf)}::text[]) as t(id, body)
        on conflict do nothing`)
      )
    }
  }

  /** The time and the CPU time of this process and of the database. */
  const measure = async (work: () => Promise<void>): Promise<Measured> => {
    const { seconds, serviceMs, databaseMs } = await meter(work)
    return { perS: ROUND / seconds, processMs: serviceMs / ROUND, databaseMs: databaseMs / ROUND }
  }

  const ingest = async () => {
    while ((await engine.runOnce(storeId)) > 0);
  }

  const bare = await bareInsert(client, { tables: TABLES, storeId, batch: BATCH })
  const reading = await bareReader(client, storeId)
  const rounds: { ours: Measured; bare: Measured; reading: Measured }[] = []
  for (let first = 0; first + ROUND <= HOW_MANY; first += ROUND) {
    await deliver('first', first)
    await reading.copyNew()
    const ours = await measure(ingest)
    const insert = await bare.copyNew()
    const written = await measure(insert)
    rounds.push({ ours, bare: written, reading: addUp(written, await measure(() => reading.readAll())) })
  }
  const { n } = await inStore(({ tx }) =>
    tx.one(row({ n: int }), sql`select count(*) as n from orders where store_id = ${storeId} and lines is not null`)
  )
  if (n !== rounds.length * ROUND) throw new Error(`${n} orders were recorded, not ${rounds.length * ROUND}`)

  const written = () => rowVersions(client, [...TABLES, ...BESIDES], storeId)
  const before = await written()
  const repeated: Measured[] = []
  for (let first = 0; first + ROUND <= HOW_MANY; first += ROUND) {
    await deliver('again', first)
    repeated.push(await measure(ingest))
  }
  const after = await written()
  if (after !== before) throw new Error(`The repetition wrote rows: ${before}, then ${after}`)

  const result = {
    name: 'order-ingest',
    orders: n,
    ...summary(
      '',
      rounds.map(({ ours }) => ours)
    ),
    ...summary(
      'bare_',
      rounds.map(({ bare }) => bare)
    ),
    ...summary(
      'reading_',
      rounds.map(({ reading }) => reading)
    ),
    ...summary('repeated_', repeated),
    ratio: round(median(rounds.map(({ ours, bare }) => ours.perS / bare.perS))),
    ratio_reading: round(median(rounds.map(({ ours, reading }) => ours.perS / reading.perS))),
    ratio_first_round: round(rounds[0]!.ours.perS / rounds[0]!.bare.perS)
  }
  console.log(JSON.stringify(result))
  if (result.ratio_reading < WANTED) {
    throw new Error(`${result.ratio_reading} of the rate of a bare client that reads and inserts, ${WANTED} wanted`)
  }
} finally {
  await analyzing.stop()
  await client.end()
  await db.close()
  await database.close()
}

/**
 * A bare client that reads messages in batches from a copy of their table, parses them, and marks them as done. `copyNew` copies those
 * that came since its last call, which is not measured.
 */
async function bareReader(client: pg.Client, storeId: number) {
  await client.query('create table bare_inbound (like inbound_webhooks including all)')
  return {
    async copyNew(): Promise<void> {
      await client.query(
        `insert into bare_inbound overriding system value
         select * from inbound_webhooks
          where store_id = $1 and id > (select coalesce(max(id), 0) from bare_inbound where store_id = $1)`,
        [storeId]
      )
    },
    async readAll(): Promise<void> {
      for (;;) {
        const { rows } = await client.query({
          name: 'bare read',
          text: `select id, body from bare_inbound where store_id = $1 and status = 'waiting' order by id limit $2`,
          values: [storeId, BATCH]
        })
        if (rows.length === 0) return
        for (const { body } of rows) JSON.parse(body)
        await client.query({
          name: 'bare mark',
          text: `update bare_inbound set status = 'done' where store_id = $1 and id = any($2::bigint[])`,
          values: [storeId, rows.map(({ id }) => id)]
        })
      }
    }
  }
}

/** What both take, one after the other. */
function addUp(one: Measured, other: Measured): Measured {
  return {
    perS: 1 / (1 / one.perS + 1 / other.perS),
    processMs: one.processMs + other.processMs,
    databaseMs: one.databaseMs + other.databaseMs
  }
}

function summary(prefix: string, all: Measured[]) {
  return {
    [`${prefix}per_s`]: Math.round(median(all.map(({ perS }) => perS))),
    [`${prefix}process_cpu_ms`]: round(median(all.map(({ processMs }) => processMs))),
    [`${prefix}database_cpu_ms`]: round(median(all.map(({ databaseMs }) => databaseMs)))
  }
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
