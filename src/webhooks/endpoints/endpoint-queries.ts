import { bool, type Ctx, instant, int, nullable, type RowOf, row, sql, text } from '#kit/postgres'
import { EndpointRow } from './endpoint.ts'
import { firstWarningAt } from './failing-endpoints.ts'

/** The fields of the store that decide which receivers it may have. */
export function readStoreKind(ctx: Ctx) {
  return ctx.tx.one(row({ sandbox: bool }), sql`select sandbox from stores where store_id = ${ctx.storeId}`)
}

/** Until the transaction ends, nobody else creates an endpoint of the store: so that they can be counted first. */
export async function lockEndpointList(ctx: Ctx): Promise<void> {
  await ctx.tx.run(sql`select pg_advisory_xact_lock(hashtextextended('webhook_endpoints', ${ctx.storeId}))`)
}

/** Without deleted ones and listeners. */
export async function countEndpoints(ctx: Ctx): Promise<number> {
  const { count } = await ctx.tx.one(
    row({ count: int }),
    sql`
    select count(*) as count from webhook_endpoints
     where store_id = ${ctx.storeId} and kind = 'url' and deleted_at is null`
  )
  return count
}

export async function insertEndpoint(
  ctx: Ctx,
  endpoint: { url: string; events: string[] | null; description: string; secret: Buffer }
): Promise<number> {
  const { id } = await ctx.tx.one(
    row({ id: int }),
    sql`
    insert into webhook_endpoints (store_id, url, events, description, secret, created_at, updated_at)
    values (${ctx.storeId}, ${endpoint.url}, ${endpoint.events}, ${endpoint.description}, ${endpoint.secret},
            ${ctx.now}, ${ctx.now})
    returning id`
  )
  return id
}

/** Newest first, without deleted ones and closed listeners. */
export function listEndpointRows(ctx: Ctx) {
  return ctx.tx.many(
    EndpointRow,
    sql`
    select id, kind, url, events, description, status, disabled_reason, disabled_at, failing_since, failed_deliveries,
           case when previous_secret_until > clock_timestamp() then previous_secret_until end as previous_secret_until,
           created_at, updated_at
      from webhook_endpoints
     where store_id = ${ctx.storeId} and deleted_at is null
       and (listening_until is null or listening_until > clock_timestamp())
     order by id desc`
  )
}

/** The same without listeners, page by page: there are at most a thousand. */
export function listUrlEndpointRows(ctx: Ctx, { limit, offset }: { limit: number; offset: number }) {
  return ctx.tx.many(
    EndpointRow,
    sql`
    select id, kind, url, events, description, status, disabled_reason, disabled_at, failing_since, failed_deliveries,
           case when previous_secret_until > clock_timestamp() then previous_secret_until end as previous_secret_until,
           created_at, updated_at
      from webhook_endpoints
     where store_id = ${ctx.storeId} and kind = 'url' and deleted_at is null
     order by id desc offset ${offset} limit ${limit}`
  )
}

/** Null also for one that is deleted. */
export function findEndpointRow(ctx: Ctx, id: number) {
  return ctx.tx.maybeOne(
    EndpointRow,
    sql`
    select id, kind, url, events, description, status, disabled_reason, disabled_at, failing_since, failed_deliveries,
           case when previous_secret_until > clock_timestamp() then previous_secret_until end as previous_secret_until,
           created_at, updated_at
      from webhook_endpoints where store_id = ${ctx.storeId} and id = ${id} and deleted_at is null`
  )
}

/** The same, held until the transaction ends. */
export function lockEndpointRow(ctx: Ctx, id: number) {
  return ctx.tx.maybeOne(
    EndpointRow,
    sql`
    select id, kind, url, events, description, status, disabled_reason, disabled_at, failing_since, failed_deliveries,
           previous_secret_until, created_at, updated_at
      from webhook_endpoints where store_id = ${ctx.storeId} and id = ${id} and deleted_at is null
       for update`
  )
}

/** Another URL has not failed yet. What was disabled because it failed stays so. */
export async function rewriteEndpoint(
  ctx: Ctx,
  id: number,
  to: { url: string; events: string[] | null; description: string }
): Promise<void> {
  await ctx.tx.run(sql`
    update webhook_endpoints
       set url = ${to.url}, events = ${to.events}, description = ${to.description}, updated_at = ${ctx.now},
           failing_since = case when url = ${to.url} or status = 'disabled' then failing_since end,
           failed_deliveries = case when url = ${to.url} then failed_deliveries else 0 end,
           warn_at = case when url = ${to.url} then warn_at end
     where store_id = ${ctx.storeId} and id = ${id}`)
}

/**
 * Real time, since receivers know no other; the database's, by which signatures are made. Within an overlap the old secret stays
 * the one that receivers know; without an overlap it is removed.
 */
export async function replaceSecret(ctx: Ctx, id: number, secret: Buffer, overlapHours: number): Promise<void> {
  const now = Temporal.Instant.fromEpochMilliseconds(ctx.realNowMs)
  const until = overlapHours > 0 ? now.add({ hours: overlapHours }) : null
  await ctx.tx.run(sql`
    update webhook_endpoints
       set previous_secret = case when ${until}::timestamptz is null then null
                                  when previous_secret_until > ${now} then previous_secret
                                  else secret end,
           previous_secret_until = ${until}, secret = ${secret}, updated_at = ${ctx.now}
     where store_id = ${ctx.storeId} and id = ${id} and deleted_at is null`)
}

export async function dropPreviousSecret(ctx: Ctx, id: number): Promise<void> {
  await ctx.tx.run(sql`
    update webhook_endpoints set previous_secret = null, previous_secret_until = null, updated_at = ${ctx.now}
     where store_id = ${ctx.storeId} and id = ${id} and deleted_at is null and previous_secret is not null`)
}

/** Also of one that is enabled already: its failures are reset. */
export async function markEnabled(ctx: Ctx, id: number): Promise<void> {
  await ctx.tx.run(sql`
    update webhook_endpoints
       set status = 'enabled', disabled_reason = null, disabled_at = null, failing_since = null, failed_deliveries = 0,
           warn_at = null, updated_at = ${ctx.now}
     where store_id = ${ctx.storeId} and id = ${id} and deleted_at is null`)
}

const DisabledEndpoint = row({ id: int, url: text, failingSince: nullable(instant) })
export type DisabledEndpoint = RowOf<typeof DisabledEndpoint>

/**
 * Keeps other transactions from adding deliveries until the commit. Those hold only the endpoint's key, so that the sender
 * can record failures of the endpoint meanwhile.
 */
export async function lockEndpoints(ctx: Ctx, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  await ctx.tx.run(sql`
    select from webhook_endpoints
     where store_id = ${ctx.storeId} and id = any(${ids}::bigint[]) order by id for update`)
}

/**
 * Changes enabled endpoints only: the first reason stays. Not listeners, which close. Returns those that it disabled, with the
 * time since which they had failed. One that the service disables fails from then on at least; one that a person disables does
 * not fail any more.
 */
export async function markDisabled(
  ctx: Ctx,
  ids: number[],
  { reason, by }: { reason: string; by: 'service' | 'person' }
): Promise<DisabledEndpoint[]> {
  await lockEndpoints(ctx, ids)
  return ctx.tx.many(
    DisabledEndpoint,
    sql`
    update webhook_endpoints e
       set status = 'disabled', disabled_reason = ${reason}, disabled_at = ${ctx.now}, warn_at = null,
           failing_since = case when ${by === 'service'}::boolean then coalesce(e.failing_since, ${ctx.now}) end,
           failed_deliveries = case when ${by === 'service'}::boolean then e.failed_deliveries else 0 end,
           updated_at = ${ctx.now}
      from (select id, failing_since from webhook_endpoints
             where store_id = ${ctx.storeId} and id = any(${ids}::bigint[]) offset 0) before
     where e.store_id = ${ctx.storeId} and e.id = any(${ids}::bigint[]) and e.id = before.id and e.kind = 'url'
       and e.status = 'enabled'
    returning e.id, e.url, before.failing_since`
  )
}

/** Returns whether there was one to delete. A rolled secret is removed at once; an earlier reason for disabling it stays. */
export async function markDeleted(ctx: Ctx, id: number): Promise<boolean> {
  await lockEndpoints(ctx, [id])
  const deleted = await ctx.tx.run(sql`
    update webhook_endpoints
       set status = 'disabled', disabled_reason = coalesce(disabled_reason, 'Deleted'),
           disabled_at = coalesce(disabled_at, ${ctx.now}), deleted_at = ${ctx.now}, previous_secret = null,
           previous_secret_until = null, warn_at = null, updated_at = ${ctx.now}
     where store_id = ${ctx.storeId} and id = ${id} and deleted_at is null`)
  return deleted > 0
}

/** Records since when these endpoints fail, if they are enabled: from now on for those that also responded meanwhile. */
export async function markFailing(ctx: Ctx, ids: number[], { responded }: { responded: number[] }): Promise<void> {
  await ctx.tx.run(sql`
    update webhook_endpoints
       set failing_since = ${ctx.now}, failed_deliveries = 0,
           warn_at = case when kind = 'url' then ${firstWarningAt(ctx.now)}::timestamptz end
     where store_id = ${ctx.storeId} and id = any(${ids}::bigint[]) and status = 'enabled'
       and (failing_since is null or id = any(${responded}::bigint[]))`)
}

const FailingEndpoint = row({ id: int, url: text, failingSince: nullable(instant), failedDeliveries: int })
export type FailingEndpoint = RowOf<typeof FailingEndpoint>

/** These endpoints, and those of `orFailing` that fail, held until the commit so that their failure can be recorded. */
export async function lockFailing(
  ctx: Ctx,
  ids: number[],
  { orFailing }: { orFailing: number[] }
): Promise<FailingEndpoint[]> {
  if (ids.length + orFailing.length === 0) return []
  return ctx.tx.many(
    FailingEndpoint,
    sql`
    select id, url, failing_since, failed_deliveries from webhook_endpoints
     where store_id = ${ctx.storeId}
       and (id = any(${ids}::bigint[]) or (id = any(${orFailing}::bigint[]) and failing_since is not null))
     order by id for no key update`
  )
}

/** Counts deliveries that have used up their tries, by endpoint; for endpoints that fail. */
export function countFailedDeliveries(ctx: Ctx, failed: Map<number, number>): Promise<FailingEndpoint[]> {
  return ctx.tx.many(
    FailingEndpoint,
    sql`
    update webhook_endpoints e set failed_deliveries = e.failed_deliveries + f.deliveries
      from unnest(${[...failed.keys()]}::bigint[], ${[...failed.values()]}::int[]) as f(id, deliveries)
     where e.store_id = ${ctx.storeId} and e.id = f.id and e.failing_since is not null
    returning e.id, e.url, e.failing_since, e.failed_deliveries`
  )
}
