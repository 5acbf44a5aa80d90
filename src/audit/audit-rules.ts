import { defineAuditRule } from '#kit/define-audit-rule'
import { sql } from '#kit/postgres'

// Rules over tables of kit, which declares none itself, and over tables that no other module reads together.

export const eventsDispatched = defineAuditRule({
  name: 'events_dispatched',
  severity: 'finding',
  help: 'An event has waited for more than an hour for a part of the service that needs it.',
  counted: (ctx) => sql`
    select (select count(*) from facts where store_id = ${ctx.storeId} and position is null)
         + (select coalesce(sum(last_position - position), 0)::bigint
              from fact_consumers where store_id = ${ctx.storeId}) as count`,
  wrong: (ctx) => sql`
    (select 'fact_' || id as subject, name || ' of ' || occurred_at || ' waits for its consumers' as message
       from facts where store_id = ${ctx.storeId} and position is null and occurred_at < ${ctx.now.subtract({ hours: 1 })}
      order by id limit 100)
    union all
    (select 'fact_' || f.id, f.name || ' of ' || f.occurred_at || ' waits for the consumer ' || c.consumer
       from fact_consumers c join facts f on f.store_id = ${ctx.storeId} and f.position > c.position
      where c.store_id = ${ctx.storeId} and f.occurred_at < ${ctx.now.subtract({ hours: 1 })}
      order by f.id limit 100)
    union all
    (select 'fact_' || fact_id, name || ' has been due for the consumer ' || consumer || ' since ' || retry_at
              || ', which no running version of it takes'
       from fact_retries
      where store_id = ${ctx.storeId} and retry_at < ${ctx.now.subtract({ hours: 1 })}
      order by fact_id limit 100)`
})

export const deadFacts = defineAuditRule({
  name: 'dead_facts',
  severity: 'warning',
  help:
    'A part of the service (the consumer before the colon, `webhooks:812`) failed on an event in all of its tries, and goes on ' +
    'without it. The message has the last error. Remove the reason, then retry it: `perennial dead-letter retry webhooks:812 ' +
    '--store S`.',
  wrong: (ctx) => sql`
    select r.consumer || ':' || r.fact_id as subject,
           'is ' || f.name || ' of ' || f.ordering_key || ', which failed ' || r.attempts || ' times: ' || r.last_error as message
      from fact_retries r join facts f on f.store_id = ${ctx.storeId} and f.id = r.fact_id
     where r.store_id = ${ctx.storeId} and r.dead_at is not null order by r.fact_id, r.consumer limit 100`
})

export const leasesEnd = defineAuditRule({
  name: 'leases_end',
  severity: 'finding',
  help: 'The lease on work ended ten minutes ago, and no process has taken it up. Work that hangs in a process that lives is in the log of that process.',
  counted: (ctx) => sql`
    select (select count(*) from billing_attempts where store_id = ${ctx.storeId} and leased_until is not null)
         + (select count(*) from jobs where store_id = ${ctx.storeId} and leased_until is not null) as count`,
  // A lease is real time, not the store's.
  wrong: (ctx) => sql`
    select 'ba_' || id as subject, 'has been leased until ' || leased_until || ' and not released' as message
      from billing_attempts
     where store_id = ${ctx.storeId} and leased_until < statement_timestamp() - interval '10 minutes'
    union all
    select 'job ' || id, kind || ' has been leased until ' || leased_until || ' and not released'
      from jobs where store_id = ${ctx.storeId} and leased_until < statement_timestamp() - interval '10 minutes'
     limit 100`
})
