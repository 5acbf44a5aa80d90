import { directSql, instant, int, json, nullable, oneOf, type Queries, type RowOf, row, text } from '#kit/postgres'

const KINDS = ['coupon', 'credit', 'offer', 'order', 'points', 'subscription'] as const

const Entry = row({
  kind: oneOf(...KINDS),
  id: int,
  at: instant,
  /** What happened: a sentence, a reason, or the name of what it is about. */
  text: text,
  notes: nullable(text),
  /** Who did it, where that is kept. */
  actor: nullable(text),
  actorId: nullable(text),
  /** Of an entry about a subscription: what kind of entry its history has, and its details. */
  activity: nullable(text),
  details: nullable(json<Record<string, unknown>>()),
  /** What it is about: the number of the subscription, the platform's number of the order, the code of the coupon. */
  object: nullable(text),
  /** Money in minor units of `currency`. */
  amountMinor: nullable(int),
  currency: nullable(text),
  points: nullable(int),
  /** Of store credit or points, after it. */
  balanceAfter: nullable(int)
})

/** Something that happened to a customer. */
export type TimelineEntry = RowOf<typeof Entry>

/** After which entry of a timeline the next part goes on. */
export type TimelinePlace = Pick<TimelineEntry, 'at' | 'kind' | 'id'>

// A customer has few entries of each kind, which an index finds; each kind gives at most a page of what comes after the cursor.
const latest = (kind: (typeof KINDS)[number], at: string, id: string, select: string) => `
  (${select} and ${at} <= $3 and (${at}, '${kind}', ${id}) < ($3::timestamptz, $4::text, $5::bigint)
    order by ${at} desc, ${id} desc limit $6)`

const timeline = directSql<
  [storeId: number, memberId: number, at: Temporal.Instant | string, kind: string, id: number, limit: number]
>(
  'customer_timeline',
  `with people as materialized (
     select id from members where store_id = $1 and (id = $2 or merged_into = $2)),
   contracts as materialized (
     select id from subscriptions where store_id = $1 and member_id in (select id from people)
     union
     select id from subscriptions where store_id = $1 and receiver_member_id in (select id from people)),
   entries as (
     ${[
       latest(
         'subscription',
         'a.occurred_at',
         'a.id',
         `select 'subscription' as kind, a.id, a.occurred_at as at, a.text, a.notes, a.actor, a.actor_id, a.kind as activity,
          a.refs as details, a.subscription_id::text as object,
          null::bigint as amount_minor, null::text as currency, null::bigint as points, null::bigint as balance_after
            from contract_activities a where a.store_id = $1 and a.subscription_id in (select id from contracts)`
       ),
       latest(
         'credit',
         'e.created_at',
         'e.id',
         `select 'credit', e.id, e.created_at, e.reason, null, null, null, null, null, o.platform_order_id, e.amount_minor, s.currency, null, e.balance_after_minor
            from credit_entries e join stores s on s.store_id = $1 left join orders o on o.store_id = $1 and o.id = e.order_id
         where e.store_id = $1 and e.member_id in (select id from people)`
       ),
       latest(
         'points',
         'e.created_at',
         'e.id',
         `select 'points', e.id, e.created_at, e.reason, null, null, null, null, null, o.platform_order_id, null, null, e.points + e.pending_points, e.balance_after
            from points_entries e left join orders o on o.store_id = $1 and o.id = e.order_id
         where e.store_id = $1 and e.member_id in (select id from people)`
       ),
       latest(
         'order',
         'o.processed_at',
         'o.id',
         `select 'order', o.id, o.processed_at, o.name, null, null, null, null, null, o.platform_order_id, o.total_minor, o.currency, null, null
            from orders o where o.store_id = $1 and o.member_id in (select id from people)`
       ),
       latest(
         'offer',
         'f.accepted_at',
         'f.id',
         `select 'offer', f.id, f.accepted_at, f.name, null, null, null, null, null, f.subscription_id::text, null, null, null, null
            from contract_offers f where f.store_id = $1 and f.subscription_id in (select id from contracts)`
       ),
       latest(
         'coupon',
         'c.created_at',
         'c.id',
         `select 'coupon', c.id, c.created_at, c.name, null, null, null, null, null, c.code, null, null, null, null
            from loyalty_coupons c where c.store_id = $1 and c.member_id in (select id from people)`
       )
     ].join('\n union all ')})
   select * from entries order by at desc, kind desc, id desc limit $6`
)

/**
 * What happened to a customer and what they did, newest first: their subscriptions (also one that they were given), store credit, points, orders, offers and
 * coupons; of those who were merged into them too.
 */
export function listTimeline(
  direct: Queries,
  storeId: number,
  memberId: number,
  { before, limit }: { before: TimelinePlace | null; limit: number }
): Promise<TimelineEntry[]> {
  const { at, kind, id } = before ?? { at: 'infinity', kind: '', id: 0 }
  return direct.many(Entry, timeline(storeId, memberId, at, kind, id, limit))
}
