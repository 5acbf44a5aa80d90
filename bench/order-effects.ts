// What follows from orders, from their facts to the rows: the contracts they belong to, their kind, their tags, and when their customers
// ordered first. Signups, renewals and plain orders of members; then the same facts again, which write nothing. CPU of this process and
// of the database's server per order, and the rate, against a bare client that inserts the same rows in batches.
// Usage: node bench/order-effects.ts [orders]
import pg from 'pg'
import { createFactEngines } from '#kit/outbox'
import { Database } from '#kit/postgres'
import { orderEffectsConsumer } from '#order-effects'
import { aPlan } from '../test/plan-builder.ts'
import { aStore } from '../test/store-builder.ts'
import { analyzeAsServed } from './analyze-as-served.ts'
import { bareInsert } from './bare-insert.ts'
import { cpuMeter, perOne } from './cpu-meter.ts'
import { benchDatabase } from './database.ts'
import { rowVersions } from './row-versions.ts'

/** Of each member: a signup, two renewals and two orders besides. */
const ORDERS_EACH = 5
const MEMBERS = Math.floor(Number(process.argv[2] ?? 50_000) / ORDERS_EACH)
const ORDERS = MEMBERS * ORDERS_EACH
const BATCH = 200
const NOW = '2026-06-30T15:00:00Z'
const TABLES = ['order_links', 'order_effects', 'first_orders', 'tag_owners', 'wanted_tags'] as const

const database = await benchDatabase()
const db = new Database({ url: database.url })
const client = new pg.Client({ connectionString: database.url })
await client.connect()
const analyzing = analyzeAsServed(db)
try {
  const meter = await cpuMeter(database.url)
  const measured = async (work: () => Promise<void>) => perOne(await meter(work), ORDERS)
  const store = await aStore(db, { clockAt: Temporal.Instant.from(NOW) })
  await aPlan(store, { name: 'Gold' })
  await grow(store.storeId)
  const engines = createFactEngines({ db, consumers: [orderEffectsConsumer] })
  const follow = async () => {
    for (const engine of engines) while ((await engine.runOnce(store.storeId)) > 0);
  }

  await report(store.storeId)
  const first = await measured(follow)
  const derived = await rowVersions(client, TABLES, store.storeId)
  await report(store.storeId)
  const again = await measured(follow)
  const { rows } = await client.query(
    `select order_tag, count(*)::int as n from order_effects where store_id = $1 and due_at is null group by 1 order by 1`,
    [store.storeId]
  )
  const kinds = rows.map(({ order_tag, n }) => `${order_tag}: ${n}`).join(', ')
  if (kinds !== `: ${2 * MEMBERS}, New-vip: ${MEMBERS}, recharge: ${2 * MEMBERS}`) throw new Error(`Kinds: ${kinds}`)
  const derivedAgain = await rowVersions(client, TABLES, store.storeId)
  if (derivedAgain !== derived) throw new Error(`The same facts again wrote: ${derived}, then ${derivedAgain}`)
  const { copyNew } = await bareInsert(client, { tables: TABLES, storeId: store.storeId, batch: BATCH })
  const bare = await measured(await copyNew())
  console.log(
    JSON.stringify({
      bench: 'order-effects',
      orders: ORDERS,
      first,
      again,
      bare,
      ratio: Number((first.per_s / bare.per_s).toFixed(3))
    })
  )
} finally {
  await analyzing.stop()
  await client.end()
  await db.close()
  await database.close()
}

/** A fact about each order. */
async function report(storeId: number): Promise<void> {
  await client.query(
    `insert into facts (store_id, name, ordering_key, data, refs, occurred_at)
     select store_id, 'order.recorded', 'member:' || member_id, '{}', jsonb_build_object('orderId', id, 'memberId', member_id), $2
       from orders where store_id = $1 order by id`,
    [storeId, NOW]
  )
  await client.query('vacuum analyze facts')
}

/** Members with a membership since January, without triggers and foreign keys (which needs a superuser). */
async function grow(storeId: number): Promise<void> {
  await client.query('set session_replication_role = replica')
  await client.query(
    `insert into members (store_id, id, platform_customer_id, email, status, member_since, created_at, updated_at)
       overriding system value
     select $1, n, n, 'person-' || n || '@example.com', 'active', t.at, t.at, t.at
       from generate_series(1, $2::bigint) n, (select timestamptz '2026-01-15T15:00:00Z' as at) t`,
    [storeId, MEMBERS]
  )
  await client.query(
    `insert into orders (store_id, id, platform_order_id, member_id, name, number, currency, total_minor, tax_minor, discount_minor,
       financial_status, tags, discount_codes, source_name, lines, processed_at, platform_updated_at, created_at, updated_at)
       overriding system value
     select $1, n, n, (n - 1) / $3 + 1, '#' || n, n, 'USD', 2900, 0, 0, 'PAID', '{}', '{}',
            case when nth in (1, 2) then 'subscription_contract_checkout_one' else 'web' end,
            jsonb_build_array(jsonb_build_object('sellingPlanId', case when nth < 3 then '1' end, 'contractId', null)),
            t.at, t.at, t.at, t.at
       from generate_series(1, $2::bigint) n
      cross join lateral (select (n - 1) % $3 as nth) k
      cross join lateral (select timestamptz '2026-01-15T15:00:00Z' + nth * interval '1 month' as at) t`,
    [storeId, ORDERS, ORDERS_EACH]
  )
  await client.query(
    `insert into subscriptions (store_id, id, member_id, plan_id, platform_contract_id, platform_revision, name, status, price_minor,
       currency, interval, interval_count, anchor_at, anchor_cycle, cycle_index, next_cycle, next_billing_at, billing_due_at,
       origin_order_id, created_at, updated_at) overriding system value
     select $1, n, n, (select id from plans where store_id = $1), n, '1', 'Gold', 'active', 2900, 'USD', 'month', 1, t.at, 1, 3, 4,
            t.due, t.due, (n - 1) * $3 + 1, t.at, t.at
       from generate_series(1, $2::bigint) n,
            (select timestamptz '2026-01-15T15:00:00Z' as at, timestamptz '2026-07-15T15:00:00Z' as due) t`,
    [storeId, MEMBERS, ORDERS_EACH]
  )
  await client.query(
    `insert into billing_attempts (store_id, subscription_id, plan_id, cycle_index, cycle_at, attempt_number, status, idempotency_key,
       amount_minor, currency, scheduled_at, submitted_at, platform_attempt_id, order_id, created_at, completed_at)
     select $1, n, (select id from plans where store_id = $1), 1 + k, t.at, 1, 'success', 'key-' || n || '-' || k, 2900, 'USD', t.at, t.at,
            n || '-' || k, (n - 1) * $3 + 1 + k, t.at, t.at
       from generate_series(1, $2::bigint) n, generate_series(1, 2) k
      cross join lateral (select timestamptz '2026-01-15T15:00:00Z' + k * interval '1 month' as at) t`,
    [storeId, MEMBERS, ORDERS_EACH]
  )
  await client.query('set session_replication_role = origin')
  await client.query('vacuum analyze')
}
