import { type Ctx, int, row, sql, type Tx } from '#kit/postgres'
import { DeliveryRow, DeliveryWithBodyRow, TryRow } from './delivery.ts'

/** Newest first. A filter that is null lets all pass. */
export function listDeliveryRows(
  ctx: Ctx,
  filters: {
    statuses: readonly string[] | null
    event: string | null
    endpointId: number | null
    beforeId: number | null
    limit: number
  }
) {
  return ctx.tx.many(
    DeliveryRow,
    sql`
    select d.id, d.endpoint_id, d.webhook_id, d.event_type, d.status, d.tries, d.next_try_at, d.created_at,
           d.finished_at, t.response_code, t.duration_ms, t.failure
      from webhook_deliveries d
      left join webhook_tries t on t.store_id = d.store_id and t.delivery_id = d.id and t.try_number = d.tries
     where d.store_id = ${ctx.storeId}
       and (${filters.statuses}::text[] is null or d.status = any(${filters.statuses}::text[]))
       and (${filters.event}::text is null or d.event_type = ${filters.event})
       and (${filters.endpointId}::bigint is null or d.endpoint_id = ${filters.endpointId})
       and d.id < coalesce(${filters.beforeId}::bigint, 9223372036854775807)
     order by d.id desc limit ${filters.limit}`
  )
}

export function findDeliveryRow(ctx: Ctx, webhookId: string) {
  return ctx.tx.maybeOne(
    DeliveryWithBodyRow,
    sql`
    select d.id, d.endpoint_id, d.webhook_id, d.event_type, d.status, d.tries, d.next_try_at, d.created_at,
           d.finished_at, t.response_code, t.duration_ms, t.failure, d.body
      from webhook_deliveries d
      left join webhook_tries t on t.store_id = d.store_id and t.delivery_id = d.id and t.try_number = d.tries
     where d.store_id = ${ctx.storeId} and d.webhook_id = ${webhookId}`
  )
}

/** First try first. */
export function listTryRows(ctx: Ctx, deliveryId: number) {
  return ctx.tx.many(
    TryRow,
    sql`
    select try_number, started_at, duration_ms, response_code, failure, response_text
      from webhook_tries where store_id = ${ctx.storeId} and delivery_id = ${deliveryId} order by try_number`
  )
}

/** Over all stores; finished deliveries are not counted, since a history may be long. */
export function summarize(tx: Tx) {
  return tx.one(
    row({ waiting: int, retrying: int, enabled: int, disabled: int, failing: int }),
    sql`
    select d.waiting, d.retrying, e.enabled, e.disabled, e.failing
      from (select count(*) filter (where status = 'waiting') as waiting,
                   count(*) filter (where status = 'retrying') as retrying
              from webhook_deliveries where next_try_at is not null) d,
           (select count(*) filter (where status = 'enabled') as enabled,
                   count(*) filter (where status = 'disabled') as disabled,
                   count(*) filter (where status = 'enabled' and failing_since is not null) as failing
              from webhook_endpoints) e`
  )
}
