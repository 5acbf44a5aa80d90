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

export const loyaltyProgressSums = defineAuditRule({
  name: 'loyalty_progress_sums',
  severity: 'finding',
  help: 'How far a customer is with a rule of loyalty is not the sum of what was counted, or of the rewards that stand.',
  counted: (ctx) => sql`select count(*) as count from loyalty_progress where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    with counts as (
      select member_id, rule_id, sum(amount) as counted from loyalty_counts where store_id = ${ctx.storeId} group by member_id, rule_id),
    standing as (
      select member_id, rule_id,
             coalesce(max(amount) filter (where key like 'goal:%'), count(*) filter (where key not like 'goal:%')) as rewarded
        from loyalty_awards where store_id = ${ctx.storeId} and reversed_at is null group by member_id, rule_id),
    progress as (
      select member_id, rule_id, counted, rewarded from loyalty_progress where store_id = ${ctx.storeId})
    select 'mem_' || coalesce(p.member_id, c.member_id, s.member_id) as subject,
           'is at ' || coalesce(p.counted, 0) || ' of rule ' || coalesce(p.rule_id, c.rule_id, s.rule_id) || ' with ' || coalesce(p.rewarded, 0)
             || ' rewarded; it was counted ' || coalesce(c.counted, 0) || ', and ' || coalesce(s.rewarded, 0) || ' stand' as message
      from progress p
      full join counts c on c.member_id = p.member_id and c.rule_id = p.rule_id
      full join standing s on s.member_id = coalesce(p.member_id, c.member_id) and s.rule_id = coalesce(p.rule_id, c.rule_id)
     where coalesce(p.counted, 0) <> coalesce(c.counted, 0) or coalesce(p.rewarded, 0) <> coalesce(s.rewarded, 0)
     order by 1 limit 100`
})

export const loyaltyAwardsGiven = defineAuditRule({
  name: 'loyalty_awards_given',
  severity: 'finding',
  help: 'A reward of loyalty stands without its points, or points of one that was taken back were not.',
  counted: (ctx) => sql`select count(*) as count from loyalty_awards where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    with undone as (
      select reverses_id from points_entries
       where store_id = ${ctx.storeId} and type = 'reversed' and reversal is null and reverses_id is not null),
    entries as (
      select id, points + pending_points as points from points_entries where store_id = ${ctx.storeId})
    select 'mem_' || a.member_id as subject,
           'has award ' || a.id || ' of rule ' || a.rule_id || ' for ' || a.points || ' points, '
             || case when a.reversed_at is null then 'which stands' else 'which was taken back' end || '; its entry has '
             || coalesce(e.points::text, 'no') || ' points' || case when u.reverses_id is null then '' else ' and was undone' end as message
      from loyalty_awards a
      left join entries e on e.id = a.points_entry_id
      left join undone u on u.reverses_id = a.points_entry_id
     where a.store_id = ${ctx.storeId} and a.points is not null
       and (e.points is distinct from a.points or (a.reversed_at is null and u.reverses_id is not null))
     order by 1 limit 100`
})

export const loyaltySubscriptionRewardsGiven = defineAuditRule({
  name: 'loyalty_subscription_rewards_given',
  severity: 'finding',
  help: 'A reward on renewals goes on although it is no longer earned.',
  counted: (ctx) =>
    sql`select count(*) as count from loyalty_awards where store_id = ${ctx.storeId} and grant_id is not null`,
  wrong: (ctx) => sql`
    with awards as (
      select id, rule_id, member_id, grant_id from loyalty_awards
       where store_id = ${ctx.storeId} and grant_id is not null and reversed_at is not null),
    grants as (select id, status from contract_grants where store_id = ${ctx.storeId})
    select 'mem_' || a.member_id as subject,
           'has award ' || a.id || ' of rule ' || a.rule_id || ', which was taken back; its reward is ' || g.status as message
      from awards a join grants g on g.id = a.grant_id
     where g.status <> 'ended'
     order by 1 limit 100`
})
