import type { StoredEvent } from '#kit/dispatch'
import {
  bool,
  bytes,
  type Ctx,
  directSql,
  instant,
  int,
  nullable,
  type RowOf,
  row,
  sql,
  text,
  textList
} from '#kit/postgres'

/**
 * Enabled endpoints, held as they are until the commit: one that is disabled at the same moment either is not listed or
 * finds the new deliveries and cancels them.
 */
export function shareEnabledEndpoints(ctx: Ctx) {
  return ctx.tx.many(
    row({ id: int, events: nullable(textList) }),
    sql`
    select id, events from webhook_endpoints
     where store_id = ${ctx.storeId} and status = 'enabled' order by id for share`
  )
}

export type NewDelivery = { endpointId: number; webhookId: string; event: StoredEvent; body: string }

/** In the order given: the order of ids is the order of first tries. */
export async function insertDeliveries(ctx: Ctx, deliveries: NewDelivery[]): Promise<void> {
  await ctx.tx.run(sql`
    insert into webhook_deliveries
           (store_id, endpoint_id, event_row, webhook_id, event_type, object_key, body, next_try_at, created_at)
    select ${ctx.storeId}, d.endpoint_id, d.event_row, d.webhook_id, d.event_type, d.object_key, d.body, ${ctx.now}, ${ctx.now}
      from unnest(${deliveries.map((d) => d.endpointId)}::bigint[], ${deliveries.map((d) => d.event.id)}::bigint[],
                  ${deliveries.map((d) => d.webhookId)}::text[], ${deliveries.map((d) => d.event.type)}::text[],
                  ${deliveries.map((d) => d.event.objectKey)}::text[], ${deliveries.map((d) => d.body)}::text[])
           with ordinality as d(endpoint_id, event_row, webhook_id, event_type, object_key, body, position)
     order by d.position`)
}

const ClaimedRow = row({
  id: int,
  endpointId: int,
  webhookId: text,
  body: text,
  tries: int,
  nextTryAt: instant,
  leaseToken: int
})
export type ClaimedRow = RowOf<typeof ClaimedRow>

/**
 * Leases what is due for a minute of real time, endpoint by endpoint, at most `room` each (`roomElsewhere` where none
 * is given). A first try is due only when no earlier delivery of the same object to the same endpoint still waits for
 * its own first try. In no particular order.
 */
export function claimDueDeliveries(
  ctx: Ctx,
  leaseOwner: number,
  room: Map<number, number>,
  roomElsewhere: number
): Promise<ClaimedRow[]> {
  return ctx.tx.many(
    ClaimedRow,
    sql`
    with due as (
      select d.id
        from webhook_endpoints e
        left join unnest(${[...room.keys()]}::bigint[], ${[...room.values()]}::int[]) as r(endpoint_id, room)
               on r.endpoint_id = e.id
       cross join lateral (
             select o.id from webhook_deliveries o
              where o.store_id = e.store_id and o.endpoint_id = e.id and o.next_try_at <= ${ctx.now}
                and (o.leased_until is null or o.leased_until < clock_timestamp())
                and (o.status = 'retrying' or not exists (
                      select from webhook_deliveries w
                       where w.store_id = e.store_id and w.endpoint_id = e.id and w.object_key = o.object_key
                         and w.id < o.id and w.status = 'waiting'))
              order by o.next_try_at, o.id
              limit coalesce(r.room, ${roomElsewhere}::int)
                for update skip locked) d
       where e.store_id = ${ctx.storeId} and e.status = 'enabled')
    update webhook_deliveries d
       set lease_token = d.lease_token + 1, lease_owner = ${leaseOwner},
           leased_until = clock_timestamp() + interval '60 seconds'
      from due where d.store_id = ${ctx.storeId} and d.id = due.id
    returning d.id, d.endpoint_id, d.webhook_id, d.body, d.tries, d.next_try_at, d.lease_token`
  )
}

const TargetRow = row({ id: int, url: text, secret: bytes, sandbox: bool, testClock: bool })

/** Where claimed deliveries go, and how their store keeps time. */
export function listTargets(ctx: Ctx, endpointIds: number[]) {
  return ctx.tx.many(
    TargetRow,
    sql`
    select e.id, e.url, e.secret, s.sandbox, s.clock_at is not null as test_clock
      from webhook_endpoints e join stores s on s.store_id = e.store_id
     where e.store_id = ${ctx.storeId} and e.id = any(${endpointIds}::bigint[])`
  )
}

export type SettledTry = {
  id: number
  leaseToken: number
  tryNumber: number
  status: 'delivered' | 'retrying' | 'failed'
  nextTryAt: Temporal.Instant | null
  startedAt: Temporal.Instant
  durationMs: number
  responseCode: number | null
  failure: string | null
  responseText: string
}

/**
 * Writes finished tries, each once however often it is told: a result counts only for the lease and the number of tries
 * it was made under. A delivery that was cancelled meanwhile keeps the try, and is delivered if it got there.
 */
export async function settleTries(ctx: Ctx, tries: SettledTry[]): Promise<void> {
  await ctx.tx.run(sql`
    with results as (
      select * from unnest(
        ${tries.map((t) => t.id)}::bigint[], ${tries.map((t) => t.leaseToken)}::int[],
        ${tries.map((t) => t.tryNumber)}::int[], ${tries.map((t) => t.status)}::text[],
        ${tries.map((t) => t.nextTryAt)}::timestamptz[], ${tries.map((t) => t.startedAt)}::timestamptz[],
        ${tries.map((t) => t.durationMs)}::int[], ${tries.map((t) => t.responseCode)}::int[],
        ${tries.map((t) => t.failure)}::text[], ${tries.map((t) => t.responseText)}::text[])
        as r(id, lease_token, try_number, status, next_try_at, started_at, duration_ms, response_code, failure, response_text)),
    settled as (
      update webhook_deliveries d
         set tries = r.try_number,
             status = case when d.status = 'cancelled' and r.status <> 'delivered' then d.status else r.status end,
             next_try_at = case when d.status = 'cancelled' then null else r.next_try_at end,
             finished_at = case when r.next_try_at is null then ${ctx.now} else d.finished_at end,
             lease_owner = null, leased_until = null
        from results r
       where d.store_id = ${ctx.storeId} and d.id = r.id
         and d.lease_token = r.lease_token and d.tries = r.try_number - 1
      returning d.id)
    insert into webhook_tries
           (store_id, delivery_id, try_number, started_at, duration_ms, response_code, failure, response_text)
    select ${ctx.storeId}, r.id, r.try_number, r.started_at, r.duration_ms, r.response_code, r.failure, r.response_text
      from settled join results r on r.id = settled.id`)
}

/** Gives back what was leased and never sent. */
export async function releaseDeliveries(ctx: Ctx, deliveries: { id: number; leaseToken: number }[]): Promise<void> {
  await ctx.tx.run(sql`
    update webhook_deliveries d set lease_owner = null, leased_until = null
      from unnest(${deliveries.map((d) => d.id)}::bigint[], ${deliveries.map((d) => d.leaseToken)}::int[]) as r(id, lease_token)
     where d.store_id = ${ctx.storeId} and d.id = r.id and d.lease_token = r.lease_token`)
}

/** Leaves leases alone, so that a try under way can still tell how it went. */
export async function cancelOpenDeliveries(ctx: Ctx, endpointIds: number[]): Promise<void> {
  await ctx.tx.run(sql`
    update webhook_deliveries set status = 'cancelled', next_try_at = null, finished_at = ${ctx.now}
     where store_id = ${ctx.storeId} and endpoint_id = any(${endpointIds}::bigint[]) and next_try_at is not null`)
}

/** Of the whole store: the earliest open delivery, leased or not. */
export const nextDelivery = directSql<[storeId: number]>(
  'webhooks_next_due',
  `select d.next_try_at
     from webhook_endpoints e
    cross join lateral (
          select o.next_try_at from webhook_deliveries o
           where o.store_id = $1 and o.endpoint_id = e.id and o.next_try_at is not null
           order by o.next_try_at, o.id limit 1) d
    where e.store_id = $1 and e.status = 'enabled'
    order by d.next_try_at limit 1`
)
