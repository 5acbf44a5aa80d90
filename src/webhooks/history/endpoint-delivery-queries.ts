import { type Ctx, int, row, sql } from '#kit/postgres'
import { DeliveryRow, type DeliveryStatus } from '../delivery/delivery.ts'
import { BESIDE, SHOWN } from './history-queries.ts'

/** The deliveries of an endpoint, newest first, by the index that has the fewest rows to skip. */
const pageOf = (name: string, ids: string) => {
  const text = `
    select ${SHOWN}
      from (${ids} order by d.day desc, d.id desc offset $3 limit $4) d ${BESIDE}
     order by d.day desc, d.id desc`
  return (storeId: number, endpointId: number, { limit, offset }: { limit: number; offset: number }) => ({
    name: `webhook_endpoint_${name}`,
    text,
    values: [storeId, endpointId, offset, limit]
  })
}

const OF_ENDPOINT = 'select d.* from webhook_deliveries d where d.store_id = $1 and d.endpoint_id = $2'

const pages = {
  all: pageOf('all', OF_ENDPOINT),
  failed: pageOf('failed', `${OF_ENDPOINT} and d.undelivered_status is not null`),
  delivered: pageOf(
    'delivered',
    `${OF_ENDPOINT} and d.undelivered_status is null
        and not exists (select from webhook_queue q where q.store_id = $1 and q.delivery_id = d.id)`
  ),
  retrying: pageOf(
    'retrying',
    `select d.* from webhook_queue q
      cross join lateral (
            select * from webhook_deliveries w
             where w.store_id = $1 and w.day = q.day and w.id = q.delivery_id offset 0) d
      where q.store_id = $1 and q.endpoint_id = $2`
  )
}

export function listEndpointDeliveryRows(
  ctx: Ctx,
  endpointId: number,
  { status, ...paging }: { status: DeliveryStatus | null; limit: number; offset: number }
) {
  return ctx.tx.many(DeliveryRow, pages[status ?? 'all'](ctx.storeId, endpointId, paging))
}

/** How many were made, by the days' counts; and how many of them failed or are open, where the status asks for it. */
export function countEndpointDeliveries(ctx: Ctx, endpointId: number, status: DeliveryStatus | null) {
  return ctx.tx.one(
    row({ made: int, failed: int, open: int }),
    sql`
    select (select coalesce(sum(deliveries), 0)::bigint from webhook_delivery_counts
             where store_id = ${ctx.storeId} and endpoint_id = ${endpointId}) as made,
           case when ${status}::text in ('failed', 'delivered') then
             (select count(*) from webhook_deliveries
               where store_id = ${ctx.storeId} and endpoint_id = ${endpointId} and undelivered_status is not null) else 0 end
             as failed,
           case when ${status}::text in ('retrying', 'delivered') then
             (select count(*) from webhook_queue where store_id = ${ctx.storeId} and endpoint_id = ${endpointId}) else 0 end
             as open`
  )
}
