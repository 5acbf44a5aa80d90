// The analytics overview of 365 days over HTTP, in a store of 1,000,000 members and subscriptions with 800 days of data and in
// one of 10,000: the 99th percentile, and that the cost does not grow. Usage: node bench/analytics.ts
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Client } from 'undici'
import { rollUpMetrics } from '#analytics'
import { metricsConsistent } from '#analytics/audit-rules'
import { Database } from '#kit/postgres'
import { aStore, type BuiltStore } from '../test/store-builder.ts'
import { benchDatabase, median } from './database.ts'

const SIZES = { small: 10_000, large: 1_000_000 }
const DAYS = 800
const CHUNK = 100_000
const ROUNDS = 5
const REQUESTS = 200
const MANY = 4
const WANTED_MS = 50
const OVERVIEW = '/v1/analytics/overview?period=365d'
const SERVER = fileURLToPath(new URL('./read-member-server.ts', import.meta.url))

const database = await benchDatabase()
const db = new Database({ url: database.url })
let server: ChildProcess | undefined
try {
  const stores = { small: await aStore(db), large: await aStore(db) }
  const loadedMs = { small: await load(stores.small, SIZES.small), large: await load(stores.large, SIZES.large) }
  await db.session().then(async (session) => {
    // Vacuumed, like a store that was not loaded a moment ago.
    await session.query('reset role')
    await session.query('vacuum analyze')
    await session.end()
  })
  const { wrong } = await stores.small.inStore(metricsConsistent.check)
  if (wrong.length > 0) throw new Error(`The metrics are wrong: ${JSON.stringify(wrong[0])}`)

  const origin = await serve()
  const keys = { small: await stores.small.aKey(), large: await stores.large.aKey() }
  await measure(origin, keys.small, 50)
  await measure(origin, keys.large, 50)
  const taken = { small: [] as number[], large: [] as number[] }
  // One member by id, alternating with the overviews: its 99th percentile shows the effect of the machine's other load.
  const plain: number[] = []
  const medians = { small: [] as number[], large: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    plain.push(...(await measure(origin, keys.large, REQUESTS, { path: '/v1/members/mem_20000' })))
    for (const which of ['small', 'large'] as const) {
      const ms = await measure(origin, keys[which], REQUESTS)
      taken[which].push(...ms)
      medians[which].push(median(ms))
    }
  }
  const p99 = percentile(taken.large, 0.99)
  const together = await measure(origin, keys.large, ROUNDS * REQUESTS, { connections: MANY })
  console.log(
    JSON.stringify({
      bench: 'analytics',
      members: SIZES.large,
      load_s: Math.round(loadedMs.large / 1000),
      p50_ms: round(median(taken.large)),
      p99_ms: round(p99),
      wanted_p99_ms: WANTED_MS,
      p99_ms_4_connections: round(percentile(together, 0.99)),
      p99_ms_of_one_member: round(percentile(plain, 0.99)),
      p50_ms_of_10000: round(median(taken.small)),
      growth: round(median(medians.large.map((ms, i) => ms / medians.small[i]!)))
    })
  )
  process.exitCode = p99 < WANTED_MS ? 0 : 1
} finally {
  server?.kill('SIGKILL')
  await db.close()
  await database.close()
}

/** Members with a subscription and a renewal each, over all days; a tenth is cancelled, a tenth is paused. */
async function load({ storeId, inStore }: BuiltStore, size: number): Promise<number> {
  const started = performance.now()
  const session = await db.session()
  // Large loads must not be planned with the statistics of an empty table.
  const analyzed = (table: string) => session.query(`reset role; analyze ${table}; set role perennial_operator`)
  await session.query(`
    insert into plans (store_id, name, type, tier_name, price_minor, currency, interval, interval_count, platform_product_id,
      platform_variant_id, platform_selling_plan_group_id, platform_selling_plan_id, created_at, updated_at)
    select ${storeId}, 'Plan ' || n, 'vip', 'VIP', 2900, 'USD', 'month', 1, n, n, n, n, now(), now() from generate_series(1, 3) n`)
  for (let from = 0; from < size; from += CHUNK) {
    const members = `store_id = ${storeId} and platform_customer_id::int between ${from} and ${Math.min(from + CHUNK, size) - 1}`
    const subscriptions = members.replace('customer', 'contract')
    await session.query(`
      insert into members (store_id, platform_customer_id, email, status, plan_id, member_since, created_at, updated_at)
      select ${storeId}, n, 'person-' || n || '@example.com', 'active', p.id, t.at, t.at, t.at
        from generate_series(${from}, ${Math.min(from + CHUNK, size) - 1}) n
       cross join lateral (select now() - (n % ${DAYS}) * interval '1 day' as at) t
        join (select id, row_number() over (order by id) - 1 as nth from plans where store_id = ${storeId}) p on p.nth = n % 3`)
    await analyzed('members')
    await session.query(`
      insert into subscriptions (store_id, member_id, plan_id, platform_contract_id, platform_revision, name, status, price_minor,
        currency, interval, interval_count, anchor_at, anchor_cycle, cycle_index, next_cycle, created_at, updated_at)
      select store_id, id, plan_id, platform_customer_id, '1', 'Plan', 'active', 2900, 'USD', 'month', 1, created_at, 1, 1, 2,
             created_at, created_at
        from members where ${members}`)
    await analyzed('subscriptions')
    await session.query(`
      insert into billing_attempts (store_id, subscription_id, cycle_index, attempt_number, status, idempotency_key, amount_minor,
        currency, scheduled_at, error_code, created_at, completed_at)
      select store_id, id, 2, 1, case when id % 9 = 0 then 'failed' else 'success' end, 'bench-' || id, 2900, 'USD', t.at,
             case when id % 9 = 0 then 'card_declined' end, t.at, t.at
        from subscriptions cross join lateral (select least(created_at + interval '30 days', now()) as at) t
       where ${subscriptions}`)
    await session.query(`
      update subscriptions
         set status = case when id % 20 < 2 then 'cancelled' else 'paused' end,
             updated_at = least(created_at + interval '45 days', now()),
             cancelled_at = case when id % 20 < 2 then least(created_at + interval '45 days', now()) end,
             paused_at = case when id % 20 >= 2 then least(created_at + interval '45 days', now()) end,
             cancel_reason = case when id % 20 < 2 then (array['too_expensive', 'moved', 'other', 'payment_failed'])[1 + id / 20 % 4] end
       where id % 20 < 4 and ${subscriptions}`)
    await session.query(`
      with stopped as materialized (
        select member_id, status, updated_at from subscriptions where id % 20 < 4 and ${subscriptions})
      update members m set status = s.status, updated_at = s.updated_at
        from stopped s where m.store_id = ${storeId} and m.id = s.member_id`)
    await session.query(`
      insert into points_entries (store_id, member_id, points, balance_after, reason, operation_id, created_at)
      select store_id, id, 29, 29, 'bench', 'bench-' || id, created_at from members where id % 4 = 0 and ${members}`)
  }
  await session.end()
  while ((await inStore(rollUpMetrics)) > 0);
  return performance.now() - started
}

async function serve(): Promise<string> {
  const started = spawn(process.execPath, [SERVER, 'perennial', database.url], { stdio: ['ignore', 'pipe', 'inherit'] })
  server = started
  return new Promise((resolve, reject) => {
    started.stdout.once('data', (line: Buffer) => resolve(line.toString().trim()))
    started.once('exit', (code) => reject(new Error(`The server ended with ${code}`)))
  })
}

/** Milliseconds of each of `requests` responses, over connections with one request in flight each. */
async function measure(
  origin: string,
  key: string,
  requests: number,
  { connections = 1, path = OVERVIEW } = {}
): Promise<number[]> {
  const taken: number[] = []
  let left = requests
  const connection = async () => {
    const client = new Client(origin)
    while (left-- > 0) {
      const started = performance.now()
      const { statusCode, body } = await client.request({
        method: 'GET',
        path,
        headers: { authorization: `Bearer ${key}` }
      })
      const text = await body.text()
      taken.push(performance.now() - started)
      if (statusCode !== 200) throw new Error(`${statusCode}: ${text}`)
    }
    await client.close()
  }
  await Promise.all(Array.from({ length: connections }, connection))
  return taken
}

function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.ceil(sorted.length * share) - 1]!
}

function round(value: number): number {
  return Number(value.toFixed(2))
}
