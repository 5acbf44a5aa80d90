import type pg from 'pg'
import { rollUpMetrics } from '#analytics'
import type { Database } from '#kit/postgres'
import { rollUpTotals } from '#views'
import { ACTIVE_TAGS } from '../src/mirror/tags/wanted-tags.ts'
import { aPlan } from './plan-builder.ts'
import { aStore, type BuiltStore } from './store-builder.ts'

const CHUNK = 20_000

/** The platform id of the first contract and customer, minus one; the others follow. */
export const FIRST_NUMBER = 10_000_000

/**
 * A store whose clock is at `dueAt`, when all its `subscriptions`, one per member, are due for their second monthly cycle. Written
 * by SQL with the same rows as after a sync of that many contracts, including counts, facts and tags.
 */
export async function aDueStore(
  db: Database,
  { subscriptions, dueAt }: { subscriptions: number; dueAt: Temporal.Instant }
): Promise<BuiltStore> {
  const store = await aStore(db, { clockAt: dueAt })
  await aPlan(store, { name: 'VIP' })
  const session = await db.session()
  try {
    for (let from = 0; from < subscriptions; from += CHUNK) {
      const slice = [store.storeId, FIRST_NUMBER + from, Math.min(CHUNK, subscriptions - from)] as const
      await insertDue(session, slice, dueAt)
      await insertFacts(session, slice, dueAt)
      await insertTags(session, slice, dueAt)
      // Large loads must not be planned with the statistics of an empty table.
      await session.query(
        'reset role; analyze members; analyze subscriptions; analyze facts; set role perennial_operator'
      )
    }
  } finally {
    await session.end()
  }
  while ((await store.inStore(rollUpMetrics)) > 0);
  while ((await rollUpTotals(db)) > 0);
  return store
}

/** Store, first id minus one, count. */
type Slice = readonly [number, number, number]

async function insertDue(session: pg.Client, slice: Slice, dueAt: Temporal.Instant): Promise<void> {
  await session.query(
    `insert into members (store_id, platform_customer_id, email, status, plan_id, member_since, next_billing_at,
       created_at, updated_at)
     select p.store_id, n, 'person-' || n || '@example.com', 'active', p.id, t.at, $4::timestamptz, t.at, t.at
       from plans p, generate_series($2::bigint + 1, $2::bigint + $3::bigint) n,
            lateral (select $4::timestamptz - interval '1 month' as at) t
      where p.store_id = $1`,
    [...slice, String(dueAt)]
  )
  await session.query(
    `insert into subscriptions (store_id, member_id, plan_id, platform_contract_id, platform_revision, name, status,
       price_minor, currency, interval, interval_count, anchor_at, anchor_cycle, cycle_index, next_cycle, next_billing_at,
       billing_due_at, platform_next_billing_at, payment_method, created_at, updated_at)
     select store_id, id, plan_id, platform_customer_id, '1', 'VIP', 'active', 2900, 'USD', 'month', 1, created_at, 1, 1, 2,
            next_billing_at, next_billing_at, next_billing_at, '{"type": "card", "lastFour": "4242", "brand": "visa"}',
            created_at, created_at
       from members
      where store_id = $1 and platform_customer_id::bigint > $2::bigint
        and platform_customer_id::bigint <= $2::bigint + $3::bigint
      order by id`,
    [...slice]
  )
}

/** The facts of members and subscriptions that were created, which every consumer has handled. */
async function insertFacts(session: pg.Client, slice: Slice, dueAt: Temporal.Instant): Promise<void> {
  await session.query(
    `with last as (select coalesce(max(position), 0) as position from facts where store_id = $1)
     insert into facts (store_id, name, ordering_key, data, refs, occurred_at, position)
     select s.store_id, f.name, 'member:' || s.member_id, '{}',
            jsonb_build_object('subscriptionId', s.id, 'memberId', s.member_id), $4::timestamptz - interval '1 month', last.position + row_number() over (order by s.id, f.nth)
       from last, subscriptions s,
            unnest(array['member.created', 'subscription.created', 'subscription.activated']) with ordinality f(name, nth)
      where s.store_id = $1 and s.platform_contract_id::bigint > $2::bigint
        and s.platform_contract_id::bigint <= $2::bigint + $3::bigint`,
    [...slice, String(dueAt)]
  )
}

/** The tags of active members, which are on the platform already. */
async function insertTags(session: pg.Client, slice: Slice, dueAt: Temporal.Instant): Promise<void> {
  await session.query(
    `with owners as (
       insert into tag_owners (store_id, kind, owner_id, changed_at)
       select store_id, 'customer', id, $4::timestamptz - interval '1 month' from members
        where store_id = $1 and platform_customer_id::bigint > $2::bigint
          and platform_customer_id::bigint <= $2::bigint + $3::bigint
       returning store_id, kind, owner_id),
     wanted as (
       insert into wanted_tags (store_id, kind, owner_id, source, tag_key, tag)
       select store_id, kind, owner_id, 'membership', lower($5), $5 from owners)
     insert into known_tags (store_id, kind, owner_id, tag_key, tag, is_ours)
     select store_id, kind, owner_id, lower($5), $5, true from owners`,
    [...slice, String(dueAt), ACTIVE_TAGS.vip]
  )
}
