import type pg from 'pg'
import type { Database } from '#kit/postgres'
import { aStore } from './store-builder.ts'

/** The rows of an idle store: past work of which nothing is due, and work that is due in an hour at the earliest. */
const HISTORY = [
  `insert into members (store_id, platform_customer_id, email, status, member_since, next_billing_at, created_at, updated_at)
   select s.store_id, n, 'person-' || n || '@example.com', 'active', now() - interval '1 year',
          now() + interval '1 hour' + n * interval '10 hours', now() - interval '1 year', now()
     from idle s, generate_series(1, $1::int) n`,
  `insert into subscriptions (store_id, member_id, platform_contract_id, platform_revision, name, status, price_minor,
     currency, interval, interval_count, anchor_at, anchor_cycle, cycle_index, next_cycle, next_billing_at, billing_due_at,
     paused_at, resumes_at, created_at, updated_at)
   select m.store_id, m.id, m.platform_customer_id, '1', 'VIP', case when p.paused then 'paused' else 'active' end, 2900,
          'USD', 'month', 1, m.member_since, 1, 12, 13, case when not p.paused then m.next_billing_at end,
          case when not p.paused then m.next_billing_at end, case when p.paused then m.created_at end,
          case when p.paused then m.next_billing_at end, m.created_at, m.updated_at
     from idle s join members m using (store_id), lateral (select m.id % 20 = 0 as paused) p`,
  `insert into billing_attempts (store_id, subscription_id, cycle_index, attempt_number, status, idempotency_key,
     amount_minor, currency, scheduled_at, created_at, completed_at)
   select x.store_id, x.id, c, 1, 'success', x.id || ':' || c, 2900, 'USD', x.anchor_at + c * interval '1 month', now(), now()
     from idle s join subscriptions x using (store_id), generate_series(9, 12) c`,
  `insert into facts (store_id, name, ordering_key, data, occurred_at, position)
   select x.store_id, 'billing.success', 'member:' || x.member_id, '{}', now() - c * interval '1 month',
          row_number() over (partition by x.store_id order by x.id, c)
     from idle s join subscriptions x using (store_id), generate_series(1, 4) c`,
  `insert into fact_consumers (store_id, consumer, position, furthest, last_position)
   select f.store_id, 'webhooks', max(f.position), max(f.position), max(f.position)
     from idle s join facts f using (store_id) group by f.store_id`,
  `insert into inbound_webhooks (store_id, webhook_id, topic, body, received_at, run_at, status)
   select x.store_id, 'idle-' || x.id, 'orders/paid', '{}', now(), now(), 'done' from idle s join subscriptions x using (store_id)`,
  `insert into credit_lots (store_id, entry_id, member_id, remaining_minor, expires_at)
   select m.store_id, m.id, m.id, 500, now() + interval '30 days' from idle s join members m using (store_id)`,
  `insert into reconciliations (store_id, kind, next_at, cursor_at)
   select store_id, kind, now() + interval '1 hour', now()
     from idle, unnest(array['webhooks', 'contracts', 'all_contracts', 'attempts', 'failed_attempts']) kind`,
  `insert into jobs (store_id, kind, dedupe_key, payload, run_at)
   select store_id, 'none', 'later', '{}', now() + interval '1 hour' from idle`,
  `insert into webhook_endpoints (store_id, url, secret, created_at, updated_at)
   select store_id, 'https://receiver.example/', '', now(), now() from idle`,
  `insert into webhook_queue (store_id, delivery_id, day, endpoint_id, ordering_key, first, ready, next_try_at)
   select store_id, id * 100 + n, now()::date, id, 'member:' || n, true, true, now() + interval '1 hour'
     from idle s join webhook_endpoints e using (store_id), generate_series(1, 10) n`,
  `insert into imports (store_id, source, mode, status, due_at, created_at, finished_at)
   select store_id, 'csv', 'live', 'done', now() + interval '30 days', now(), now() from idle`,
  `insert into reward_integrations (store_id, key, created_at, updated_at) select store_id, 'smile', now(), now() from idle`,
  `insert into reward_pulls (store_id, key, url, every_minutes, next_at)
   select store_id, 'smile', 'https://rewards.example/', 60, now() + interval '1 hour' from idle`,
  `insert into metric_changes (store_id, day, metric, amount)
   select store_id, now()::date, 'revenue', 1 from idle, generate_series(1, 100)`
]

/**
 * Creates `stores` complete live stores in real time with a history of `subscriptions` each, in which nothing is due for an hour.
 * Written by SQL without triggers and foreign keys for speed, since only due queries read it.
 */
export async function makeIdleStores(
  db: Database,
  { stores, subscriptions }: { stores: number; subscriptions: number }
): Promise<void> {
  const first = await aStore(db)
  const session: pg.Client = await db.session()
  try {
    await session.query(`reset role; set session_replication_role = replica`)
    await session.query(
      `create temporary table idle as
       with made as (
         insert into stores (domain, name, timezone, currency, rate_plan, platform_profile, platform_url,
                             platform_credentials, connected_at)
         select 'idle-' || store_id || '-' || n || '.example', name, timezone, currency, rate_plan, platform_profile,
                platform_url, platform_credentials, now()
           from stores, generate_series(1, $2::int) n where store_id = $1
         returning store_id)
       select store_id from made`,
      [first.storeId, stores]
    )
    for (const statement of HISTORY) {
      await session.query(statement, statement.includes('$1') ? [subscriptions] : [])
    }
    await session.query('drop table idle')
    await session.query('vacuum analyze')
  } finally {
    await session.end()
  }
}
