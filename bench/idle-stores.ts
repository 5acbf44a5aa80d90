// What idle stores cost a node: statements a second, CPU, memory; and how late work begins that becomes due while nobody
// reports it. Fails above 20 statements a second, or when work begins more than a second late.
// Usage: node bench/idle-stores.ts [how many stores] [how many seconds]
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { changeCredits } from '#credits'
import { Database } from '#kit/postgres'
import { makeIdleStores } from '../test/idle-stores.ts'
import { aStore } from '../test/store-builder.ts'
import { benchDatabase, median } from './database.ts'
import type { NodeMeasurements } from './idle-node.ts'

const STORES = Number(process.argv[2] ?? 1_000)
const SECONDS = Number(process.argv[3] ?? 20)
const SUBSCRIPTIONS = 50
/** Stores in which something becomes due while the node looks after all. */
const DUE_STORES = 50
const DUE_AHEAD_MS = 8_000
const DUE_WITHIN_MS = 12_000
const MAX_STATEMENTS = 20
const MAX_LATE_MS = 1_000

const database = await benchDatabase()
const db = new Database({ url: database.url })
const watcher = new pg.Client({ connectionString: database.url })
await watcher.connect()

async function startNode() {
  const child: ChildProcess = fork(fileURLToPath(new URL('./idle-node.ts', import.meta.url)), [database.url], {
    execArgv: ['--expose-gc']
  })
  await once(child, 'message')
  return {
    async measurements(): Promise<NodeMeasurements> {
      child.send('measurements')
      return (await once(child, 'message'))[0]
    },
    async end() {
      const ended = once(child, 'exit')
      child.send('end')
      await ended
    }
  }
}

/** Of all backends of this database but our own: transactions, single statements among them, and time at work. */
async function ofServer(): Promise<{ transactions: number; busyMs: number }> {
  const { rows } = await watcher.query(
    `select xact_commit::float8 as transactions, active_time as "busyMs" from pg_stat_database where datname = current_database()`
  )
  return rows[0]
}

/** What `nodes` cost over a while in which nothing happens, each. */
async function idle(nodes: Awaited<ReturnType<typeof startNode>>[]) {
  // The first polls also prepare statements and fill caches.
  await sleep(12_000)
  const before = await Promise.all(nodes.map((node) => node.measurements()))
  const serverBefore = await ofServer()
  await sleep(SECONDS * 1_000)
  const after = await Promise.all(nodes.map((node) => node.measurements()))
  const server = await ofServer()
  const perSecond = (key: keyof NodeMeasurements) => after.map((a, i) => (a[key] - before[i]![key]) / SECONDS)
  const rounded = (value: number) => Number(value.toFixed(1))
  return {
    statements_per_s: perSecond('statements').map(rounded),
    begins_and_commits_per_s: perSecond('transactions').map((n) => rounded(2 * n)),
    server_transactions_per_s: rounded((server.transactions - serverBefore.transactions) / SECONDS),
    node_cpu_percent: perSecond('cpuMs').map((ms) => rounded(ms / 10)),
    server_busy_percent: rounded((server.busyMs - serverBefore.busyMs) / SECONDS / 10),
    heap_mb: after.map((a) => rounded(a.heapBytes / 1e6)),
    rss_mb: after.map((a) => rounded(a.rssBytes / 1e6))
  }
}

/**
 * Credit that expires at instants spread over a while: how long after each its entry was written, in milliseconds. Nobody
 * reports it to the node, so all of it is further ahead than the time between two polls.
 */
async function lateness(): Promise<number[]> {
  const startsAt = Temporal.Now.instant().add({ milliseconds: DUE_AHEAD_MS })
  for (let i = 0; i < DUE_STORES; i++) {
    const store = await aStore(db)
    const { rows } = await watcher.query(
      `insert into members (store_id, platform_customer_id, email, created_at, updated_at)
       values ($1, '7', 'ada@example.com', now(), now()) returning id`,
      [store.storeId]
    )
    const expiresAt = startsAt.add({ milliseconds: Math.round((DUE_WITHIN_MS * i) / DUE_STORES) })
    await store.inStore((ctx) =>
      changeCredits(ctx, [
        {
          memberId: Number(rows[0].id),
          type: 'manual_add',
          amountMinor: 100,
          reason: 'Bench',
          operationId: `bench:${i}`,
          expiresAt
        }
      ])
    )
  }
  await sleep(DUE_AHEAD_MS + DUE_WITHIN_MS + 3_000)
  const { rows } = await watcher.query(
    `select extract(epoch from e.created_at - added.expires_at)::float8 * 1000 as ms
       from credit_entries e join credit_entries added using (store_id, member_id)
      where e.type = 8 and added.expires_at is not null`
  )
  return rows.map((r) => r.ms)
}

try {
  const first = await startNode()
  const empty = await idle([first])
  await first.end()
  await makeIdleStores(db, { stores: STORES, subscriptions: SUBSCRIPTIONS })
  const one = await startNode()
  const alone = await idle([one])
  const late = await lateness()
  const two = await startNode()
  const together = await idle([one, two])
  await Promise.all([one.end(), two.end()])

  const rate = Math.max(
    ...[...alone.statements_per_s, ...together.statements_per_s].map(
      (n, i) => n + [...alone.begins_and_commits_per_s, ...together.begins_and_commits_per_s][i]!
    )
  )
  const latest = Math.max(...late)
  console.log(
    JSON.stringify(
      {
        bench: 'idle-stores',
        stores: STORES,
        subscriptions_each: SUBSCRIPTIONS,
        load: loadavg()[0]!.toFixed(1),
        no_stores: empty,
        one_node: alone,
        two_nodes: together,
        heap_kb_per_idle_store: Number((((alone.heap_mb[0]! - empty.heap_mb[0]!) * 1000) / STORES).toFixed(2)),
        due: late.length,
        begun_late_ms: { median: Math.round(median(late)), most: Math.round(latest) }
      },
      null,
      1
    )
  )
  process.exitCode = rate <= MAX_STATEMENTS && late.length === DUE_STORES && latest <= MAX_LATE_MS ? 0 : 1
} finally {
  await watcher.end()
  await db.close()
  await database.close()
}
