import { type Ctx, int, row, type Statement, sql } from '#kit/postgres'
import { DeliveryRow, type DeliveryStatus, DeliveryWithBodyRow, TryRow } from '../delivery/delivery.ts'

/** Filters of the history. Null: no filter. */
export type HistoryFilters = {
  /** As the history has it: `subscription:12`. */
  object: string | null
  status: DeliveryStatus | null
  event: string | null
  endpointId: number | null
  /** The fact that they report. */
  factId: number | null
  /** Inclusive. */
  from: Temporal.Instant | null
  /** Exclusive. */
  to: Temporal.Instant | null
  /** No delivery from `from` on was made before that day of real time; null where the store's clock does not say. */
  fromDay: Temporal.PlainDate | null
  before: { day: Temporal.PlainDate; id: number } | null
  limit: number
}

const FIRST_DAY = Temporal.PlainDate.from('0001-01-01')
const LAST_DAY = Temporal.PlainDate.from('9999-12-31')

const valuesOf = (storeId: number, f: HistoryFilters) => [
  storeId,
  f.object,
  f.status,
  f.event,
  f.endpointId,
  f.from,
  f.to,
  f.fromDay ?? FIRST_DAY,
  f.before?.day ?? LAST_DAY,
  f.before?.id ?? Number.MAX_SAFE_INTEGER,
  f.limit,
  f.factId
]

const PASSES = `
       and ($2::text is null or d.ordering_key = $2)
       and case $3::text
             when 'failed' then d.undelivered_status is not null
             when 'delivered' then d.undelivered_status is null and not exists (
               select from webhook_queue o where o.store_id = $1 and o.delivery_id = d.id)
             when 'retrying' then exists (select from webhook_queue o where o.store_id = $1 and o.delivery_id = d.id)
             else true end
       and ($4::text is null or d.event_type = $4) and ($5::bigint is null or d.endpoint_id = $5)
       and ($6::timestamptz is null or d.created_at >= $6) and ($7::timestamptz is null or d.created_at < $7)
       and d.day >= $8::date and ($12::bigint is null or d.fact_id = $12)`

/** From the newest day back, along an index that `conditions` fit; no day is sorted, and none read beyond the page. */
const alongDays = (...conditions: string[]) => `
  select d.* from webhook_deliveries d
   where d.store_id = $1 ${conditions.map((c) => `and ${c}`).join(' ')}
     and d.day <= $9::date and (d.day, d.id) < ($9::date, $10::bigint) ${PASSES}
   order by d.day desc, d.id desc limit $11`

/** What is open is in the queue, which is short. Ids ascend, also where an open one has moved to a later day. */
const ALONG_QUEUE = `
  select d.* from webhook_queue q
   cross join lateral (
         select * from webhook_deliveries w
          where w.store_id = $1 and w.day = q.day and w.id = q.delivery_id offset 0) d
   where q.store_id = $1 and q.delivery_id < $10::bigint and ($5::bigint is null or q.endpoint_id = $5) and $9::date is not null ${PASSES}
   order by q.delivery_id desc limit $11`

/** Nobody responded to a try that was interrupted. */
const RESPONSE_TIME = `case when t.failure = 'interrupted' then null else t.duration_ms end`

/**
 * What belongs to a delivery besides its row: its next try from the queue, and the result of its last try. The offsets keep
 * the planner from reading whole days for a few rows.
 */
export const SHOWN = `
         d.id, d.day, d.endpoint_id, e.kind as endpoint_kind, d.webhook_id, d.event_type, d.ordering_key as object, d.fact_id, d.sequence, d.fact_id is null as is_sample,
         case when q.tries = 0 then 'waiting' when q.tries > 0 then 'retrying' else coalesce(d.undelivered_status, 'delivered') end
           as status,
         coalesce(t.try_number, 0) as tries, q.next_try_at, d.created_at,
         case when q.tries is null
              then coalesce(d.undelivered_at, t.started_at + t.duration_ms * interval '1 millisecond') end as finished_at,
         t.response_code, ${RESPONSE_TIME} as duration_ms, t.failure`

export const BESIDE = `
    left join lateral (
         select kind from webhook_endpoints where store_id = $1 and id = d.endpoint_id offset 0) e on true
    left join lateral (
         select tries, next_try_at from webhook_queue where store_id = $1 and delivery_id = d.id offset 0) q on true
    left join lateral (
         select try_number, started_at, response_code, duration_ms, failure from webhook_tries
          where store_id = $1 and day = d.day and delivery_id = d.id order by try_number desc limit 1) t on true`

const pageOf = (name: string, rows: string) => {
  const text = `select ${SHOWN} from (${rows}) d ${BESIDE} order by d.day desc, d.id desc`
  return (storeId: number, filters: HistoryFilters): Statement => ({
    name: `webhook_history_${name}`,
    text,
    values: valuesOf(storeId, filters)
  })
}

const ofAll = pageOf('all', alongDays())
const ofObject = pageOf('object', alongDays('d.ordering_key = $2'))
const ofType = pageOf('type', alongDays('d.event_type = $4'))
const ofEndpoint = pageOf('endpoint', alongDays('d.endpoint_id = $5'))
const undelivered = pageOf('undelivered_status', alongDays('d.undelivered_status is not null'))
const ofEvent = pageOf('event', alongDays('d.fact_id = $12'))
const open = pageOf('open', ALONG_QUEUE)

/** Newest first. It uses the index that leaves the fewest rows to read. */
export function listDeliveryRows(ctx: Ctx, filters: HistoryFilters) {
  const { object, status, event, endpointId, factId } = filters
  const statement =
    factId !== null
      ? ofEvent
      : object !== null
        ? ofObject
        : status === 'retrying'
          ? open
          : status === 'failed'
            ? undelivered
            : event !== null
              ? ofType
              : endpointId !== null
                ? ofEndpoint
                : ofAll
  return ctx.tx.many(DeliveryRow, statement(ctx.storeId, filters))
}

/** The deliveries with these webhook_ids, in the order in which they were made. */
export function listNamedRows(ctx: Ctx, webhookIds: string[]) {
  return ctx.tx.many(DeliveryRow, {
    name: 'webhook_history_named',
    text: `select ${SHOWN} from webhook_deliveries d ${BESIDE} where d.store_id = $1 and d.webhook_id = any($2) order by d.id`,
    values: [ctx.storeId, webhookIds]
  })
}

export function findDeliveryRow(ctx: Ctx, webhookId: string) {
  return ctx.tx.maybeOne(DeliveryWithBodyRow, {
    name: 'webhook_history_one',
    text: `select ${SHOWN}, d.body from webhook_deliveries d ${BESIDE} where d.store_id = $1 and d.webhook_id = $2`,
    values: [ctx.storeId, webhookId]
  })
}

/** First try first. */
export function listTryRows(ctx: Ctx, day: Temporal.PlainDate, deliveryId: number) {
  return ctx.tx.many(
    TryRow,
    sql`
    select t.try_number, t.started_at, case when t.failure = 'interrupted' then null else t.duration_ms end as duration_ms,
           t.response_code, t.failure, t.response_text
      from webhook_tries t
     where store_id = ${ctx.storeId} and day = ${day} and delivery_id = ${deliveryId} order by try_number`
  )
}

/** Also of a deleted endpoint, which has a history. */
export function knowsEndpoint(ctx: Ctx, id: number): Promise<boolean> {
  return ctx.tx
    .maybeOne(row({ id: int }), sql`select id from webhook_endpoints where store_id = ${ctx.storeId} and id = ${id}`)
    .then((found) => found !== null)
}
