import { defineAuditRule } from '#kit/define-audit-rule'
import { sql } from '#kit/postgres'

/** Of an order that was placed so near to a change of the membership nobody can say later which of the two was first. */
const NEAR = '1 minute'

export const orderTiersHeld = defineAuditRule({
  name: 'order_tiers_held',
  severity: 'finding',
  help:
    'An order counts as one of an active member (`VIP`, with the tag of the tier) although its customer held no active membership of that tier when it ' +
    'was placed, as the history of their memberships has it; or the other way round. Customers who were merged, have given or got a gift, or changed ' +
    'their plan are not checked, nor orders that were placed within a minute of a change. While facts or orders wait to be handled, it is not checked.',
  counted: (ctx) => sql`
    select count(*) as count from order_effects
     where store_id = ${ctx.storeId} and classified_at is not null and active_tier_name is not null`,
  wrong: (ctx) => sql`
    with settled as (
      select 1 as is_so
       where not exists (select from waiting_facts
                          where store_id = ${ctx.storeId} and coalesce(consumer, 'order-effects') = 'order-effects')
         and not exists (select from order_effects where store_id = ${ctx.storeId} and due_at <= ${ctx.now})),
    turns as (
      select subscription_id, id, kind, refs ->> 'status' as status, occurred_at as at,
             lead(kind) over (partition by subscription_id order by id) as next_kind
        from contract_activities
       where store_id = ${ctx.storeId}
         and kind in ('created', 'imported', 'paused', 'resumed', 'cancelled', 'reactivated', 'expired', 'failed')),
    held as (
      select s.id, s.member_id, s.status, s.created_at, coalesce(p.tier_name, p.name) as tier
        from subscriptions s join plans p on p.store_id = ${ctx.storeId} and p.id = s.plan_id and p.type <> 'product'
       where s.store_id = ${ctx.storeId}),
    unclear as (
      select merged_into as member_id from members where store_id = ${ctx.storeId} and merged_into is not null
      union select id from members where store_id = ${ctx.storeId} and merged_into is not null
      union select member_id from subscriptions where store_id = ${ctx.storeId} and receiver_member_id is not null
      union select receiver_member_id from subscriptions where store_id = ${ctx.storeId} and receiver_member_id is not null
      union select member_id from contract_activities
             where store_id = ${ctx.storeId} and kind in ('gifted', 'plan_changed')),
    of_members as (
      select order_id from order_links where store_id = ${ctx.storeId} and tier_name is not null),
    placed as (
      select e.order_id, o.platform_order_id, o.member_id, o.processed_at as at, e.active_tier_name as tier
        from order_effects e join orders o on o.store_id = ${ctx.storeId} and o.id = e.order_id
        left join unclear u on u.member_id = o.member_id
        left join of_members l on l.order_id = e.order_id
       where e.store_id = ${ctx.storeId} and e.classified_at is not null and o.member_id is not null
         and u.member_id is null and l.order_id is null),
    near as (
      select p.order_id from placed p join held h on h.member_id = p.member_id join turns t on t.subscription_id = h.id
       where t.at between p.at - ${NEAR}::interval and p.at + ${NEAR}::interval
      union
      -- It had begun already, and became known here later.
      select p.order_id from placed p join held h on h.member_id = p.member_id
        left join (select subscription_id, min(at) as at from turns group by subscription_id) f on f.subscription_id = h.id
       where h.created_at <= p.at + ${NEAR}::interval and (f.at is null or f.at > p.at)),
    latest as (
      select distinct on (p.order_id, h.id) p.order_id, h.tier,
             case t.kind when 'imported' then t.status = 'active'
                         when 'created' then coalesce(t.next_kind not in ('resumed', 'reactivated'), h.status = 'active')
                         else t.kind in ('resumed', 'reactivated') end as is_active
        from placed p join held h on h.member_id = p.member_id
        join turns t on t.subscription_id = h.id and t.at <= p.at
       order by p.order_id, h.id, t.id desc),
    active as (select order_id, array_agg(tier) as tiers from latest where is_active group by order_id)
    select 'order ' || p.platform_order_id as subject,
           'counts as one of ' || coalesce('an active member (' || p.tier || ')', 'nobody active') || '; its customer held '
             || coalesce(array_to_string(a.tiers, ', '), 'no active membership') || ' when it was placed' as message
      from settled cross join placed p
      left join active a on a.order_id = p.order_id
      left join near n on n.order_id = p.order_id
     where n.order_id is null and ((p.tier is null) <> (a.tiers is null) or p.tier <> all(a.tiers))
     order by p.order_id limit 100`
})
