import { type Ctx, int, row, type Statement, sql, text } from '#kit/postgres'
import { LEDGER_CHECKS } from './ledger-rules.ts'
import { MEMBER_CHECKS } from './member-rules.ts'

/** Something that must not be: which check found it, on what, and what is wrong with it. */
export type Finding = { check: string; subject: string; message: string }

const Found = row({ subject: text, message: text })
const Count = row({ count: int })

export type Check = {
  name: string
  /** How many things the check looked at. */
  counted: (ctx: Ctx) => Statement
  /** One row per thing that is wrong, at most a hundred. */
  wrong: (ctx: Ctx) => Statement
}

/**
 * The rules that hold at every commit, each as plain SQL over the raw rows of one store: nothing here trusts a balance,
 * a counter or the code that keeps them.
 */
const CHECKS: Check[] = [
  {
    name: 'cycles_charged_once',
    counted: (ctx) =>
      sql`select count(*) as count from billing_attempts where store_id = ${ctx.storeId} and status = 'success'`,
    wrong: (ctx) => sql`
      select 'sub_' || subscription_id as subject,
             'cycle ' || cycle_index || ' has ' || count(*) || ' successful attempts' as message
        from billing_attempts where store_id = ${ctx.storeId} and status = 'success'
       group by subscription_id, cycle_index having count(*) > 1 limit 100`
  },
  {
    name: 'attempt_events_complete',
    counted: (ctx) => sql`select count(*) as count from billing_attempts where store_id = ${ctx.storeId}`,
    wrong: (ctx) => sql`
      with recorded as (
        select data::jsonb ->> 'billing_attempt_id' as attempt,
               count(*) filter (where type = 'billing.pending') as pending,
               count(*) filter (where type = 'billing.success') as success,
               count(*) filter (where type = 'billing.failed') as failed
          from events where store_id = ${ctx.storeId} and type in ('billing.pending', 'billing.success', 'billing.failed')
         group by 1)
      select 'ba_' || a.id as subject,
             'is ' || a.status || ', told as pending ' || coalesce(t.pending, 0) || ', success ' || coalesce(t.success, 0)
               || ', failed ' || coalesce(t.failed, 0) || ' times' as message
        from billing_attempts a left join recorded t on t.attempt = 'ba_' || a.id
       where a.store_id = ${ctx.storeId}
         and (coalesce(t.pending, 0) <> 1
              or coalesce(t.success, 0) <> case a.status when 'success' then 1 else 0 end
              -- One that turned out to be paid was told as failed before.
              or coalesce(t.failed, 0) <> case when a.status = 'failed' or a.late_success_at is not null then 1 else 0 end)
       order by a.id limit 100`
  },
  {
    name: 'charges_not_missed',
    counted: (ctx) => sql`
      select count(*) as count from subscriptions where store_id = ${ctx.storeId} and billing_due_at is not null`,
    wrong: (ctx) => sql`
      select 'sub_' || id as subject, 'was due at ' || billing_due_at || ' and is not billed' as message
        from subscriptions where store_id = ${ctx.storeId} and billing_due_at < ${ctx.now}::timestamptz - interval '1 hour'
         -- Without its platform a store cannot bill.
         and exists (select from stores where store_id = ${ctx.storeId} and status = 'active')
       order by billing_due_at limit 100`
  },
  {
    name: 'active_subscriptions_scheduled',
    counted: (ctx) =>
      sql`select count(*) as count from subscriptions where store_id = ${ctx.storeId} and status = 'active'`,
    wrong: (ctx) => sql`
      select 'sub_' || s.id as subject, 'is active with no charge ahead, none under way and none that failed' as message
        from subscriptions s
       where s.store_id = ${ctx.storeId} and s.status = 'active' and s.billing_due_at is null and s.declines = 0
         and not exists (select from billing_attempts a where a.store_id = s.store_id and a.subscription_id = s.id
                          and (a.status = 'pending' or (a.status = 'failed' and a.cycle_index = s.next_cycle)))
       order by s.id limit 100`
  },
  {
    name: 'outcomes_known',
    counted: (ctx) =>
      sql`select count(*) as count from billing_attempts where store_id = ${ctx.storeId} and status = 'pending'`,
    wrong: (ctx) => sql`
      select 'ba_' || id as subject, 'has been pending since ' || scheduled_at as message
        from billing_attempts where store_id = ${ctx.storeId} and status = 'pending'
         and scheduled_at < ${ctx.now}::timestamptz - interval '7 days'
       order by id limit 100`
  },
  {
    name: 'member_status_consistent',
    counted: (ctx) => sql`select count(*) as count from members where store_id = ${ctx.storeId} and status is not null`,
    wrong: (ctx) => sql`
      -- What was given away counts for its receiver.
      with membership as (
        select coalesce(receiver_member_id, member_id) as member_id, case min(case status when 'active' then 1 when 'paused' then 2 else 3 end)
                 when 1 then 'active' when 2 then 'paused' else 'cancelled' end as status
          from subscriptions where store_id = ${ctx.storeId} group by 1)
      select 'mem_' || m.id as subject,
             'is ' || coalesce(m.status, 'no member') || ' but the subscriptions say ' || coalesce(s.status, 'none') as message
        from (select id, status from members where store_id = ${ctx.storeId}) m full join membership s on s.member_id = m.id
       where m.status is distinct from s.status
         -- Who has given away everything, or was merged into another, is a member no more.
         and not (m.status = 'cancelled' and s.status is null)
       order by m.id limit 100`
  },
  {
    name: 'created_events_complete',
    counted: (ctx) => sql`
      select (select count(*) from members where store_id = ${ctx.storeId} and status is not null)
           + (select count(*) from subscriptions where store_id = ${ctx.storeId}) as count`,
    wrong: (ctx) => sql`
      with recorded as (
        select object_key, count(*) as times from events
         where store_id = ${ctx.storeId} and type in ('member.created', 'subscription.created') group by object_key)
      select 'mem_' || m.id as subject, 'was told as created ' || coalesce(t.times, 0) || ' times' as message
        from members m left join recorded t on t.object_key = 'member:' || m.id
       where m.store_id = ${ctx.storeId} and m.status is not null and coalesce(t.times, 0) <> 1
      union all
      select 'sub_' || s.id, 'was told as created ' || coalesce(t.times, 0) || ' times'
        from subscriptions s left join recorded t on t.object_key = 'subscription:' || s.id
       where s.store_id = ${ctx.storeId} and coalesce(t.times, 0) <> 1
       limit 100`
  },
  {
    name: 'events_delivered',
    counted: (ctx) => sql`select count(*) as count from events where store_id = ${ctx.storeId}`,
    wrong: (ctx) => sql`
      select 'evt_' || replace(e.event_id::text, '-', '') as subject,
             e.type || ' was not queued for we_' || w.id as message
        from events e join webhook_endpoints w on w.store_id = e.store_id and w.status = 'enabled'
         and (w.events is null or e.type = any(w.events))
       where e.store_id = ${ctx.storeId} and e.dispatched
         -- A terminal hears only while it listens, in real time.
         and w.kind = 'url'
         -- History is dropped by days, and what an endpoint wanted before its last change is not known.
         and e.occurred_at >= (select min(d) from webhook_partitions() d) and w.updated_at < e.occurred_at
         and e.id >= coalesce((select min(d.event_row) from webhook_deliveries d where d.store_id = ${ctx.storeId}), 0)
         and not exists (select from webhook_deliveries d where d.store_id = e.store_id and d.event_row = e.id
                          and d.endpoint_id = w.id)
       order by e.id limit 100`
  },
  {
    name: 'deliveries_queued',
    counted: (ctx) => sql`select count(*) as count from webhook_queue where store_id = ${ctx.storeId}`,
    wrong: (ctx) => sql`
      select coalesce(d.webhook_id, 'delivery ' || q.delivery_id) as subject,
             case when d.id is null then 'is in the queue and in no history'
                  when d.undelivered_status is not null then 'is in the queue and given up'
                  when q.tries <> d.tries then 'has ' || d.tries || ' tries, and ' || q.tries || ' in the queue'
                  else 'waits behind nothing' end as message
        from webhook_queue q
        left join lateral (
             select w.id, w.webhook_id, w.undelivered_status,
                    (select count(*) from webhook_tries t
                      where t.store_id = w.store_id and t.day = w.day and t.delivery_id = w.id) as tries
               from webhook_deliveries w
              where w.store_id = ${ctx.storeId} and w.day = q.day and w.id = q.delivery_id) d on true
       where q.store_id = ${ctx.storeId}
         and (d.id is null or d.undelivered_status is not null or d.tries <> q.tries
              or (not q.ready and not exists (
                    select from webhook_queue e where e.store_id = ${ctx.storeId} and e.endpoint_id = q.endpoint_id
                       and e.object_key = q.object_key and e.first and e.delivery_id < q.delivery_id)))
       limit 100`
  },
  {
    name: 'deliveries_finished',
    counted: (ctx) => sql`select count(*) as count from webhook_deliveries where store_id = ${ctx.storeId}`,
    wrong: (ctx) => sql`
      select d.webhook_id as subject, 'is neither open nor given up nor delivered' as message
        from webhook_deliveries d
       where d.store_id = ${ctx.storeId} and d.undelivered_status is null
         and not exists (select from webhook_queue q where q.store_id = ${ctx.storeId} and q.delivery_id = d.id)
         and not exists (select from webhook_tries t where t.store_id = ${ctx.storeId} and t.day = d.day
                          and t.delivery_id = d.id and t.failure is null)
       limit 100`
  },
  {
    name: 'events_dispatched',
    counted: (ctx) => sql`select count(*) as count from events where store_id = ${ctx.storeId} and not dispatched`,
    wrong: (ctx) => sql`
      select 'evt_' || replace(event_id::text, '-', '') as subject, type || ' of ' || occurred_at || ' is not dispatched' as message
        from events where store_id = ${ctx.storeId} and not dispatched
         and occurred_at < ${ctx.now}::timestamptz - interval '1 hour'
       order by id limit 100`
  },
  {
    name: 'platform_messages_processed',
    counted: (ctx) => sql`select count(*) as count from inbound_webhooks where store_id = ${ctx.storeId}`,
    wrong: (ctx) => sql`
      select topic || ' ' || webhook_id as subject, 'was given up: ' || coalesce(last_error, 'no reason kept') as message
        from inbound_webhooks where store_id = ${ctx.storeId} and status = 'failed'
       order by id limit 100`
  },
  {
    name: 'lists_counted',
    counted: (ctx) => sql`select count(*) as count from list_blocks where store_id = ${ctx.storeId}`,
    wrong: (ctx) => sql`
      with counted as (
        select r.list, f.plan_id, f.status, count(*) as rows
          from list_rows r
         cross join lateral (values (0::bigint, ''), (0, r.status), (r.plan_id, ''), (r.plan_id, r.status)) f(plan_id, status)
         where r.store_id = ${ctx.storeId} and f.plan_id is not null group by 1, 2, 3),
      waiting as (
        select c.list, f.plan_id, f.status, sum(c.delta) as rows
          from list_changes c
         cross join lateral (values (0::bigint, ''), (0, c.status), (c.plan_id, ''), (c.plan_id, c.status)) f(plan_id, status)
         where c.store_id = ${ctx.storeId} and c.change_id > rolled_up_to(${ctx.storeId}, c.list) and f.plan_id is not null
         group by 1, 2, 3),
      kept as (
        select list, plan_id, status, sum(rows) filter (where level = 0) as in_blocks, sum(rows) filter (where level = 1) as in_chapters
          from list_blocks where store_id = ${ctx.storeId} group by 1, 2, 3)
      select list as subject,
             'of ' || case when status = '' then 'every status' else status end
               || case when plan_id = 0 then '' else ' in plan_' || plan_id end || ' there are ' || coalesce(c.rows, 0)
               || ' rows, but the kept counts say ' || coalesce(k.in_blocks, 0) + coalesce(w.rows, 0)
               || ' by blocks and ' || coalesce(k.in_chapters, 0) + coalesce(w.rows, 0) || ' by chapters' as message
        from counted c full join kept k using (list, plan_id, status) full join waiting w using (list, plan_id, status)
       where coalesce(c.rows, 0) <> coalesce(k.in_blocks, 0) + coalesce(w.rows, 0)
          or coalesce(k.in_blocks, 0) <> coalesce(k.in_chapters, 0)
       order by 1, 2 limit 100`
  },
  {
    name: 'leases_end',
    counted: (ctx) => sql`
      select (select count(*) from billing_attempts where store_id = ${ctx.storeId} and leased_until is not null)
           + (select count(*) from jobs where store_id = ${ctx.storeId} and leased_until is not null) as count`,
    wrong: (ctx) => sql`
      select 'ba_' || id as subject, 'has been leased until ' || leased_until || ' and not released' as message
        from billing_attempts
       where store_id = ${ctx.storeId} and leased_until < clock_timestamp() - interval '10 minutes'
      union all
      select 'job ' || id, kind || ' has been leased until ' || leased_until || ' and not released'
        from jobs where store_id = ${ctx.storeId} and leased_until < clock_timestamp() - interval '10 minutes'
       limit 100`
  }
]

/**
 * From here to the end of the transaction whole tables are put side by side. Of a store that has grown since the statistics were
 * made the planner thinks it has a row or two, and would read all of one table for each row of the other: hours instead of seconds.
 */
export async function compareWhole(ctx: Ctx): Promise<void> {
  await ctx.tx.run(sql`set local enable_nestloop = off`)
  // What cannot do without a loop now counts as so dear that it would be compiled first, for seconds.
  await ctx.tx.run(sql`set local jit = off`)
}

/** Runs every check over one store, in one transaction. */
export async function audit(ctx: Ctx): Promise<{ checked: Record<string, number>; findings: Finding[] }> {
  await compareWhole(ctx)
  const checked: Record<string, number> = {}
  const findings: Finding[] = []
  for (const { name, counted, wrong } of [...CHECKS, ...MEMBER_CHECKS, ...LEDGER_CHECKS]) {
    checked[name] = (await ctx.tx.one(Count, counted(ctx))).count
    for (const found of await ctx.tx.many(Found, wrong(ctx))) findings.push({ check: name, ...found })
  }
  return { checked, findings }
}
