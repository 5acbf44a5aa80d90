import { bool, bytes, type Ctx, instant, int, nullable, type RowOf, row, sql, text } from '#kit/postgres'

const ClaimedRow = row({
  id: int,
  day: text,
  endpointId: int,
  /** The customer. */
  orderingKey: text,
  /** What it is about. */
  object: text,
  sequence: nullable(int),
  webhookId: text,
  body: text,
  isSample: bool,
  tries: int,
  triesBefore: int,
  maxTries: nullable(int),
  leaseToken: int,
  wasStarted: bool,
  /** When the try that was started then had been leased, store time. */
  startedBefore: nullable(instant)
})
export type ClaimedRow = RowOf<typeof ClaimedRow>

/** How quickly a receiver responds: not known, fast enough, slowly, or not at all. */
export const PACES = ['unknown', 'quick', 'slow', 'silent'] as const
export type Pace = (typeof PACES)[number]

/** How many to lease of one endpoint, and how many of these are taken from its retries before first tries are looked at. */
export type EndpointQuota = { pace: Pace; deliveries: number; retries: number }

/** The same for all endpoints of a pace together. Those with a higher id than `after` come first, so that they take turns. */
export type PaceQuota = { pace: Pace; deliveries: number; retries: number; after: number }

/**
 * How many to lease in a store. `elsewhere`: of each endpoint that is not in `endpoints`, and does not fail; of one that fails,
 * one. Of a pace without a quota none is leased.
 */
export type LeaseQuotas = { endpoints: Map<number, EndpointQuota>; elsewhere: number; paces: PaceQuota[] }

/**
 * Leases what is due for a minute of real time, endpoint by endpoint and within the quotas, and marks its try as started, in the
 * order in which they are to be sent. `wasStarted`: it was marked already, by a process that ended before it could record the
 * result. With
 * `listener`: for that listener only. Leases none while the store is on hold.
 */
export async function claimDueDeliveries(
  ctx: Ctx,
  leaseOwner: number,
  { endpoints, elsewhere, paces }: LeaseQuotas,
  { listener }: { listener: number | null }
): Promise<ClaimedRow[]> {
  if (ctx.isRestored) return []
  const given = [...endpoints.values()]
  return ctx.tx.many(
    ClaimedRow,
    sql`
    with paces as materialized (
      select * from unnest(${paces.map((p) => p.pace)}::text[], ${paces.map((p) => p.deliveries)}::int[],
                           ${paces.map((p) => p.retries)}::int[], ${paces.map((p) => p.after)}::bigint[])
                      as p(pace, deliveries, retries, after)),
    endpoints as materialized (
      select e.id, coalesce(g.pace, case when e.failing_since is null then 'unknown' else 'silent' end) as pace,
             coalesce(g.deliveries, case when e.failing_since is null then ${elsewhere}::int else 1 end) as deliveries,
             coalesce(g.retries, 0) as retries
        from webhook_endpoints e
        left join unnest(${[...endpoints.keys()]}::bigint[], ${given.map((g) => g.pace)}::text[],
                         ${given.map((g) => g.deliveries)}::int[], ${given.map((g) => g.retries)}::int[])
                    as g(endpoint_id, pace, deliveries, retries) on g.endpoint_id = e.id
       where e.store_id = ${ctx.storeId} and e.status = 'enabled'
         and case when ${listener}::bigint is null then e.kind = 'url' else e.id = ${listener}::bigint end),
    -- Only slow endpoints have such a quota: no other one's queue is read for them.
    retries as materialized (
      select p.pace, d.endpoint_id, d.delivery_id, d.started_at
        from paces p
       cross join lateral (
             select e.id as endpoint_id, t.delivery_id, t.started_at
               from (select id, retries from endpoints
                      where pace = p.pace and retries > 0 order by id <= p.after, id) e
              cross join lateral (
                    select o.delivery_id, o.started_at from webhook_queue o
                     where o.store_id = ${ctx.storeId} and o.endpoint_id = e.id and o.ready and o.tries > 0
                       and o.next_try_at <= ${ctx.now}
                       and (o.leased_until is null or o.leased_until < statement_timestamp())
                     order by o.next_try_at, o.delivery_id
                     limit e.retries for update skip locked) t
              limit p.retries) d),
    others as materialized (
      select d.delivery_id, d.started_at
        from paces p
       cross join lateral (
             select t.delivery_id, t.started_at
               from (select id, deliveries from endpoints
                      where pace = p.pace and deliveries > 0 order by id <= p.after, id) e
              cross join lateral (
                    select o.delivery_id, o.started_at from webhook_queue o
                     where o.store_id = ${ctx.storeId} and o.endpoint_id = e.id and o.ready and o.next_try_at <= ${ctx.now}
                       and (o.leased_until is null or o.leased_until < statement_timestamp())
                       and o.delivery_id <> all(array(select r.delivery_id from retries r where r.endpoint_id = e.id))
                     order by o.next_try_at, o.delivery_id
                     limit e.deliveries - (select count(*) from retries r where r.endpoint_id = e.id)
                       for update skip locked) t
              limit p.deliveries - (select count(*) from retries r where r.pace = p.pace)) d),
    due as materialized (
      select delivery_id, started_at from retries union all select delivery_id, started_at from others),
    claimed as (
      update webhook_queue q
         set was_started = q.started, started = true, started_at = ${ctx.now}, lease_token = q.lease_token + 1,
             lease_owner = ${leaseOwner}, leased_until = statement_timestamp() + interval '60 seconds'
       where q.store_id = ${ctx.storeId} and q.delivery_id = any(array(select delivery_id from due))
      returning q.delivery_id, q.day, q.endpoint_id, q.ordering_key, q.tries, q.tries_before, q.max_tries, q.next_try_at,
                q.lease_token, q.was_started)
    select c.delivery_id as id, c.day::text as day, c.endpoint_id, c.ordering_key, d.object, d.sequence, d.webhook_id, d.body,
           d.fact_id is null as is_sample, c.tries, c.tries_before, c.max_tries, c.lease_token, c.was_started,
           case when c.was_started then b.started_at end as started_before
      from claimed c
      join due b on b.delivery_id = c.delivery_id
     cross join lateral (
           -- The offset keeps the planner from reading a whole day to find a few. Older code writes no sequence.
           select w.webhook_id, w.body, w.fact_id, w.ordering_key as object,
                  coalesce(w.sequence, (select f.position from facts f
                                         where f.store_id = ${ctx.storeId} and f.id = w.fact_id)) as sequence
             from webhook_deliveries w
            where w.store_id = ${ctx.storeId} and w.day = c.day and w.id = c.delivery_id offset 0) d
     order by c.next_try_at, c.delivery_id`
  )
}

const TargetRow = row({
  id: int,
  url: text,
  secret: bytes,
  previousSecret: nullable(bytes),
  failing: bool,
  sandbox: bool,
  testClock: bool
})

/** Where claimed deliveries go, what signs them, and how their store keeps time. */
export function listTargets(ctx: Ctx, endpointIds: number[]) {
  return ctx.tx.many(
    TargetRow,
    sql`
    select e.id, e.url, e.secret,
           case when e.previous_secret_until > clock_timestamp() then e.previous_secret end as previous_secret,
           e.failing_since is not null as failing, s.sandbox, s.clock_at is not null as test_clock
      from webhook_endpoints e join stores s on s.store_id = e.store_id
     where e.store_id = ${ctx.storeId} and e.id = any(${endpointIds}::bigint[])`
  )
}
