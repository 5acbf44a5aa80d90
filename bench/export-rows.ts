// Rows for bench/export-pages.ts, generated in the database.
import type pg from 'pg'

const SLICE = 50_000

/**
 * Fills store 1 without triggers and foreign keys, which needs a superuser: `rows` customers with an order each, three of ten of them
 * members with a subscription and an attempt, and five entries of store credit for each customer, all of them of members. One of ten
 * subscriptions is cancelled, one of twenty orders refunded; one of 25 redemptions is hidden, with what restored it. Nothing is due to
 * be billed.
 */
export async function fillExports(client: pg.Client, rows: number): Promise<void> {
  await client.query('set session_replication_role = replica')
  await client.query(
    `insert into plans (store_id, name, type, tier_name, price_minor, currency, interval, interval_count,
       platform_product_id, platform_variant_id, platform_selling_plan_group_id, platform_selling_plan_id, created_at, updated_at)
     values (1, 'Club', 'vip', 'Gold', 2900, 'USD', 'month', 1, '1', '1', '1', '1', now(), now())`
  )
  for (let from = 0; from < rows; from += SLICE) {
    const through = Math.min(from + SLICE, rows)
    for (const statement of STATEMENTS) await client.query(statement, [from, through])
  }
  await client.query(
    `insert into member_sections (store_id, section, rows)
     select 1, id / 4096, count(*) from members where store_id = 1 and status is not null group by 2`
  )
  await client.query(
    `insert into hidden_credit_entries (store_id, entry_id, is_counted)
     select 1, h.id, true
       from (select reverses_id, array_agg(id) as ids from credit_entries
              where store_id = 1 and mark = 'order_cancelled' group by reverses_id) r
      cross join lateral unnest(r.reverses_id || r.ids) h(id)`
  )
  await client.query('set session_replication_role = origin')
  await client.query('vacuum analyze')
}

/** Each fills the rows of the customers after `$1` and through `$2`. */
const STATEMENTS = [
  `insert into members (store_id, platform_customer_id, email, first_name, last_name, country_code, province_code, status, plan_id,
     member_since, created_at, updated_at)
   select 1, 8000000 + n, 'person-' || n || '@example.com', 'Ada', 'Adler-' || n, 'US', 'NY',
          case when n % 10 < 3 then 'active' end, case when n % 10 < 3 then 1 end, case when n % 10 < 3 then at end, at, at
     from generate_series($1::bigint + 1, $2::bigint) n, lateral (select timestamptz '2024-01-01' + n * interval '1 minute' as at) t`,
  `insert into orders (store_id, platform_order_id, member_id, name, number, email, currency, total_minor, tax_minor, discount_minor,
     refunded_minor, financial_status, gateway, country_code, province, tags, discount_codes, source_name, processed_at, platform_updated_at,
     created_at, updated_at, customer_name, subtotal_minor, shipping_minor, app_id, channel, brand, coupons)
   select 1, 6000000 + id, id, '#' || id, id, email, 'USD', 2900 + id % 1000, 200, 0, 0,
          case when id % 20 = 0 then 'refunded' else 'paid' end, 'shopify_payments', 'US', 'New York', '{}', '{}', 'web', created_at, created_at,
          created_at, created_at, first_name || ' ' || last_name, 2700, 0, '580111', 'Online Store', 'Corner shop',
          case when id % 5 = 0 then '[{"code": "WELCOME", "amountMinor": 500}]'::jsonb end
     from members where store_id = 1 and id > $1 and id <= $2`,
  `insert into order_effects (store_id, order_id, seen_at, classified_at, checkout_type, order_tag, autocharge_status, changed_at)
   select 1, id, created_at, created_at, case when id % 10 < 3 then 'VIP' else 'PAYG' end, case when id % 10 < 3 then 'New-vip' else '' end,
          '', created_at
     from orders where store_id = 1 and id > $1 and id <= $2`,
  `insert into first_orders (store_id, member_id, first_at, membership_at, checkout_type, changed_at)
   select 1, member_id, processed_at, case when id % 10 < 3 then processed_at end, 'VIP', created_at
     from orders where store_id = 1 and id > $1 and id <= $2`,
  `insert into platform_refunds (store_id, platform_refund_id, order_id, amount_minor, refunded_at, revision_at, created_at, updated_at)
   select 1, id, id, 2900, created_at, created_at, created_at, created_at from orders where store_id = 1 and id > $1 and id <= $2 and id % 20 = 0`,
  `insert into subscriptions (store_id, member_id, plan_id, platform_contract_id, platform_revision, name, status, price_minor, currency,
     interval, interval_count, anchor_at, anchor_cycle, cycle_index, next_cycle, next_billing_at, billing_due_at, cancelled_at, cancel_reason,
     created_at, updated_at)
   select 1, id, 1, 9000000 + id, '1', 'Club', case when id % 30 = 0 then 'cancelled' else 'active' end, 2900, 'USD', 'month', 1, created_at,
          1, 1, 2, case when id % 30 > 0 then created_at + interval '10 years' end, case when id % 30 > 0 then created_at + interval '10 years' end,
          case when id % 30 = 0 then created_at end, case when id % 30 = 0 then 'too_expensive' end, created_at, created_at
     from members where store_id = 1 and id > $1 and id <= $2 and id % 10 < 3`,
  `insert into contract_activities (store_id, subscription_id, member_id, kind, actor, text, plan_group_name, plan_name, occurred_at, refs)
   select 1, s.id, s.member_id, k.kind, 'customer', 'It was ' || k.kind, 'Gold', 'Club', s.created_at, '{}'
     from subscriptions s, unnest(array['created', 'cancelled']) k(kind)
    where s.store_id = 1 and s.member_id > $1 and s.member_id <= $2 and (k.kind = 'created' or s.status = 'cancelled')`,
  `insert into billing_attempts (store_id, subscription_id, cycle_index, attempt_number, status, idempotency_key, amount_minor, currency,
     scheduled_at, check_at, created_at, completed_at)
   select 1, id, 1, 1, 'success', 'key-' || id, 2900, 'USD', created_at, null, created_at, created_at
     from subscriptions where store_id = 1 and member_id > $1 and member_id <= $2`,
  `insert into credit_accounts (store_id, member_id, balance_minor, entries, updated_at, charged_minor, used_minor, totalled_entries)
   select 1, id, 800, 16, updated_at, 1600, 800, 16 from members where store_id = 1 and id > $1 and id <= $2 and id % 10 < 3`,
  `insert into credit_entries (store_id, member_id, position, type, amount_minor, balance_after_minor, reason, order_id, operation_id, created_at)
   select 1, id, n, case when n % 2 = 1 then 1 else 4 end, case when n % 2 = 1 then 200 else -100 end, 100 * ((n + 1) / 2) + (n % 2) * 100,
          case when n % 2 = 1 then 'Monthly credit' else 'Redeemed on an order' end, case when n % 2 = 0 then id end, 'bench:' || id || ':' || n,
          created_at + n * interval '1 day'
     from members, generate_series(1, case id % 10 when 0 then 16 else 17 end) n
    where store_id = 1 and id > $1 and id <= $2 and id % 10 < 3`,
  `update credit_entries r set type = 5, amount_minor = 100, order_id = null, reverses_id = e.id, mark = 'order_cancelled'
     from credit_entries e
    where r.store_id = 1 and r.member_id > $1 and r.member_id <= $2 and r.member_id % 20 = 1 and r.position = 9
      and e.store_id = 1 and e.member_id = r.member_id and e.position = 8`
]
