import { dueQuery, type LeaseRelease } from '#kit/engines'
import { bool, bytes, type Ctx, directSql, instant, int, nullable, type RowOf, row, sql, text } from '#kit/postgres'

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

/** How many to lease of one endpoint, and how many of these are taken from its retries before first tries are looked at. */
export type Room = { room: number; retryRoom: number }

/**
 * Leases what is due for a minute of real time, endpoint by endpoint, at most as many as there is `room` (`roomElsewhere` where
 * none is given), and marks its try as started, in the order in which they are to be sent. `wasStarted`: it was marked already,
 * by a process that ended before it could record the result. With `listener`: for that listener only. Leases none while the store is
 * on hold.
 */
export async function claimDueDeliveries(
  ctx: Ctx,
  leaseOwner: number,
  {
    rooms,
    roomElsewhere,
    listener = null
  }: { rooms: Map<number, Room>; roomElsewhere: number; listener?: number | null }
): Promise<ClaimedRow[]> {
  if (ctx.isRestored) return []
  const given = [...rooms.values()]
  return ctx.tx.many(
    ClaimedRow,
    sql`
    with places as materialized (
      select e.id as endpoint_id, coalesce(r.room, ${roomElsewhere}::int) as room, coalesce(r.retry_room, 0) as retry_room
        from webhook_endpoints e
        left join unnest(${[...rooms.keys()]}::bigint[], ${given.map((r) => r.room)}::int[],
                         ${given.map((r) => r.retryRoom)}::int[]) as r(endpoint_id, room, retry_room)
               on r.endpoint_id = e.id
       where e.store_id = ${ctx.storeId} and e.status = 'enabled'
         and case when ${listener}::bigint is null then e.kind = 'url' else e.id = ${listener}::bigint end),
    -- Only slow endpoints have such places: no other one's queue is read for them.
    retries as materialized (
      select p.endpoint_id, d.delivery_id, d.started_at
        from places p
       cross join lateral (
             select o.delivery_id, o.started_at from webhook_queue o
              where o.store_id = ${ctx.storeId} and o.endpoint_id = p.endpoint_id and o.ready and o.tries > 0
                and o.next_try_at <= ${ctx.now} and (o.leased_until is null or o.leased_until < statement_timestamp())
              order by o.next_try_at, o.delivery_id
              limit p.retry_room for update skip locked) d
       where p.retry_room > 0),
    others as materialized (
      select d.delivery_id, d.started_at
        from places p
       cross join lateral (
             select o.delivery_id, o.started_at from webhook_queue o
              where o.store_id = ${ctx.storeId} and o.endpoint_id = p.endpoint_id and o.ready and o.next_try_at <= ${ctx.now}
                and (o.leased_until is null or o.leased_until < statement_timestamp())
                and o.delivery_id <> all(array(select t.delivery_id from retries t where t.endpoint_id = p.endpoint_id))
              order by o.next_try_at, o.delivery_id
              limit p.room - (select count(*) from retries t where t.endpoint_id = p.endpoint_id)
                for update skip locked) d),
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

export type SettledTry = {
  id: number
  day: string
  leaseToken: number
  tryNumber: number
  /** Null: it was the last one. */
  nextTryAt: Temporal.Instant | null
  startedAtMs: number
  durationMs: number
  responseCode: number | null
  failure: string | null
  responseText: string
}

/**
 * Writes finished tries, each once however often it is reported: a result counts only for the lease and the number of tries
 * it was made under. Returns the deliveries of those that counted. Endpoints that responded are no longer failing. Keys are
 * given as arrays, since a join on them may be planned as a scan of all rows of the store.
 */
export async function settleTries(
  ctx: Ctx,
  tries: SettledTry[],
  { answering }: { answering: number[] }
): Promise<Set<number>> {
  const settled = await ctx.tx.many(
    row({ deliveryId: int }),
    sql`
    with results as (
      select * from unnest(
        ${tries.map((t) => t.id)}::bigint[], ${tries.map((t) => t.leaseToken)}::int[],
        ${tries.map((t) => t.tryNumber)}::int[], ${tries.map((t) => t.nextTryAt)}::timestamptz[],
        ${tries.map((t) => t.startedAtMs)}::float8[], ${tries.map((t) => t.durationMs)}::int[],
        ${tries.map((t) => t.responseCode)}::int[], ${tries.map((t) => t.failure)}::text[],
        ${tries.map((t) => t.responseText)}::text[])
        as r(id, lease_token, try_number, next_try_at, started_at_ms, duration_ms, response_code, failure, response_text)),
    -- In the order of ids, in which insertDeliveries locks too.
    open as materialized (
      select q.day, r.*
        from (select * from results order by id) r
       cross join lateral (
             select day, tries, lease_token from webhook_queue
              where store_id = ${ctx.storeId} and delivery_id = r.id offset 0 for update) q
       where q.lease_token = r.lease_token and q.tries = r.try_number - 1),
    left_queue as (
      delete from webhook_queue
       where store_id = ${ctx.storeId} and delivery_id = any(array(select id from open where next_try_at is null))),
    waits_again as (
      update webhook_queue q
         set tries = r.try_number, next_try_at = r.next_try_at, first = q.first and r.failure = 'interrupted', started = false,
             started_at = null, lease_owner = null, leased_until = null
        from open r
       where q.store_id = ${ctx.storeId} and q.delivery_id = any(array(select id from open where next_try_at is not null))
         and q.delivery_id = r.id),
    undelivered_status as (
      update webhook_deliveries
         set undelivered_status = 'failed', undelivered_at = ${ctx.now}
       where store_id = ${ctx.storeId} and day = any(array(select day from open where next_try_at is null and failure is not null))
         and id = any(array(select id from open where next_try_at is null and failure is not null))),
    well as (
      update webhook_endpoints set failing_since = null, failed_deliveries = 0, warn_at = null
       where store_id = ${ctx.storeId} and id = any(${answering}::bigint[]) and failing_since is not null)
    insert into webhook_tries
           (store_id, day, delivery_id, try_number, started_at, duration_ms, response_code, failure, response_text)
    select ${ctx.storeId}, day, id, try_number, to_timestamp(started_at_ms / 1000), duration_ms, response_code, failure,
           response_text
      from open
    returning delivery_id`
  )
  return new Set(settled.map((s) => s.deliveryId))
}

/** A delivery that was cancelled while its try was under way keeps the try, and is delivered if the try succeeded. */
export async function insertLateTries(ctx: Ctx, tries: SettledTry[]): Promise<void> {
  await ctx.tx.run(sql`
    with results as (
      select * from unnest(
        ${tries.map((t) => t.id)}::bigint[], ${tries.map((t) => t.day)}::date[],
        ${tries.map((t) => t.tryNumber)}::int[], ${tries.map((t) => t.startedAtMs)}::float8[],
        ${tries.map((t) => t.durationMs)}::int[], ${tries.map((t) => t.responseCode)}::int[],
        ${tries.map((t) => t.failure)}::text[], ${tries.map((t) => t.responseText)}::text[])
        as r(id, day, try_number, started_at_ms, duration_ms, response_code, failure, response_text)),
    kept as (
      insert into webhook_tries
             (store_id, day, delivery_id, try_number, started_at, duration_ms, response_code, failure, response_text)
      select ${ctx.storeId}, r.day, r.id, r.try_number, to_timestamp(r.started_at_ms / 1000), r.duration_ms,
             r.response_code, r.failure, r.response_text
        from results r
       cross join lateral (
             select from webhook_deliveries
              where store_id = ${ctx.storeId} and day = r.day and id = r.id and undelivered_status = 'cancelled' offset 0 for update) d
      on conflict do nothing
      returning delivery_id, failure)
    update webhook_deliveries d set undelivered_status = null, undelivered_at = null
      from kept k
     where d.store_id = ${ctx.storeId} and d.day = any(${tries.map((t) => t.day)}::date[])
       and d.id = any(${tries.map((t) => t.id)}::bigint[]) and d.id = k.delivery_id and k.failure is null`)
}

/**
 * Makes the next delivery of each of these ordering keys ready. A statement of its own after settling: it must see what was
 * added by a transaction that settling waited for.
 */
export async function releaseNextInOrder(
  ctx: Ctx,
  lines: { endpointId: number; orderingKey: string }[]
): Promise<void> {
  await ctx.tx.run(sql`
    update webhook_queue set ready = true
     where store_id = ${ctx.storeId} and delivery_id = any(array(
           select n.delivery_id
             from unnest(${lines.map((l) => l.endpointId)}::bigint[], ${lines.map((l) => l.orderingKey)}::text[])
                  as l(endpoint_id, ordering_key)
            cross join lateral (
                  select b.delivery_id from webhook_queue b
                   where b.store_id = ${ctx.storeId} and b.endpoint_id = l.endpoint_id and b.ordering_key = l.ordering_key
                     and not b.ready
                   order by b.delivery_id limit 1) n
            where not exists (
                  select from webhook_queue e
                   where e.store_id = ${ctx.storeId} and e.endpoint_id = l.endpoint_id and e.ordering_key = l.ordering_key
                     and e.first and e.delivery_id < n.delivery_id)))`)
}

/** Releases what was leased and never sent: its try did not start. */
export async function releaseDeliveries(ctx: Ctx, deliveries: { id: number; leaseToken: number }[]): Promise<void> {
  await ctx.tx.run(sql`
    update webhook_queue q set started = false, started_at = null, lease_owner = null, leased_until = null
      from unnest(${deliveries.map((d) => d.id)}::bigint[], ${deliveries.map((d) => d.leaseToken)}::int[])
           as r(id, lease_token)
     where q.store_id = ${ctx.storeId} and q.delivery_id = r.id and q.lease_token = r.lease_token`)
}

/**
 * Cancels open deliveries. The result of a try under way is still recorded. Without nested loops: for a store that the statistics
 * do not know the planner would read all of its day once for each row.
 */
export async function cancelOpenDeliveries(ctx: Ctx, endpointIds: number[]): Promise<void> {
  await ctx.tx.run(sql`set local enable_nestloop = off`)
  await ctx.tx.run(sql`
    with open as (
      delete from webhook_queue
       where store_id = ${ctx.storeId} and endpoint_id = any(${endpointIds}::bigint[]) returning delivery_id, day)
    update webhook_deliveries d set undelivered_status = 'cancelled', undelivered_at = ${ctx.now}
      from open
     where d.store_id = ${ctx.storeId} and d.day = any(array(select distinct day from open))
       and d.day = open.day and d.id = open.delivery_id`)
  await ctx.tx.run(sql`set local enable_nestloop = on`)
}

/** In two steps, so that the queue is looked up by store, endpoint and time: retries that wait for later are not read. */
export const dueDeliveries = dueQuery(
  'webhooks_due',
  `with e as materialized (
     select e.store_id, e.id, s.until
       from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
       join webhook_endpoints e on e.store_id = s.store_id and e.status = 'enabled' and e.kind = 'url')
   select q.store_id, min(q.next_try_at) as due_at
     from e join webhook_queue q on q.store_id = e.store_id and q.endpoint_id = e.id and q.ready and q.next_try_at <= e.until
    where q.leased_until is null or q.leased_until < statement_timestamp()
    group by q.store_id`
)

/** Of the whole store: the earliest delivery that we are to send, leased or not. */
export const nextDelivery = directSql<[storeId: number]>(
  'webhooks_next_due',
  `select d.next_try_at
     from webhook_endpoints e
    cross join lateral (
          select o.next_try_at from webhook_queue o
           where o.store_id = $1 and o.endpoint_id = e.id and o.ready
           order by o.next_try_at, o.delivery_id limit 1) d
    where e.store_id = $1 and e.status = 'enabled' and e.kind = 'url'
    order by d.next_try_at limit 1`
)

/** Releases what these nodes have leased, in all stores. */
export const releaseLeasedDeliveries: LeaseRelease = (owners) => sql`
  update webhook_queue set lease_owner = null, leased_until = null where lease_owner = any(${owners}::bigint[])`
