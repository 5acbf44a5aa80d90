import { defineAuditRule } from '#kit/define-audit-rule'
import { sql } from '#kit/postgres'
import { recomputedTiers } from './customer-tiers/recompute-tiers.ts'
import { areTiersOn, areTiersSettled } from './tiers/tier-stores.ts'

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
        from loyalty_awards
       where store_id = ${ctx.storeId} and reversed_at is null and key not like 'referred:%' group by member_id, rule_id),
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

export const receiptsCounted = defineAuditRule({
  name: 'receipts_counted',
  severity: 'finding',
  help: 'A receipt counts another amount than was approved, or counts without it.',
  counted: (ctx) => sql`select count(*) as count from loyalty_receipts where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    with receipts as (
      select id, member_id, rule_id, status, coalesce(approved_minor, 0) as approved_minor from loyalty_receipts
       where store_id = ${ctx.storeId}),
    counts as (
      select member_id, rule_id, cause, amount from loyalty_counts where store_id = ${ctx.storeId} and cause like 'receipt:%')
    select 'mem_' || r.member_id as subject,
           'has receipt ' || r.id || ', ' || r.status || ' with ' || r.approved_minor || ' minor units, which counts '
             || coalesce(c.amount::text, 'nothing') as message
      from receipts r
      left join counts c on c.member_id = r.member_id and c.rule_id = r.rule_id and c.cause = 'receipt:' || r.id
     where c.amount is distinct from r.approved_minor
     order by 1 limit 100`
})

export const loyaltyAwardsGiven = defineAuditRule({
  name: 'loyalty_awards_given',
  severity: 'finding',
  help: 'A reward of loyalty stands without its points, or points of one that was taken back were not.',
  counted: (ctx) => sql`select count(*) as count from loyalty_awards where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    with undone as (
      select reverses_id, bool_or(type = 'reversed' and reversal is null) as is_whole,
             sum(shortfall_points - points - pending_points) as asked
        from points_entries where store_id = ${ctx.storeId} and reverses_id is not null group by reverses_id),
    entries as (
      select id, points + pending_points as points from points_entries where store_id = ${ctx.storeId})
    select 'mem_' || a.member_id as subject,
           'has award ' || a.id || ' of rule ' || a.rule_id || ' for ' || a.points || ' points, '
             || case when a.reversed_at is null then 'which stands' else 'which was taken back' end || '; its entry has '
             || coalesce(e.points::text, 'no') || ' points' || case when u.is_whole then ' and was undone'
                                                      when u.asked > 0 then ', of which ' || u.asked || ' were taken back' else '' end as message
      from loyalty_awards a
      left join entries e on e.id = a.points_entry_id
      left join undone u on u.reverses_id = a.points_entry_id
     where a.store_id = ${ctx.storeId} and a.points is not null
       and (e.points is distinct from a.points or (a.reversed_at is null and u.is_whole)
            or (a.reversed_at is not null and coalesce(u.asked, 0) < a.points))
     order by 1 limit 100`
})

export const loyaltyTiersFollowRules = defineAuditRule({
  name: 'loyalty_tiers_follow_rules',
  severity: 'finding',
  help:
    'A customer is in another tier of loyalty than the entry rules say: in a lower one, or in a higher one whose review was due. While ' +
    'events about points wait to be handled, during the walk over all customers after a change of the tiers, and while tiers are off, it is not checked.',
  counted: (ctx) =>
    sql`select count(*) as count from loyalty_customer_tiers where store_id = ${ctx.storeId} and tier_id is not null`,
  wrong: async (ctx) => {
    const isSettled = (await areTiersOn(ctx)) && (await areTiersSettled(ctx))
    return recomputedTiers(ctx, { isAll: false, limit: isSettled ? 100 : 0 })
  }
})

export const loyaltyReferralsRight = defineAuditRule({
  name: 'loyalty_referrals_right',
  severity: 'finding',
  help: 'An order counts as a referral that is not the first order of a new customer, or rewards stand for one that does not count.',
  counted: (ctx) => sql`select count(*) as count from loyalty_referrals where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    with referrals as (
      select order_id, friend_id, referrer_id, state from loyalty_referrals where store_id = ${ctx.storeId}),
    placed as (
      select id, member_id, processed_at from orders
       where store_id = ${ctx.storeId} and member_id in (select friend_id from referrals where state = 'valid')),
    firsts as (select distinct on (member_id) member_id, id from placed order by member_id, processed_at, id),
    counts as (
      select rule_id, member_id, split_part(cause, ':', 2)::bigint as order_id from loyalty_counts
       where store_id = ${ctx.storeId} and cause like 'referral:%' and amount > 0),
    rewards as (
      select rule_id, member_id, split_part(key, ':', 2)::bigint as order_id from loyalty_awards
       where store_id = ${ctx.storeId} and key like 'referred:%' and reversed_at is null)
    select 'ord_' || r.order_id as subject,
           'is a referral of mem_' || r.friend_id || ' by mem_' || r.referrer_id || ', and not the first order of another customer' as message
      from referrals r left join firsts f on f.member_id = r.friend_id
     where r.state = 'valid' and (r.friend_id = r.referrer_id or f.id is distinct from r.order_id)
    union all
    select 'ord_' || c.order_id, 'counts as a referral by mem_' || c.member_id || ' with rule ' || c.rule_id || ', and is none'
      from counts c left join referrals r on r.order_id = c.order_id
     where r.state is distinct from 'valid' or r.referrer_id <> c.member_id
    union all
    select 'ord_' || w.order_id, 'has rewarded the friend mem_' || w.member_id || ' by rule ' || w.rule_id || ', and does not count'
      from rewards w
      left join counts c on c.rule_id = w.rule_id and c.order_id = w.order_id
      left join referrals r on r.order_id = w.order_id
     where c.order_id is null or r.friend_id is distinct from w.member_id
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
