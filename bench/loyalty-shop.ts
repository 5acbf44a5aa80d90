// A store with customers, their orders and rules of loyalty, for the benches of loyalty.
import pg from 'pg'
import type { Database } from '#kit/postgres'
import { createRule, type RuleTypeName } from '#loyalty'
import { aStore } from '../test/store-builder.ts'

export const NOW = Temporal.Instant.from('2026-06-30T15:00:00Z')

/** Creates the store a month before `NOW`, so that its rules are older than its orders. */
export const aShop = (db: Database) => aStore(db, { clockAt: NOW.subtract({ hours: 24 * 30 }) })

/** What is written of what customers earn in points. */
export const EARNED_TABLES = [
  ...['loyalty_counts', 'loyalty_progress', 'loyalty_awards', 'points_accounts', 'points_entries', 'points_lots'],
  'facts'
] as const

type Shop = Awaited<ReturnType<typeof aShop>>

/** One rule of each kind that counts every order: points for purchases, a card that begins anew, and a goal. */
export const ORDER_RULES: [type: RuleTypeName, rules: object, reward: object][] = [
  ['points_for_purchases', { points_per_dollar: 2 }, { reward_type: 'points' }],
  ['punch_card', { required_purchases: 3, resets: true }, { reward_type: 'points', amount: 50 }],
  ['goal_spend', { goal_amount: 100 }, { reward_type: 'points', amount: 500 }]
]

/** Adds so many rules: those of `ORDER_RULES` in turn, the first three for every product and the others each for one product. */
export async function addRules({ inStore }: Shop, count: number): Promise<void> {
  await inStore(async (ctx) => {
    for (let i = 0; i < count; i++) {
      const [type, rules, rewardRules] = ORDER_RULES[i % ORDER_RULES.length]!
      await createRule(ctx, type, {
        ...{ name: `Rule ${i}`, description: '', rewardRules, isEnabled: true, startsOn: null, endsOn: null },
        rules: i < ORDER_RULES.length ? rules : { ...rules, product_ids: [String(900 + i)] }
      })
    }
  })
}

/**
 * Adds customers with `each` paid orders of 29.00 on days of this month, without triggers and foreign keys (which needs a superuser). Returns the
 * ids of the orders, in their order.
 */
export async function addOrders(
  client: pg.Client,
  { storeId }: Shop,
  customers: number,
  each: number
): Promise<number[]> {
  await client.query('set session_replication_role = replica')
  await client.query(
    `insert into members (store_id, id, platform_customer_id, email, created_at, updated_at) overriding system value
     select $1, n, n, 'person-' || n || '@example.com', $3, $3 from generate_series(1, $2::bigint) n`,
    [storeId, customers, NOW.toString()]
  )
  await client.query(
    `insert into orders (store_id, id, platform_order_id, member_id, name, number, currency, total_minor, subtotal_minor, tax_minor,
       discount_minor, financial_status, tags, discount_codes, source_name, lines, processed_at, platform_updated_at, created_at, updated_at)
       overriding system value
     select $1, n, n, (n - 1) / $3 + 1, '#' || n, n, 'USD', 2900, 2900, 0, 0, 'paid', '{}', '{}', 'web',
            jsonb_build_array(jsonb_build_object('id', n::text, 'productId', (900 + n % 200)::text, 'quantity', 1, 'priceMinor', 2900,
                                                 'discountMinor', 0)), t.at, t.at, t.at, t.at
       from generate_series(1, $2::bigint * $3) n
      cross join lateral (select $4::timestamptz - ($3 - (n - 1) % $3) * interval '1 day' as at) t`,
    [storeId, customers, each, NOW.toString()]
  )
  await client.query('set session_replication_role = origin')
  await client.query('vacuum analyze')
  return Array.from({ length: customers * each }, (_, i) => i + 1)
}

/** Connections that are opened from here on count their statements. */
const ask = pg.Client.prototype.query as (...args: unknown[]) => unknown
let sent = 0
pg.Client.prototype.query = function query(this: pg.Client, ...args: unknown[]) {
  sent++
  return ask.apply(this, args)
} as typeof pg.Client.prototype.query

/** How many statements this process sends while `work` runs, those that begin and end transactions too. */
export async function countStatements(work: () => Promise<unknown>): Promise<number> {
  const before = sent
  await work()
  return sent - before
}
