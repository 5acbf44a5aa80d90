// The share of PostgreSQL in a billing run: the recorded transactions of a run, repeated statement by statement by a bare loop
// over pg on a copy of the database from before. Usage: node bench/billing-batches.ts [how many]

import pg from 'pg'
import { createBillingEngine } from '#billing'
import { createJobEngine } from '#kit/jobs'
import { Database, STORE_ROLE, type Statement } from '#kit/postgres'
import { jobs } from '../src/app/jobs.ts'
import { noMail } from '../src/app/mail.ts'
import { aDueStore } from '../test/due-store.ts'
import { RecordingDatabase } from '../test/recorder.ts'
import { testVault } from '../test/store-builder.ts'
import { benchDatabase, runOn } from './database.ts'
import { stubConnector } from './stub-connector.ts'

const HOW_MANY = Number(process.argv[2] ?? 10_000)
const DUE_AT = Temporal.Instant.from('2026-02-28T15:00:00Z')

const database = await benchDatabase()
const name = new URL(database.url).pathname.slice(1)
const server = new URL('/postgres', database.url).href
const copy = new URL(`/${name}_copy`, database.url).href
try {
  const db = new Database({ url: database.url })
  const { storeId } = await aDueStore(db, { subscriptions: HOW_MANY, dueAt: DUE_AT })
  await db.close()
  await runOn(server, `create database ${name}_copy template ${name}`)

  const recording = new RecordingDatabase({ url: database.url })
  const connector = stubConnector({ now: DUE_AT, priceMinor: 2900 })
  const connectorOf = async () => connector
  const engines = [
    createBillingEngine({ db: recording, leaseOwner: 1, connectorOf }),
    createJobEngine({
      db: recording,
      leaseOwner: 1,
      jobs,
      deps: { db: recording, vault: testVault, connectorOf, sendMail: noMail }
    })
  ]
  const ours = await secondsOf(async () => {
    for (const engine of engines) while ((await engine.runOnce(storeId)) > 0);
  })
  await recording.close()
  const bare = await secondsOf(() => repeat(storeId, recording.transactions))
  const left = await countDue(storeId)
  console.log(
    JSON.stringify({
      bench: 'billing-batches',
      subscriptions: HOW_MANY,
      renewals_per_s: Math.round(HOW_MANY / ours),
      bare_per_s: Math.round(HOW_MANY / bare),
      ratio: Number((bare / ours).toFixed(2)),
      left_by_the_bare_loop: left
    })
  )
  process.exitCode = left === 0 ? 0 : 1
} finally {
  await runOn(server, `drop database if exists ${name}_copy with (force)`)
  await database.close()
}

async function secondsOf(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}

async function repeat(storeId: number, transactions: Statement[][]): Promise<void> {
  const client = new pg.Client({ connectionString: copy })
  await client.connect()
  await client.query(`set role ${STORE_ROLE}`)
  for (const statements of transactions) {
    await client.query(`begin; set local perennial.store_id = '${storeId}'`)
    for (const { name, text, values } of statements) await client.query({ name, text, values: values.map(asText) })
    await client.query('commit')
  }
  await client.end()
}

function asText(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asText)
  return value instanceof Temporal.Instant ? String(value) : value
}

/** The number of unbilled subscriptions and of unsettled charges. */
async function countDue(storeId: number): Promise<number> {
  const client = new pg.Client({ connectionString: copy })
  await client.connect()
  const { rows } = await client.query(
    `select (select count(*) from subscriptions where store_id = $1 and billing_due_at <= $2)
          + (select count(*) from billing_attempts where store_id = $1 and status = 'pending')
          + (select count(*) from jobs where store_id = $1) as left`,
    [storeId, String(DUE_AT)]
  )
  await client.end()
  return Number(rows[0].left)
}
