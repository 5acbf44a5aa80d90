import { defineAuditRule } from '#kit/define-audit-rule'
import { sql } from '#kit/postgres'

const LATER = 'While facts or orders wait to be handled, it is not checked.'

/** White space as String.trim has it, which PostgreSQL's \s is not in every locale. */
const SPACES = '[\\t\\n\\v\\f\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]'
const AROUND = `^${SPACES}+|${SPACES}+$`

export const ordersLinked = defineAuditRule({
  name: 'orders_linked',
  severity: 'finding',
  help: `An order that began a subscription, or that a charge was made for, is not linked with it ([orders](orders.md#which-contract-an-order-belongs-to)). ${LATER}`,
  counted: (ctx) => sql`select count(*) as count from order_links where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    with settled as (
      select 1 as is_so
       where not exists (select from waiting_facts
                          where store_id = ${ctx.storeId} and coalesce(consumer, 'order-effects') = 'order-effects')
         and not exists (select from order_effects where store_id = ${ctx.storeId} and due_at <= ${ctx.now})),
    held as (
      select s.id, s.origin_order_id, s.member_id from subscriptions s where s.store_id = ${ctx.storeId}),
    belongs as (
      select origin_order_id as order_id, id as subscription_id, member_id from held where origin_order_id is not null
      union
      select a.order_id, h.id, h.member_id
        from billing_attempts a join held h on h.id = a.subscription_id
       where a.store_id = ${ctx.storeId} and a.order_id is not null)
    select 'order ' || o.platform_order_id as subject,
           'belongs to sub_' || b.subscription_id || ' and is not linked with it' as message
      from settled cross join belongs b
      join orders o on o.store_id = ${ctx.storeId} and o.id = b.order_id and o.member_id = b.member_id
      left join order_links l on l.store_id = ${ctx.storeId} and l.order_id = b.order_id and l.subscription_id = b.subscription_id
     where l.order_id is null
     order by o.id limit 100`
})

export const ordersClassified = defineAuditRule({
  name: 'orders_classified',
  severity: 'finding',
  help: `What is stored of the kind of an order is not what follows from the contracts that it belongs to ([orders](orders.md#what-kind-of-order-it-was)). ${LATER}`,
  counted: (ctx) => sql`select count(*) as count from order_effects where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    with settled as (
      select 1 as is_so
       where not exists (select from waiting_facts
                          where store_id = ${ctx.storeId} and coalesce(consumer, 'order-effects') = 'order-effects')
         and not exists (select from order_effects where store_id = ${ctx.storeId} and due_at <= ${ctx.now})),
    links as (
      select l.order_id, l.subscription_id, l.part, l.order_number, l.tier_name, coalesce(p.type = 'elite', false) as is_elite
        from order_links l left join plans p on p.store_id = ${ctx.storeId} and p.id = l.plan_id
       where l.store_id = ${ctx.storeId}),
    memberships as (
      select distinct on (order_id) order_id, part, order_number from links
       where tier_name is not null order by order_id, is_elite desc, subscription_id),
    products as (
      select distinct on (order_id) order_id, part, order_number from links
       where tier_name is null order by order_id, subscription_id),
    disputes as (
      select distinct on (order_id) order_id, status from order_disputes
       where store_id = ${ctx.storeId} order by order_id, initiated_at desc, id desc),
    stored as (
      select order_id, classified_at, active_tier_name, checkout_type, order_tag, charge_number, autocharge_status
        from order_effects where store_id = ${ctx.storeId}),
    derived as (
      select s.order_id, o.platform_order_id, s.checkout_type, s.order_tag, s.charge_number, s.autocharge_status,
             case when m.order_id is not null then 'VIP' when p.order_id is not null then 'Product Subscription'
                  when s.active_tier_name is not null then 'VIP' else 'PAYG' end as right_type,
             case when m.part = 'trial' then 'trial fee' when m.part = 'signup' then 'New-vip' when m.part = 'renewal' then 'recharge'
                  when p.part = 'renewal' then 'SubsProd-Recharge' when p.order_id is not null then 'New-SubsProd' else '' end
               as right_tag,
             coalesce(m.order_number, p.order_number) as right_number,
             case when coalesce(m.part, p.part) is distinct from 'renewal' then ''
                  when d.status not in ('won', 'prevented') then 'Dispute'
                  when o.financial_status in ('refunded', 'voided') then o.financial_status else '' end as right_status
        from stored s
        join orders o on o.store_id = ${ctx.storeId} and o.id = s.order_id
        left join memberships m on m.order_id = s.order_id
        left join products p on p.order_id = s.order_id
        left join disputes d on d.order_id = s.order_id
       where s.classified_at is not null)
    select 'order ' || d.platform_order_id as subject,
           'is stored as ' || concat_ws(', ', d.checkout_type, nullif(d.order_tag, ''), d.charge_number, nullif(d.autocharge_status, ''))
             || ' and follows to be ' || concat_ws(', ', d.right_type, nullif(d.right_tag, ''), d.right_number, nullif(d.right_status, ''))
             as message
      from settled cross join derived d
     where (d.checkout_type, d.order_tag, d.charge_number, d.autocharge_status)
           is distinct from (d.right_type, d.right_tag, d.right_number, d.right_status)
     order by d.order_id limit 100`
})

export const firstOrdersRight = defineAuditRule({
  name: 'first_orders_right',
  severity: 'finding',
  help: `The dates of a customer's first orders are not those of the orders that are known ([orders](orders.md#when-a-customer-ordered-first)). ${LATER}`,
  counted: (ctx) => sql`select count(*) as count from first_orders where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    with settled as (
      select 1 as is_so
       where not exists (select from waiting_facts
                          where store_id = ${ctx.storeId} and coalesce(consumer, 'order-effects') = 'order-effects')
         and not exists (select from order_effects where store_id = ${ctx.storeId} and due_at <= ${ctx.now})),
    linked as (
      select order_id, bool_or(tier_name is not null) as is_membership, bool_or(tier_name is null) as is_product,
             bool_or(tier_name is not null and part = 'renewal') as is_membership_renewal,
             bool_or(tier_name is null and part = 'renewal') as is_product_renewal
        from order_links where store_id = ${ctx.storeId} group by order_id),
    derived as (
      select o.member_id,
             concat_ws(' ', min(o.processed_at), '|', min(o.processed_at) filter (where l.is_membership), '|',
               min(o.processed_at) filter (where l.is_membership_renewal), '|', min(o.processed_at) filter (where l.is_product), '|',
               min(o.processed_at) filter (where l.is_product_renewal), '|',
               (array_agg(e.checkout_type order by o.processed_at, o.id))[1]) as dates
        from orders o
        join order_effects e on e.store_id = ${ctx.storeId} and e.order_id = o.id
        left join linked l on l.order_id = o.id
       where o.store_id = ${ctx.storeId} and o.member_id is not null and o.cancelled_at is null
       group by o.member_id),
    stored as (
      select member_id, concat_ws(' ', first_at, '|', membership_at, '|', membership_renewal_at, '|', product_at, '|',
                                  product_renewal_at, '|', checkout_type) as dates
        from first_orders where store_id = ${ctx.storeId})
    select 'cust_' || coalesce(d.member_id, s.member_id) as subject,
           'ordered first: ' || coalesce(s.dates, 'nothing') || ' is stored, and ' || coalesce(d.dates, 'nothing') || ' follows' as message
      from settled cross join (derived d full join stored s on s.member_id = d.member_id)
     where d.dates is distinct from s.dates
     order by 1 limit 100`
})

export const ordersTakenBack = defineAuditRule({
  name: 'orders_taken_back',
  severity: 'finding',
  help: `Of the store credit or points that an order has issued, more or less was taken back than its refunds and disputes ask for ([orders](orders.md#refunds-and-disputes)). ${LATER}`,
  counted: (ctx) => sql`
    select count(*) as count from credit_entries
     where store_id = ${ctx.storeId} and type in (6, 13) and reverses_id is not null`,
  wrong: (ctx) => sql`
    with settled as (
      select 1 as is_so
       where not exists (select from waiting_facts
                          where store_id = ${ctx.storeId} and coalesce(consumer, 'order-effects') = 'order-effects')
         and not exists (select from order_effects where store_id = ${ctx.storeId} and due_at <= ${ctx.now})),
    refunds as (
      select order_id, sum(amount_minor) as minor from platform_refunds where store_id = ${ctx.storeId} group by order_id),
    disputes as (
      select d.order_id, sum(case when d.amount_minor is null or d.currency is distinct from o.currency then o.total_minor
                                  else d.amount_minor end) as minor
        from order_disputes d join orders o on o.store_id = ${ctx.storeId} and o.id = d.order_id
        left join followed_disputes f on f.store_id = ${ctx.storeId} and f.platform_dispute_id = d.platform_dispute_id
       where d.store_id = ${ctx.storeId} and coalesce(f.is_protected, true)
         and (d.status in ('lost', 'accepted')
              or d.type = 'chargeback' and d.status not in ('won', 'prevented', 'charge_refunded'))
       group by d.order_id),
    edited as (
      select o.id as order_id, o.current_total_minor,
             o.total_minor + greatest(0, sum(l.ordered) - coalesce(o.subtotal_minor, sum(l.ordered))) as placed_minor
        from orders o cross join lateral (
          select (e ->> 'priceMinor')::numeric * (e ->> 'quantity')::numeric - (e ->> 'discountMinor')::numeric as ordered,
                 (e ->> 'quantity')::numeric as quantity,
                 coalesce((e ->> 'currentQuantity')::numeric, (e ->> 'quantity')::numeric) as left_quantity
            from jsonb_array_elements(o.lines) e) l
       where o.store_id = ${ctx.storeId} and o.current_total_minor is not null and o.cancelled_at is null
       group by o.id, o.current_total_minor, o.total_minor, o.subtotal_minor
      having sum(case when l.left_quantity < l.quantity then div(l.ordered * (l.quantity - l.left_quantity), l.quantity) else 0 end) > 0),
    shares as (
      select o.id as order_id, o.platform_order_id, coalesce(r.minor, 0) + coalesce(d.minor, 0) as part,
             case when e.order_id is null then o.total_minor
                  else least(e.placed_minor, e.current_total_minor + coalesce(r.minor, 0)) end as whole_minor
        from orders o
        left join refunds r on r.order_id = o.id
        left join disputes d on d.order_id = o.id
        left join edited e on e.order_id = o.id
       where o.store_id = ${ctx.storeId}
         and (r.order_id is not null or exists (
           select from order_disputes e where e.store_id = ${ctx.storeId} and e.order_id = o.id))),
    credit as (
      select id, order_id, type, amount_minor, reverses_id, shortfall_minor from credit_entries
       where store_id = ${ctx.storeId} and order_id is not null),
    taken_credit as (
      select t.reverses_id, sum(-t.amount_minor) - coalesce(sum(b.minor), 0) as minor,
             sum(t.shortfall_minor) + coalesce(sum(b.shortfall), 0) as shortfall
        from credit t
        left join (select reverses_id, sum(amount_minor) as minor, sum(shortfall_minor) as shortfall from credit group by reverses_id) b
               on b.reverses_id = t.id
       where t.reverses_id is not null
       group by t.reverses_id),
    points as (
      select id, order_id, points + pending_points as points, exact_points, reverses_id, shortfall_points,
             case when type is null then reverses_id is null and points > 0 else is_shared end as is_shared,
             type = 'reversed' and reversal is null as is_undoing
        from points_entries where store_id = ${ctx.storeId} and order_id is not null),
    issued as (
      select 'credit' as what, e.id, e.order_id, e.amount_minor as minor, null::numeric as exact, coalesce(t.minor, 0) as taken,
             coalesce(t.shortfall, 0) as shortfall
        from credit e left join taken_credit t on t.reverses_id = e.id
       where e.type in (1, 10, 11) and e.amount_minor > 0
      union all
      select 'points', e.id, e.order_id, e.points, e.exact_points, coalesce(sum(-r.points), 0), coalesce(sum(r.shortfall_points), 0)
        from points e left join points r on r.reverses_id = e.id
       where e.is_shared and not exists (select from points u where u.reverses_id = e.id and u.is_undoing)
       group by e.id, e.order_id, e.points, e.exact_points),
    asked as (
      select i.what, i.id, i.minor, i.taken, i.shortfall, s.platform_order_id,
             case when coalesce(s.part, 0) <= 0 then 0 when s.part >= s.whole_minor then i.minor
                  when i.exact is not null then i.minor - least(i.minor, div(i.exact * (s.whole_minor - s.part), s.whole_minor))
                  else div(i.minor * s.part, s.whole_minor) end as wanted
        from issued i join shares s on s.order_id = i.order_id)
    select 'order ' || a.platform_order_id as subject,
           'has issued ' || n.before || a.minor || n.after || ' of ' || a.what || ' (entry ' || a.id || '); ' || n.before || a.taken || n.after
             || ' were taken back, ' || n.before || a.shortfall || n.after || ' could not be, and ' || n.before || a.wanted || n.after
             || ' are to be' as message
      from settled cross join asked a
      join (values ('credit', '{{', '}}'), ('points', '', '')) as n(what, before, after) on n.what = a.what
     where a.taken > a.wanted or a.taken + a.shortfall <> a.wanted
     order by 1, a.id limit 100`
})

export const orderTagsFollow = defineAuditRule({
  name: 'order_tags_follow',
  severity: 'finding',
  help: `The tags that an order is to have are not those that follow from its kind ([tags](tags.md#orders)). ${LATER}`,
  counted: (ctx) => sql`
    select count(*) as count from wanted_tags
     where store_id = ${ctx.storeId} and kind = 'order' and source = 'classification'`,
  // What was placed before the store was connected gets no tags. When order gifts were enabled is not known: an order without that tag is right, and one with it only if its attribute is true.
  wrong: (ctx) => sql`
    with settled as (
      select 1 as is_so
       where not exists (select from waiting_facts
                          where store_id = ${ctx.storeId} and coalesce(consumer, 'order-effects') = 'order-effects')
         and not exists (select from order_effects where store_id = ${ctx.storeId} and due_at <= ${ctx.now})),
    links as (
      select l.order_id, l.subscription_id, l.part, l.order_number, l.tier_name, coalesce(p.type = 'elite', false) as is_elite
        from order_links l left join plans p on p.store_id = ${ctx.storeId} and p.id = l.plan_id
       where l.store_id = ${ctx.storeId}),
    memberships as (
      select distinct on (order_id) order_id, part, order_number, tier_name from links
       where tier_name is not null order by order_id, is_elite desc, subscription_id),
    products as (
      select distinct on (order_id) order_id, part, order_number from links
       where tier_name is null order by order_id, subscription_id),
    refunded as (
      select order_id, max(refunded_at) as at from platform_refunds
       where store_id = ${ctx.storeId} and amount_minor > 0 group by order_id),
    stored as (
      select order_id, active_tier_name from order_effects where store_id = ${ctx.storeId} and classified_at is not null),
    attributes as (
      select distinct on (o.id, a.value ->> 'name') o.id as order_id, a.value ->> 'name' as name,
             regexp_replace(replace(a.value ->> 'value', ',', ' '), ${AROUND}, '', 'g') as value
        from orders o cross join lateral jsonb_array_elements(o.attributes) with ordinality a(value, nth)
       where o.store_id = ${ctx.storeId} and a.value ->> 'name' in ('deliverySchedule', 'mystery_gift')
       order by o.id, a.value ->> 'name', a.nth),
    spent as (
      select order_id, sum(case when type = 4 then -amount_minor else 0 end) as redeemed,
             sum(case when type = 5 then amount_minor else 0 end) as restored
        from credit_entries where store_id = ${ctx.storeId} and order_id is not null and type in (4, 5) group by order_id
      union all
      select order_id, sum(case when kind = 'refund' then 0 else amount_minor end),
             sum(case when kind = 'refund' then amount_minor else 0 end)
        from order_transactions
       where store_id = ${ctx.storeId} and status = 'success' and kind in ('sale', 'capture', 'refund')
         and gateway = 'shopify_store_credit'
       group by order_id),
    wanted as (
      select owner_id as order_id, tag from wanted_tags
       where store_id = ${ctx.storeId} and kind = 'order' and source = 'classification'),
    derived as (
      select m.order_id, case m.part when 'trial' then m.tier_name || '-trial' when 'signup' then 'new-' || m.tier_name
                                     else m.tier_name || '-Recharge' end as tag
        from memberships m
      union select s.order_id, s.active_tier_name from stored s
        where s.active_tier_name is not null and not exists (select from memberships m where m.order_id = s.order_id)
      union select p.order_id, case p.part when 'renewal' then 'SubsProd-Recharge' else 'New-SubsProd' end from products p
      union select m.order_id, 'charge-' || m.order_number from memberships m
      union select p.order_id, 'charge-' || p.order_number from products p
      union select d.order_id, 'Chargeback-Bank-Refund' from order_disputes d
        where d.store_id = ${ctx.storeId} and d.status in ('lost', 'accepted')
      union select d.order_id, 'Chargeback-Alert-Refund' from order_disputes d left join refunded r on r.order_id = d.order_id
        where d.store_id = ${ctx.storeId}
          and (d.status = 'prevented'
               or d.type = 'inquiry' and d.status not in ('won', 'lost', 'accepted') and r.at >= d.initiated_at)
      union select p.order_id, 'credits-redeemed' from spent p where p.redeemed > 0
      union select p.order_id, 'credits-redeemed-restored' from spent p where p.restored > 0
      union select a.order_id, regexp_replace(left('deliverySchedule: ' || a.value, 40), ${AROUND}, '') from attributes a
        where a.name = 'deliverySchedule' and a.value <> ''
      union select a.order_id, w.tag from attributes a join wanted w on w.order_id = a.order_id and w.tag = 'mystery_gift'
        where a.name = 'mystery_gift' and lower(a.value) in ('true', '1')),
    differing as (
      select coalesce(d.order_id, w.order_id) as order_id, d.tag as right_tag, w.tag as wanted_tag
        from (select d.order_id, d.tag from derived d join stored s on s.order_id = d.order_id) d
        full join wanted w on w.order_id = d.order_id and lower(w.tag) = lower(d.tag)
       where d.order_id is null or w.order_id is null)
    select 'order ' || o.platform_order_id as subject,
           case when d.wanted_tag is null then 'is not to have the tag ' || d.right_tag || ', which follows from its kind'
                else 'is to have the tag ' || d.wanted_tag || ', which does not follow from its kind' end as message
      from settled cross join differing d
      join orders o on o.store_id = ${ctx.storeId} and o.id = d.order_id
      left join order_beginnings b on b.store_id = ${ctx.storeId}
     where d.wanted_tag is not null or b.begins_at is null or o.processed_at >= b.begins_at
     order by 1, 2 limit 100`
})

export { orderTiersHeld } from './tier-rule.ts'
