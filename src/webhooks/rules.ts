import { defineRule } from '#kit/audit-rules'
import { day, nullable, row, sql } from '#kit/postgres'

export const eventsDelivered = defineRule({
  name: 'events_delivered',
  severity: 'finding',
  help: 'An event of the last 29 days was not queued for an endpoint that accepts it.',
  counted: (ctx) => sql`select count(*) as count from events where store_id = ${ctx.storeId}`,
  async wrong(ctx) {
    const { first } = await ctx.tx.one(
      row({ first: nullable(day) }),
      sql`select min(d) as first from webhook_partitions() d`
    )
    return sql`
    select 'evt_' || replace(e.event_id::text, '-', '') as subject,
           e.type || ' was not queued for we_' || w.id as message
      from events e join webhook_endpoints w on w.store_id = ${ctx.storeId} and w.status = 'enabled'
       and (w.events is null or e.type = any(w.events))
     where e.store_id = ${ctx.storeId} and e.dispatched
       -- A listener receives events only while it listens, in real time.
       and w.kind = 'url'
       -- History is dropped by days, and which events an endpoint accepted before its last change is not known.
       and e.occurred_at >= ${first}::date and w.updated_at < e.occurred_at
       and e.id >= coalesce((select min(d.event_row) from webhook_deliveries d where d.store_id = ${ctx.storeId}), 0)
       and not exists (select from webhook_deliveries d where d.store_id = ${ctx.storeId} and d.event_row = e.id
                        and d.endpoint_id = w.id)
     order by e.id limit 100`
  }
})

export const deliveriesQueued = defineRule({
  name: 'deliveries_queued',
  severity: 'finding',
  help:
    'A webhook delivery is in the queue and differs from the history, or waits for a delivery that does not exist: it would ' +
    'be sent wrongly or never.',
  counted: (ctx) => sql`select count(*) as count from webhook_queue where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    select coalesce(d.webhook_id, 'delivery ' || q.delivery_id) as subject,
           case when d.id is null then 'is in the queue and in no history'
                when d.undelivered_status is not null then 'is in the queue although its tries are exhausted'
                when q.tries <> d.tries then 'has ' || d.tries || ' tries, and ' || q.tries || ' in the queue'
                else 'waits for no other delivery' end as message
      from webhook_queue q
      left join lateral (
           select w.id, w.webhook_id, w.undelivered_status,
                  (select count(*) from webhook_tries t
                    where t.store_id = ${ctx.storeId} and t.day = w.day and t.delivery_id = w.id) as tries
             from webhook_deliveries w
            where w.store_id = ${ctx.storeId} and w.day = q.day and w.id = q.delivery_id) d on true
     where q.store_id = ${ctx.storeId}
       and (d.id is null or d.undelivered_status is not null or d.tries <> q.tries
            or (not q.ready and not exists (
                  select from webhook_queue e where e.store_id = ${ctx.storeId} and e.endpoint_id = q.endpoint_id
                     and e.object_key = q.object_key and e.first and e.delivery_id < q.delivery_id)))
     limit 100`
})

export const deliveriesFinished = defineRule({
  name: 'deliveries_finished',
  severity: 'finding',
  help: 'A webhook delivery in the history is not delivered, not exhausted and not in the queue: nobody will send it.',
  counted: (ctx) => sql`select count(*) as count from webhook_deliveries where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    select d.webhook_id as subject, 'is not queued, not delivered, and its tries are not exhausted' as message
      from webhook_deliveries d
     where d.store_id = ${ctx.storeId} and d.undelivered_status is null
       and not exists (select from webhook_queue q where q.store_id = ${ctx.storeId} and q.delivery_id = d.id)
       and not exists (select from webhook_tries t where t.store_id = ${ctx.storeId} and t.day = d.day
                        and t.delivery_id = d.id and t.failure is null)
     limit 100`
})
