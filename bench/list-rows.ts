// Rows for bench/list-pages.ts, generated in the database.
import type pg from 'pg'
import { FIRST_AT } from './list-cases.ts'

const SLICE = 100_000

/** Platform ids of customers are unique. */
let inserted = 0

/**
 * Fills the three lists of store 1 without triggers and foreign keys (which needs a superuser); the maintained counts must be
 * rebuilt afterwards. Of 100 subscriptions 80 are active, 2 paused, 18 ended; three plans; 95 of 100 attempts are successful.
 */
export async function fillLists(client: pg.Client, rows: number): Promise<void> {
  await client.query('set session_replication_role = replica')
  await client.query(
    `insert into plans (store_id, name, type, tier_name, price_minor, currency, interval, interval_count,
       platform_product_id, platform_variant_id, platform_selling_plan_group_id, platform_selling_plan_id, created_at, updated_at)
     select 1, 'Plan ' || n, 'vip', 'Gold', 2900, 'USD', 'month', 1, n, n, n, n, now(), now() from generate_series(1, 3) n`
  )
  for (let from = 0; from < rows; from += SLICE) {
    const howMany = Math.min(SLICE, rows - from)
    await insertMembers(client, from, howMany)
    await client.query(
      `insert into subscriptions (store_id, member_id, plan_id, platform_contract_id, platform_revision, name, status,
         price_minor, currency, interval, interval_count, anchor_at, anchor_cycle, cycle_index, next_cycle, next_billing_at,
         billing_due_at, paused_at, cancelled_at, cancel_reason, created_at, updated_at)
       select 1, id, plan_id, platform_customer_id, '1', 'Plan ' || plan_id,
              case when status = 'cancelled' then (array['cancelled', 'failed', 'expired'])[1 + id % 3] else status end,
              2900, 'USD', 'month', 1, created_at, 1, 1, 2, case when status = 'active' then next_billing_at end,
              case when status = 'active' then next_billing_at end, case when status = 'paused' then next_billing_at end,
              case when status = 'cancelled' then next_billing_at end, case when status = 'cancelled' then 'other' end,
              created_at, created_at
         from members where store_id = 1 and id > $1 and id <= $1 + $2`,
      [from, howMany]
    )
    await client.query(
      `insert into billing_attempts (store_id, subscription_id, cycle_index, attempt_number, status, idempotency_key,
         amount_minor, currency, scheduled_at, check_at, error_code, error_message, decline_code, payment_method, created_at,
         completed_at)
       select 1, id, 1, 1, case when id % 20 = 0 then 'failed' else 'success' end, 'key-' || id, 2900, 'USD', created_at,
              null, case when id % 20 = 0 then 'card_declined' end, case when id % 20 = 0 then 'Declined' end,
              case when id % 20 = 0 then 'do_not_honor' end, '{"type": "card", "lastFour": "4242", "brand": "Visa"}',
              created_at, created_at
         from subscriptions where store_id = 1 and id > $1 and id <= $1 + $2`,
      [from, howMany]
    )
  }
  await client.query('set session_replication_role = origin')
}

/** Members numbered from `from` + 1. */
export async function insertMembers(client: pg.Client, from: number, howMany: number): Promise<void> {
  await client.query(
    `insert into members (store_id, platform_customer_id, email, first_name, last_name, status, plan_id, birth_date,
       member_since, next_billing_at, created_at, updated_at)
     select 1, 1000000 + $4::bigint + n, 'person-' || n || '@example.com', 'Ada', 'Adler',
            case when n % 100 < 80 then 'active' when n % 100 < 82 then 'paused' else 'cancelled' end, 1 + n % 3,
            '1990-01-31', at, at + interval '1 month', at, at
       from generate_series($1::bigint + 1, $1::bigint + $2::bigint) n,
            lateral (select $3::timestamptz + n * interval '3 minutes' as at) t`,
    [from, howMany, FIRST_AT, inserted - from]
  )
  inserted += howMany
}
