import type { StoredFact } from '#kit/outbox'
import { type Ctx, int, nullable, oneOf, row, sql, text, textList } from '#kit/postgres'
import type { EventType } from '../public-events.ts'

/** A fact that becomes an event of this type. `object` is what it is about: a subscription or a member. */
export type PublicFact = StoredFact & { type: EventType; object: string }

/** `maxTries`: null where the retry schedule decides. */
export type NewDelivery = { endpointId: number; maxTries: number | null; webhookId: string; event: PublicFact }

// A batch of events for many endpoints may be hundreds of megabytes, so bodies are made and written in portions.
const PORTION = 1000

/** In the order given: the order of ids is the order of first tries with one ordering key. */
export async function insertDeliveries(
  ctx: Ctx,
  deliveries: NewDelivery[],
  bodyOf: (delivery: NewDelivery) => string
): Promise<void> {
  const keyOf = (endpointId: number, orderingKey: string) => `${endpointId} ${orderingKey}`
  const busy = await lockLastOfOrderingKey(ctx, deliveries)
  const busyKeys = new Set(busy.map(({ endpointId, orderingKey }) => keyOf(endpointId, orderingKey)))
  const ready = deliveries.map(({ endpointId, event }) => {
    const key = keyOf(endpointId, event.orderingKey)
    return !busyKeys.has(key) && !!busyKeys.add(key)
  })
  for (let from = 0; from < deliveries.length; from += PORTION) {
    const portion = deliveries.slice(from, from + PORTION)
    await insertPortion(ctx, portion, portion.map(bodyOf), ready.slice(from, from + PORTION))
  }
}

async function insertPortion(ctx: Ctx, deliveries: NewDelivery[], bodies: string[], ready: boolean[]): Promise<void> {
  await ctx.tx.run(sql`
    with made as (
      insert into webhook_deliveries
             (store_id, day, endpoint_id, fact_id, sequence, webhook_id, event_type, ordering_key, body, created_at)
      select ${ctx.storeId}, (clock_timestamp() at time zone 'UTC')::date, d.endpoint_id, d.fact_id, d.sequence,
             d.webhook_id, d.event_type, d.object, d.body, ${ctx.now}
        from unnest(${deliveries.map((d) => d.endpointId)}::bigint[], ${deliveries.map((d) => d.event.id)}::bigint[],
                    ${deliveries.map((d) => d.event.position)}::bigint[],
                    ${deliveries.map((d) => d.webhookId)}::text[], ${deliveries.map((d) => d.event.type)}::text[],
                    ${deliveries.map((d) => d.event.object)}::text[], ${bodies}::text[])
             with ordinality as d(endpoint_id, fact_id, sequence, webhook_id, event_type, object, body, nth)
       order by d.nth
      returning id, day, endpoint_id, webhook_id),
    counted as (
      insert into webhook_delivery_counts (store_id, endpoint_id, day, deliveries)
      select ${ctx.storeId}, endpoint_id, day, count(*) from made group by endpoint_id, day order by endpoint_id, day
      on conflict (store_id, endpoint_id, day) do update
        set deliveries = webhook_delivery_counts.deliveries + excluded.deliveries)
    insert into webhook_queue
           (store_id, delivery_id, day, endpoint_id, ordering_key, max_tries, first, ready, next_try_at)
    select ${ctx.storeId}, m.id, m.day, m.endpoint_id, r.ordering_key, r.max_tries, true, r.ready, ${ctx.now}
      from made m
      join unnest(${deliveries.map((d) => d.webhookId)}::text[], ${deliveries.map((d) => d.event.orderingKey)}::text[],
                  ${deliveries.map((d) => d.maxTries)}::int[], ${ready}::boolean[])
             as r(webhook_id, ordering_key, max_tries, ready)
        on r.webhook_id = m.webhook_id
    returning delivery_id`)
}

/**
 * The ordering keys at these endpoints that still have unfinished first tries. The last delivery of each is locked until the
 * commit: a transaction that settles it waits, and so finds what is added behind it; one that only makes it ready does not
 * wait. In the order of ids, in which settling locks too.
 */
function lockLastOfOrderingKey(ctx: Ctx, deliveries: NewDelivery[]) {
  return ctx.tx.many(
    row({ endpointId: int, orderingKey: text }),
    sql`
    select q.endpoint_id, q.ordering_key from webhook_queue q
     where q.store_id = ${ctx.storeId} and q.first and q.delivery_id = any(array(
           select (select max(p.delivery_id) from webhook_queue p
                    where p.store_id = ${ctx.storeId} and p.endpoint_id = g.endpoint_id and p.ordering_key = g.ordering_key
                      and p.first)
             from unnest(${deliveries.map((d) => d.endpointId)}::bigint[],
                         ${deliveries.map((d) => d.event.orderingKey)}::text[]) as g(endpoint_id, ordering_key)))
     order by q.delivery_id for key share`
  )
}

/** Which of these deliveries there are already, on whatever day they were made, as far back as the history goes. */
export function findDeliveriesOfFacts(ctx: Ctx, deliveries: NewDelivery[]) {
  return ctx.tx.many(
    row({ factId: int, endpointId: int }),
    sql`
    select d.fact_id, d.endpoint_id from webhook_deliveries d
     where d.store_id = ${ctx.storeId} and d.fact_id = any(${[...new Set(deliveries.map((d) => d.event.id))]}::bigint[])
       and d.endpoint_id = any(${[...new Set(deliveries.map((d) => d.endpointId))]}::bigint[])`
  )
}

/**
 * Enabled endpoints, locked until the commit: a transaction that disables one at the same moment either is seen here or
 * finds the new deliveries and cancels them. A closed listener is left out.
 */
export function lockEnabledEndpointsShared(ctx: Ctx) {
  return ctx.tx.many(
    row({ id: int, kind: oneOf('url', 'listener'), events: nullable(textList), webhookIdSeed: text }),
    sql`
    select id, kind, events, webhook_id_seed from webhook_endpoints
     where store_id = ${ctx.storeId} and status = 'enabled'
       and (listening_until is null or listening_until > clock_timestamp())
     order by id for key share`
  )
}
