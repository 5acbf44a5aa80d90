// The tags of a whole store in one pass: deriving what every customer is to have, and comparing that with the platform, page by page as
// the walk does. The platform is a function; the floor is one bare SQL statement that finds the same differences in the database.
// CPU of this process and of the database's server, and the heap after collections.
// Usage: node --expose-gc bench/tag-difference.ts [how many owners]
import pg from 'pg'
import { type Ctx, Database } from '#kit/postgres'
import { isDifferent, readDifferences, type TagPlace } from '#mirror'
import { refreshCustomerTags } from '../src/mirror/tags/refresh-customer-tags.ts'
import { aPlan } from '../test/plan-builder.ts'
import { aStore } from '../test/store-builder.ts'
import { benchDatabase } from './database.ts'
import { serverCpu } from './server-cpu.ts'

const OWNERS = Number(process.argv[2] ?? 100_000)
/** As the walk has them. */
const PAGE = 200
/** One in so many lacks its tag on the platform. */
const WRONG = 100
/** The heap at the end may be so much larger than at the beginning, in MB. */
const HEAP_MB = 4
const NOW = Temporal.Instant.from('2026-02-28T15:00:00Z')
const VIP = 'SVC: VIP: Active'

let heaps: number[] = []
const { gc } = globalThis
if (!gc) throw new Error('Usage: node --expose-gc bench/tag-difference.ts [how many owners]')
const database = await benchDatabase()
const db = new Database({ url: database.url })
const client = new pg.Client({ connectionString: database.url })
await client.connect()
try {
  const databaseCpu = await serverCpu(database.url)
  const store = await aStore(db, { clockAt: NOW })
  await aPlan(store, { name: 'VIP' })
  await grow(store.storeId)

  const derive = () =>
    inPages((ctx, from) =>
      refreshCustomerTags(
        ctx,
        Array.from({ length: PAGE }, (_, i) => from + i)
      )
    )
  const first = await measured(derive, databaseCpu)
  // What the platform has and we know: the tags of all.
  await client.query(
    `insert into known_tags (store_id, kind, owner_id, tag_key, tag, is_ours)
     select store_id, kind, owner_id, tag_key, tag, true from wanted_tags where store_id = $1`,
    [store.storeId]
  )
  await client.query('update tag_owners set due_at = null where store_id = $1', [store.storeId])
  await client.query(
    'create temp table platform_tags as select owner_id, tag_key from wanted_tags where owner_id % $1 <> 0'.replace(
      '$1',
      String(WRONG)
    )
  )
  for (const table of ['wanted_tags', 'known_tags', 'tag_owners', 'platform_tags'])
    await client.query(`vacuum analyze ${table}`)

  const again = await measured(derive, databaseCpu)
  const compare = await measured(() => compareAll(store.storeId), databaseCpu)
  const floor = await measured(() => bareDifference(store.storeId), databaseCpu)
  if (compare.result !== floor.result || first.result !== OWNERS || again.result !== 0) {
    throw new Error(`Different work was done: ${JSON.stringify({ first, again, compare, floor })}`)
  }
  const per = ({ ms, serviceMs, databaseMs, heapGrowthMb }: Measured) => ({
    owners_per_s: Math.round((OWNERS / ms) * 1000),
    service_cpu_ms_per_1000: Number(((serviceMs / OWNERS) * 1000).toFixed(2)),
    database_cpu_ms_per_1000: Number(((databaseMs / OWNERS) * 1000).toFixed(2)),
    heap_growth_mb: Number(heapGrowthMb.toFixed(2))
  })
  const report = {
    bench: 'tag-difference',
    owners: OWNERS,
    different: compare.result,
    derive_first: per(first),
    derive_again: per(again),
    compare: per(compare),
    bare_sql: per(floor)
  }
  console.log(JSON.stringify(report))
  process.exitCode = Math.max(first.heapGrowthMb, again.heapGrowthMb, compare.heapGrowthMb) <= HEAP_MB ? 0 : 1

  type Measured = Awaited<ReturnType<typeof measured>>

  /** Runs `work` on one page of members after the other; returns the sum. */
  async function inPages(work: (ctx: Ctx, from: number) => Promise<number>): Promise<number> {
    let sum = 0
    for (let from = 1; from <= OWNERS; from += PAGE) {
      sum += await store.inStore((ctx) => work(ctx, from))
      mark(from)
    }
    return sum
  }
} finally {
  await client.end()
  await db.close()
  await database.close()
}

/** Notes the heap ten times in a pass, after a collection. */
function mark(from: number): void {
  if ((from - 1) % (OWNERS / 10) >= PAGE) return
  gc!()
  heaps.push(process.memoryUsage().heapUsed / 1e6)
}

async function measured(work: () => Promise<number>, databaseCpu: () => number) {
  heaps = []
  const before = { cpu: process.cpuUsage(), database: databaseCpu(), at: performance.now() }
  const result = await work()
  const ms = performance.now() - before.at
  const { user, system } = process.cpuUsage(before.cpu)
  const databaseMs = databaseCpu() - before.database
  // The first of them warms up.
  const heapGrowthMb = heaps.length > 2 ? heaps.at(-1)! - heaps[1]! : 0
  return { result, ms, serviceMs: (user + system) / 1000, databaseMs, heapGrowthMb }
}

/** Compares all owners as the walk does, and returns how many differ. */
async function compareAll(storeId: number): Promise<number> {
  let [different, compared] = [0, 0]
  let place: TagPlace = { kind: 'customer', afterId: 0 }
  while (place !== null) {
    const read: Awaited<ReturnType<typeof readDifferences>> = await readDifferences(
      db,
      storeId,
      { ...place, limit: PAGE },
      async (_, ids) => ({
        ok: true,
        value: new Map(ids.map((id) => [id, Number(id) % WRONG === 0 ? ['gold'] : ['gold', VIP]]))
      })
    )
    if (!read.ok) throw new Error(read.failure.message)
    different += read.value.owners.filter(isDifferent).length
    mark(compared + 1)
    compared += read.value.owners.length
    place = read.value.next
  }
  return different
}

/** The same in one statement without pages, rows or types, with the platform's tags in a table. */
async function bareDifference(storeId: number): Promise<number> {
  const { rows } = await client.query(
    `select count(*) as count from (
       select owner_id, tag_key from wanted_tags where store_id = $1 and kind = 'customer'
       except select owner_id, tag_key from platform_tags) as missing`,
    [storeId]
  )
  return Number(rows[0].count)
}

/** Members with an active VIP membership each, without triggers and foreign keys (which needs a superuser). */
async function grow(storeId: number): Promise<void> {
  await client.query('set session_replication_role = replica')
  const given = [storeId, OWNERS, String(NOW)]
  await client.query(
    `insert into members (store_id, id, platform_customer_id, email, status, member_since, created_at, updated_at)
       overriding system value
     select $1, n, n, 'person-' || n || '@example.com', 'active', $3::timestamptz, $3::timestamptz, $3::timestamptz
       from generate_series(1, $2::bigint) n`,
    given
  )
  await client.query(
    `insert into subscriptions (store_id, id, member_id, plan_id, platform_contract_id, platform_revision, name, status, price_minor,
       currency, interval, interval_count, anchor_at, anchor_cycle, cycle_index, next_cycle, next_billing_at, billing_due_at,
       created_at, updated_at) overriding system value
     select $1, n, n, (select id from plans where store_id = $1), n, '1', 'VIP', 'active', 2900, 'USD', 'month', 1, $3::timestamptz,
            1, 1, 2, t.due, t.due, $3::timestamptz, $3::timestamptz
       from generate_series(1, $2::bigint) n, lateral (select $3::timestamptz + interval '1 month' as due) t`,
    given
  )
  await client.query('set session_replication_role = origin')
  await client.query('vacuum analyze members')
  await client.query('vacuum analyze subscriptions')
}
