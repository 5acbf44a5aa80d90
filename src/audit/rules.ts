import { defineRule } from '#kit/audit-rules'
import { sql } from '#kit/postgres'

// Rules over tables of kit, which declares none itself, and over tables that no other module reads together.

export const eventsDispatched = defineRule({
  name: 'events_dispatched',
  severity: 'finding',
  help: 'An event has waited for more than an hour to be dispatched.',
  counted: (ctx) => sql`select count(*) as count from events where store_id = ${ctx.storeId} and not dispatched`,
  wrong: (ctx) => sql`
    select 'evt_' || replace(event_id::text, '-', '') as subject, type || ' of ' || occurred_at || ' is not dispatched' as message
      from events where store_id = ${ctx.storeId} and not dispatched and occurred_at < ${ctx.now.subtract({ hours: 1 })}
     order by id limit 100`
})

export const leasesEnd = defineRule({
  name: 'leases_end',
  severity: 'finding',
  help: 'Work that a process has claimed was not released for ten minutes: a process hangs.',
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
