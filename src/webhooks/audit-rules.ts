import { defineAuditRule } from '#kit/define-audit-rule'
import { day, nullable, row, sql } from '#kit/postgres'
import { BLOCK, readSpan } from './event-log/event-span.ts'
import { eventOfFact, PUBLIC_FACTS } from './public-events.ts'

export const eventsDelivered = defineAuditRule({
  name: 'events_delivered',
  severity: 'finding',
  help: 'An event of the last 29 days was not queued for an endpoint that accepts it.',
  counted: (ctx) => sql`
    select count(*) as count from facts where store_id = ${ctx.storeId} and name = any(${PUBLIC_FACTS}::text[])`,
  async wrong(ctx) {
    const { first } = await ctx.tx.one(
      row({ first: nullable(day) }),
      sql`select min(d) as first from webhook_partitions() d`
    )
    return sql`
    select 'fact_' || f.id as subject, f.name || ' was not queued for we_' || w.id as message
      from unnest(${PUBLIC_FACTS}::text[], ${PUBLIC_FACTS.map(eventOfFact)}::text[]) as p(name, type)
      join facts f on f.store_id = ${ctx.storeId} and f.name = p.name
      join webhook_endpoints w on w.store_id = ${ctx.storeId} and w.status = 'enabled'
       and (w.events is null or p.type = any(w.events))
      join fact_consumers c on c.store_id = ${ctx.storeId} and c.consumer = 'webhooks' and f.position <= c.position
       -- A listener receives events only while it listens, in real time.
     where w.kind = 'url'
       -- History is dropped by days, and which events an endpoint accepted before its last change is not known.
       and f.occurred_at >= ${first}::date and w.updated_at < f.occurred_at
       and f.id >= coalesce((select min(d.fact_id) from webhook_deliveries d where d.store_id = ${ctx.storeId}), 0)
       and not exists (select from webhook_deliveries d where d.store_id = ${ctx.storeId} and d.fact_id = f.id
                        and d.endpoint_id = w.id)
       and not exists (select from fact_retries r where r.store_id = ${ctx.storeId} and r.consumer = 'webhooks'
                        and r.fact_id = f.id)
     order by f.id limit 100`
  }
})

export const deliveriesQueued = defineAuditRule({
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
                     and e.ordering_key = q.ordering_key and e.first and e.delivery_id < q.delivery_id)))
     limit 100`
})

export const deliveriesFinished = defineAuditRule({
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

export const eventsCounted = defineAuditRule({
  name: 'events_counted',
  severity: 'finding',
  help: 'The counts from which the list of events knows its totals do not match the facts that are kept.',
  counted: (ctx) => sql`select count(*) as count from event_counts where store_id = ${ctx.storeId}`,
  async wrong(ctx) {
    // Blocks are counted and old facts removed meanwhile: what is compared ends where the counts ended, and begins where facts begin.
    const { start, countedTo } = await readSpan(ctx)
    return sql`
    with counted as (
      select name, counted_to, through - lag(through, 1, 0::bigint) over (partition by name order by counted_to) as facts
        from event_counts where store_id = ${ctx.storeId} and counted_to <= ${countedTo ?? 0}),
    present as (
      select name, ((position - 1) / ${BLOCK}::bigint + 1) * ${BLOCK}::bigint as counted_to, count(*) as facts
        from facts where store_id = ${ctx.storeId} and position > ${start} and position <= ${countedTo ?? 0} group by 1, 2)
    select 'fact ' || name as subject,
           'up to position ' || counted_to || ' there are ' || coalesce(p.facts, 0) || ' in the block; the counts say '
             || coalesce(c.facts, 0) as message
      from counted c full join present p using (name, counted_to)
     -- Of a block that is not kept whole the facts are not known.
     where counted_to - ${BLOCK}::bigint >= greatest(${start}, (
             select pruned_through from fact_history where store_id = ${ctx.storeId}))
       and coalesce(p.facts, 0) <> coalesce(c.facts, 0)
     order by counted_to, name limit 100`
  }
})
