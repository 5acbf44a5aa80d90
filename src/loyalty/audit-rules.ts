import { defineAuditRule } from '#kit/define-audit-rule'
import { sql } from '#kit/postgres'

export const couponsPaid = defineAuditRule({
  name: 'coupons_paid',
  severity: 'finding',
  help: 'A coupon that points have bought has no entry of spent points, shares it with another, or has points given back although the platform takes it.',
  counted: (ctx) =>
    sql`select count(*) as count from loyalty_coupons where store_id = ${ctx.storeId} and template_id is not null`,
  wrong: (ctx) => sql`
    with coupons as (
      select id, member_id, status, usage_count, points_entry_id,
             count(*) over (partition by points_entry_id) as sharing from loyalty_coupons
       where store_id = ${ctx.storeId} and template_id is not null),
    spent as (select id, type, points from points_entries where store_id = ${ctx.storeId} and points < 0),
    undone as (
      select reverses_id, sum(points) as points from points_entries
       where store_id = ${ctx.storeId} and reverses_id is not null group by reverses_id)
    select 'mem_' || c.member_id as subject,
           'has coupon ' || c.id || ', ' || c.status || ' and used ' || c.usage_count || ' times, '
             || case when s.id is null or s.type is distinct from 'spent' then 'which no points have bought'
                     when c.sharing > 1 then 'whose points have bought another too'
                     else 'of which ' || u.points || ' points were given back' end as message
      from coupons c
      left join spent s on s.id = c.points_entry_id
      left join undone u on u.reverses_id = c.points_entry_id
     where s.id is null or s.type is distinct from 'spent' or c.sharing > 1
        or (u.points > 0 and (c.status <> 'ended' or c.usage_count > 0))
     order by 1 limit 100`
})

export const couponUsesCounted = defineAuditRule({
  name: 'coupon_uses_counted',
  severity: 'finding',
  help: 'The uses of a coupon are not the orders that have its code.',
  counted: (ctx) => sql`select count(*) as count from loyalty_coupons where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    with coupons as (
      select id, member_id, upper(code) as code, usage_count from loyalty_coupons where store_id = ${ctx.storeId}),
    used as (
      select upper(d.code) as code, count(distinct o.id) as orders
        from orders o cross join lateral unnest(o.discount_codes) as d(code)
       where o.store_id = ${ctx.storeId} group by 1)
    select 'mem_' || c.member_id as subject,
           'has coupon ' || c.id || ', used ' || c.usage_count || ' times; ' || coalesce(u.orders, 0) || ' orders have its code' as message
      from coupons c left join used u on u.code = c.code
     where c.usage_count <> coalesce(u.orders, 0)
     order by 1 limit 100`
})
