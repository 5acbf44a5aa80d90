// What an operator adds to the queue: samples, and deliveries that are sent again.
import { bool, type Ctx, day, int, nullable, oneOf, row, sql, text } from '#kit/postgres'
import { SAMPLE_OBJECT } from '../delivery/delivery.ts'

/**
 * Whether an endpoint is enabled, locked until the commit: a transaction that disables it at the same moment either is seen
 * here or finds the new row in the queue and cancels it. Null when it never existed.
 */
export function lockEndpointShared(ctx: Ctx, id: number) {
  return ctx.tx.maybeOne(
    row({ status: oneOf('enabled', 'disabled'), disabledReason: nullable(text), deleted: bool, listens: bool }),
    sql`
    select status, disabled_reason, deleted_at is not null as deleted,
           listening_until is null or listening_until > clock_timestamp() as listens
      from webhook_endpoints where store_id = ${ctx.storeId} and id = ${id} for key share`
  )
}

/** The enabled endpoints of the store, or the one given if it is enabled; locked as above, in the order of ids. */
export async function lockOpenEndpointsShared(ctx: Ctx, onlyId: number | null): Promise<number[]> {
  const open = await ctx.tx.many(
    row({ id: int }),
    sql`
    select id from webhook_endpoints
     where store_id = ${ctx.storeId} and (${onlyId}::bigint is null or id = ${onlyId}) and status = 'enabled'
       and (listening_until is null or listening_until > clock_timestamp())
     order by id for key share`
  )
  return open.map(({ id }) => id)
}

/** Samples of one type. Each is tried once, at once, without waiting for other deliveries. */
export async function insertSamples(
  ctx: Ctx,
  eventType: string,
  samples: { endpointId: number; webhookId: string; body: string }[]
): Promise<void> {
  await ctx.tx.run(sql`
    with made as (
      insert into webhook_deliveries (store_id, day, endpoint_id, webhook_id, event_type, ordering_key, body, created_at)
      select ${ctx.storeId}, (clock_timestamp() at time zone 'UTC')::date, s.endpoint_id, s.webhook_id, ${eventType},
             ${SAMPLE_OBJECT}, s.body, ${ctx.now}
        from unnest(${samples.map((s) => s.endpointId)}::bigint[], ${samples.map((s) => s.webhookId)}::text[],
                    ${samples.map((s) => s.body)}::text[]) as s(endpoint_id, webhook_id, body)
      returning id, day, endpoint_id),
    counted as (
      insert into webhook_delivery_counts (store_id, endpoint_id, day, deliveries)
      select ${ctx.storeId}, endpoint_id, day, count(*) from made group by endpoint_id, day order by endpoint_id, day
      on conflict (store_id, endpoint_id, day) do update
        set deliveries = webhook_delivery_counts.deliveries + excluded.deliveries)
    insert into webhook_queue (store_id, delivery_id, day, endpoint_id, ordering_key, max_tries, first, ready, next_try_at)
    select ${ctx.storeId}, id, day, endpoint_id, ${SAMPLE_OBJECT}, 1, false, true, ${ctx.now} from made
    returning delivery_id`)
}

/** Makes an open delivery due now, unless it is being sent or waits for an earlier one. Returns whether it is open. */
export async function expediteDelivery(ctx: Ctx, deliveryId: number): Promise<boolean> {
  const found = await ctx.tx.maybeOne(
    row({ ready: bool, leased: bool }),
    sql`
    select ready, coalesce(leased_until > clock_timestamp(), false) as leased
      from webhook_queue where store_id = ${ctx.storeId} and delivery_id = ${deliveryId} for update`
  )
  if (found?.ready && !found.leased) {
    await ctx.tx.run(sql`
      update webhook_queue set next_try_at = least(next_try_at, ${ctx.now})
       where store_id = ${ctx.storeId} and delivery_id = ${deliveryId}`)
  }
  return found !== null
}

/** Locked until the commit, so that a late result is recorded before they are opened again or not at all. */
export async function lockDelivery(ctx: Ctx, { day, id }: { day: Temporal.PlainDate; id: number }): Promise<void> {
  await ctx.tx.run(sql`
    select from webhook_deliveries
     where store_id = ${ctx.storeId} and day = ${day} and id = ${id} for update`)
}

/** The next undelivered ones of these endpoints, oldest first, from `after` on; without samples. Locked as above. */
export function lockUndelivered(
  ctx: Ctx,
  wanted: {
    endpointIds: number[]
    since: Temporal.Instant
    after: { day: Temporal.PlainDate; id: number }
    limit: number
  }
) {
  return ctx.tx.many(
    row({ day, id: int }),
    sql`
    select day, id from webhook_deliveries
     where store_id = ${ctx.storeId} and undelivered_status is not null and fact_id is not null
       and undelivered_at >= ${wanted.since} and endpoint_id = any(${wanted.endpointIds}::bigint[])
       and day >= ${wanted.after.day}::date and (day, id) > (${wanted.after.day}::date, ${wanted.after.id}::bigint)
     order by day, id limit ${wanted.limit} for update`
  )
}

/** How many of these endpoints' deliveries `lockUndelivered` would find. */
export async function countSendable(
  ctx: Ctx,
  { endpointIds, since }: { endpointIds: number[]; since: Temporal.Instant }
): Promise<number> {
  const { count } = await ctx.tx.one(
    row({ count: int }),
    sql`
    select count(*) as count from webhook_deliveries
     where store_id = ${ctx.storeId} and undelivered_status is not null and fact_id is not null
       and undelivered_at >= ${since} and endpoint_id = any(${endpointIds}::bigint[])`
  )
  return count
}

/**
 * Opens finished deliveries again, which the caller has locked: a new round of the schedule, without order. Returns how many
 * were finished. The lease counter begins at a random number, so that an earlier result does not match it.
 */
export function reopenDeliveries(ctx: Ctx, held: { day: Temporal.PlainDate; id: number }[]): Promise<number> {
  const days = [...new Set(held.map((d) => String(d.day)))]
  const ids = held.map((d) => d.id)
  return ctx.tx.run(sql`
    with reopened as (
      update webhook_deliveries set undelivered_status = null, undelivered_at = null
       where store_id = ${ctx.storeId} and day = any(${days}::date[]) and id = any(${ids}::bigint[]) and undelivered_status is not null)
    insert into webhook_queue
           (store_id, delivery_id, day, endpoint_id, ordering_key, tries, tries_before, max_tries, first, ready, next_try_at,
            lease_token)
    select ${ctx.storeId}, o.id, o.day, o.endpoint_id, o.ordering_key, o.tries, o.tries, o.max_tries, false, true, ${ctx.now},
           (random() * 1000000000)::int
      from (select d.id, d.day, d.endpoint_id, d.ordering_key, t.tries,
                   case when d.fact_id is null or e.kind = 'listener' then 1 end as max_tries
              from webhook_deliveries d
              join webhook_endpoints e on e.store_id = ${ctx.storeId} and e.id = d.endpoint_id
             cross join lateral (
                   select coalesce(max(try_number), 0) as tries from webhook_tries
                    where store_id = ${ctx.storeId} and day = d.day and delivery_id = d.id) t
             where d.store_id = ${ctx.storeId} and d.day = any(${days}::date[]) and d.id = any(${ids}::bigint[])
               -- One that is leaving the queue at this moment has a try that this statement does not see yet.
               and not exists (select from webhook_queue q where q.store_id = ${ctx.storeId} and q.delivery_id = d.id)
            offset 0) o
     order by o.id
        on conflict do nothing`)
}

/** Undelivered ones that cannot be sent again, because their endpoint is disabled or deleted; of listeners when named. */
export async function countUnsendable(
  ctx: Ctx,
  { endpointIds, onlyId, since }: { endpointIds: number[]; onlyId: number | null; since: Temporal.Instant }
): Promise<number> {
  const { count } = await ctx.tx.one(
    row({ count: int }),
    sql`
    select count(*) as count
      from webhook_deliveries d join webhook_endpoints e on e.store_id = ${ctx.storeId} and e.id = d.endpoint_id
     where d.store_id = ${ctx.storeId} and d.undelivered_status is not null and d.fact_id is not null
       and d.undelivered_at >= ${since} and d.endpoint_id <> all(${endpointIds}::bigint[])
       and case when ${onlyId}::bigint is null then e.kind = 'url' else d.endpoint_id = ${onlyId}::bigint end`
  )
  return count
}
