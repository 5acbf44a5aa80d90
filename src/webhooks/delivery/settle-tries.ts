import { type Ctx, int, row, sql } from '#kit/postgres'

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
 * it was made under. Returns the deliveries of those that counted. Endpoints that are `well` no longer fail; they are locked
 * already. Keys are given as arrays, since a join on them may be planned as a scan of all rows of the store.
 */
export async function settleTries(ctx: Ctx, tries: SettledTry[], { well }: { well: number[] }): Promise<Set<number>> {
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
       where store_id = ${ctx.storeId} and id = any(${well}::bigint[]))
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
