// What NOTIFY costs transactions that write: 64 connections, each with an insert per transaction, in three ways: without a
// NOTIFY, with one in every transaction, and with the batched ones of createWorkSignals beside them. Two sessions listen.
// Usage: node bench/notify-cost.ts [how many seconds each]
import { loadavg } from 'node:os'
import pg from 'pg'
import { createWorkSignals } from '#kit/engines'
import { Database } from '#kit/postgres'
import { benchDatabase, median } from './database.ts'

const WRITERS = 64
const ROUNDS = 3
const SECONDS = Number(process.argv[2] ?? 4)

const database = await benchDatabase()
const db = new Database({ url: database.url })
const connect = async () => {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  return client
}
const writers = await Promise.all(Array.from({ length: WRITERS }, connect))
const listeners = await Promise.all([connect(), connect()])
for (const listener of listeners) await listener.query('listen perennial_work')
await writers[0]!.query('create table written (id bigint generated always as identity primary key, store bigint)')

const WAYS = {
  without: { text: 'insert into written (store) values ($1)', report: () => {} },
  in_each_transaction: {
    text: `with w as (insert into written (store) values ($1) returning store) select pg_notify('perennial_work', store::text) from w`,
    report: () => {}
  },
  batched_after_the_commit: {
    text: 'insert into written (store) values ($1)',
    report: (storeId: number) => signals.send(storeId)
  }
}
const signals = createWorkSignals(db)

/** Transactions a second. */
async function rate({ text, report }: (typeof WAYS)[keyof typeof WAYS]): Promise<number> {
  const endAt = performance.now() + SECONDS * 1_000
  let done = 0
  await Promise.all(
    writers.map(async (writer, i) => {
      const storeId = i % 8
      for (; performance.now() < endAt; done++) {
        await writer.query({ name: text.slice(0, 40) + text.length, text, values: [storeId] })
        report(storeId)
      }
    })
  )
  return done / SECONDS
}

try {
  const rates: Record<string, number[]> = {}
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, way] of Object.entries(WAYS)) (rates[name] ??= []).push(await rate(way))
  }
  const plain = median(rates.without!)
  console.log(
    JSON.stringify({
      bench: 'notify-cost',
      writers: WRITERS,
      load: loadavg()[0]!.toFixed(1),
      per_s: Object.fromEntries(Object.entries(rates).map(([name, r]) => [name, r.map(Math.round)])),
      ratio: Object.fromEntries(
        Object.entries(rates).map(([name, r]) => [name, Number((median(r) / plain).toFixed(2))])
      )
    })
  )
} finally {
  await signals.stop()
  await Promise.all([...writers, ...listeners].map((client) => client.end()))
  await db.close()
  await database.close()
}
