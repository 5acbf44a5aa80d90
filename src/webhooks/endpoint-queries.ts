import { bool, type Ctx, int, row, sql } from '#kit/postgres'
import { EndpointRow } from './endpoint.ts'

/** The fields of the store that decide which receivers it may have. */
export function readStoreKind(ctx: Ctx) {
  return ctx.tx.one(row({ sandbox: bool }), sql`select sandbox from stores where store_id = ${ctx.storeId}`)
}

export function insertEndpoint(
  ctx: Ctx,
  endpoint: { url: string; events: string[] | null; description: string; secret: Buffer }
) {
  return ctx.tx.one(
    EndpointRow,
    sql`
    insert into webhook_endpoints (store_id, url, events, description, secret, created_at, updated_at)
    values (${ctx.storeId}, ${endpoint.url}, ${endpoint.events}, ${endpoint.description}, ${endpoint.secret},
            ${ctx.now}, ${ctx.now})
    returning id, url, events, description, status, disabled_reason, disabled_at, failing_since, created_at, updated_at`
  )
}

/** All of them, newest first. */
export function listEndpointRows(ctx: Ctx) {
  return ctx.tx.many(
    EndpointRow,
    sql`
    select id, url, events, description, status, disabled_reason, disabled_at, failing_since, created_at, updated_at
      from webhook_endpoints where store_id = ${ctx.storeId} order by id desc`
  )
}

export function findEndpointRow(ctx: Ctx, id: number) {
  return ctx.tx.maybeOne(
    EndpointRow,
    sql`
    select id, url, events, description, status, disabled_reason, disabled_at, failing_since, created_at, updated_at
      from webhook_endpoints where store_id = ${ctx.storeId} and id = ${id}`
  )
}

/** Null when there is no such endpoint. One that is enabled already starts afresh too: its failures are forgotten. */
export function markEnabled(ctx: Ctx, id: number) {
  return ctx.tx.maybeOne(
    EndpointRow,
    sql`
    update webhook_endpoints
       set status = 'enabled', disabled_reason = null, disabled_at = null, failing_since = null, updated_at = ${ctx.now}
     where store_id = ${ctx.storeId} and id = ${id}
    returning id, url, events, description, status, disabled_reason, disabled_at, failing_since, created_at, updated_at`
  )
}

/** Touches enabled endpoints only: the first reason stays. Returns those that it disabled. */
export async function markDisabled(ctx: Ctx, ids: number[], reason: string): Promise<number[]> {
  const disabled = await ctx.tx.many(
    row({ id: int }),
    sql`
    update webhook_endpoints
       set status = 'disabled', disabled_reason = ${reason}, disabled_at = ${ctx.now}, updated_at = ${ctx.now}
     where store_id = ${ctx.storeId} and id = any(${ids}::bigint[]) and status = 'enabled'
    returning id`
  )
  return disabled.map((d) => d.id)
}

/** Touches a row only when it tells something new, as most batches do not. */
export async function markAnswering(ctx: Ctx, ids: number[]): Promise<void> {
  await ctx.tx.run(sql`
    update webhook_endpoints set failing_since = null
     where store_id = ${ctx.storeId} and id = any(${ids}::bigint[]) and failing_since is not null`)
}

/** Notes since when these fail, and returns those that do so since `longAgo` or before. */
export async function markFailing(ctx: Ctx, ids: number[], longAgo: Temporal.Instant): Promise<number[]> {
  await ctx.tx.run(sql`
    update webhook_endpoints set failing_since = ${ctx.now}
     where store_id = ${ctx.storeId} and id = any(${ids}::bigint[]) and failing_since is null`)
  const given = await ctx.tx.many(
    row({ id: int }),
    sql`
    select id from webhook_endpoints
     where store_id = ${ctx.storeId} and id = any(${ids}::bigint[]) and status = 'enabled'
       and failing_since <= ${longAgo}`
  )
  return given.map((g) => g.id)
}
