import { defineAuditRule } from '#kit/define-audit-rule'
import { sql } from '#kit/postgres'

export const memberStatusConsistent = defineAuditRule({
  name: 'member_status_consistent',
  severity: 'finding',
  help: "A member's status contradicts their subscriptions.",
  counted: (ctx) => sql`select count(*) as count from members where store_id = ${ctx.storeId} and status is not null`,
  wrong: (ctx) => sql`
    -- A gifted subscription counts for its receiver.
    with by_subscriptions as (
      select coalesce(receiver_member_id, member_id) as member_id,
             case min(case status when 'active' then 1 when 'paused' then 2 else 3 end)
               when 1 then 'active' when 2 then 'paused' else 'cancelled' end as status
        from subscriptions where store_id = ${ctx.storeId} group by 1)
    select 'mem_' || m.id as subject,
           'is ' || coalesce(m.status, 'no member') || ' but the subscriptions say ' || coalesce(s.status, 'none') as message
      from (select id, status from members where store_id = ${ctx.storeId}) m full join by_subscriptions s on s.member_id = m.id
     where m.status is distinct from s.status
       -- A person who gave away every subscription, or was merged into another, has none left.
       and not (m.status = 'cancelled' and s.status is null)
     order by m.id limit 100`
})

export const createdEventsComplete = defineAuditRule({
  name: 'created_events_complete',
  severity: 'finding',
  help: 'A member or subscription has no event of its creation, or more than one: receivers have wrong data.',
  counted: (ctx) => sql`
    select (select count(*) from members where store_id = ${ctx.storeId} and status is not null)
         + (select count(*) from subscriptions where store_id = ${ctx.storeId}) as count`,
  wrong: (ctx) => sql`
    with recorded as (
      -- All facts have their customer as ordering key; which subscription one is about is in its refs.
      select case name when 'member.created' then ordering_key else 'subscription:' || (refs ->> 'subscriptionId') end as created,
             count(*) as times
        from facts
       where store_id = ${ctx.storeId} and name in ('member.created', 'subscription.created') group by 1)
    select 'mem_' || m.id as subject, 'was recorded as created ' || coalesce(r.times, 0) || ' times' as message
      from members m left join recorded r on r.created = 'member:' || m.id
     where m.store_id = ${ctx.storeId} and m.status is not null and coalesce(r.times, 0) <> 1
       and m.created_at > coalesce((select complete_since from fact_history where store_id = ${ctx.storeId}), '-infinity')
    union all
    select 'sub_' || s.id, 'was recorded as created ' || coalesce(r.times, 0) || ' times'
      from subscriptions s left join recorded r on r.created = 'subscription:' || s.id
     where s.store_id = ${ctx.storeId} and coalesce(r.times, 0) <> 1
       and s.created_at > coalesce((select complete_since from fact_history where store_id = ${ctx.storeId}), '-infinity')
     limit 100`
})
