-- Moves up to `most` changes into the metrics of their days and into the totals, and returns how many it moved. Does
-- nothing while another process does it. One statement: a reader sees a change as waiting or as rolled up, never both.
create or replace function roll_up_metrics(store bigint, most integer default 5000) returns integer language plpgsql as $$
declare
  mark record;
  rolled_up integer;
  last_taken bigint;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('metrics', store)) then return 0; end if;
  select * into mark from begin_rollup(store, 'metrics');
  with taken as (
    -- By a range, which is read from the index whatever the planner takes the table to be like.
    delete from metric_changes
     where store_id = store and id > mark.rolled_up_to
       and id <= coalesce((select c.id from metric_changes c where c.store_id = store and c.id > mark.rolled_up_to
                            order by c.id offset most - 1 limit 1), 9223372036854775807)
    returning id, plan_id, day, metric, detail, amount),
  moved as (
    select f.plan_id, t.day, t.metric, t.detail, sum(t.amount) as amount
      from taken t
     cross join lateral (select 0::bigint as plan_id union all select t.plan_id where t.plan_id is not null) f
     group by f.plan_id, t.day, t.metric, t.detail having sum(t.amount) <> 0),
  days as (
    insert into daily_metrics (store_id, plan_id, day,
                               members_active, members_paused, members_new, members_cancelled, yearly_value, at_risk,
                               charges_pending, charges_succeeded, charges_failed, recovered, revenue, refunds,
                               credit_balance, credit_issued, credit_redeemed, credit_expired, points_issued,
                               points_redeemed, coupons_issued, offers_shown, offers_accepted, offers_saved)
    select store, plan_id, day,
           coalesce(sum(amount) filter (where metric = 'members_active'), 0) as members_active,
           coalesce(sum(amount) filter (where metric = 'members_paused'), 0) as members_paused,
           coalesce(sum(amount) filter (where metric = 'members_new'), 0) as members_new,
           coalesce(sum(amount) filter (where metric = 'members_cancelled'), 0) as members_cancelled,
           coalesce(sum(amount) filter (where metric = 'yearly_value'), 0) as yearly_value,
           coalesce(sum(amount) filter (where metric = 'at_risk'), 0) as at_risk,
           coalesce(sum(amount) filter (where metric = 'charges_pending'), 0) as charges_pending,
           coalesce(sum(amount) filter (where metric = 'charges_succeeded'), 0) as charges_succeeded,
           coalesce(sum(amount) filter (where metric = 'charges_failed'), 0) as charges_failed,
           coalesce(sum(amount) filter (where metric = 'recovered'), 0) as recovered,
           coalesce(sum(amount) filter (where metric = 'revenue'), 0) as revenue,
           coalesce(sum(amount) filter (where metric = 'refunds'), 0) as refunds,
           coalesce(sum(amount) filter (where metric = 'credit_balance'), 0) as credit_balance,
           coalesce(sum(amount) filter (where metric = 'credit_issued'), 0) as credit_issued,
           coalesce(sum(amount) filter (where metric = 'credit_redeemed'), 0) as credit_redeemed,
           coalesce(sum(amount) filter (where metric = 'credit_expired'), 0) as credit_expired,
           coalesce(sum(amount) filter (where metric = 'points_issued'), 0) as points_issued,
           coalesce(sum(amount) filter (where metric = 'points_redeemed'), 0) as points_redeemed,
           coalesce(sum(amount) filter (where metric = 'coupons_issued'), 0) as coupons_issued,
           coalesce(sum(amount) filter (where metric = 'offers_shown'), 0) as offers_shown,
           coalesce(sum(amount) filter (where metric = 'offers_accepted'), 0) as offers_accepted,
           coalesce(sum(amount) filter (where metric = 'offers_saved'), 0) as offers_saved
      from moved where metric <> 'cancellations' group by plan_id, day
    on conflict (store_id, plan_id, day) do update set
      members_active = daily_metrics.members_active + excluded.members_active,
      members_paused = daily_metrics.members_paused + excluded.members_paused,
      members_new = daily_metrics.members_new + excluded.members_new,
      members_cancelled = daily_metrics.members_cancelled + excluded.members_cancelled,
      yearly_value = daily_metrics.yearly_value + excluded.yearly_value,
      at_risk = daily_metrics.at_risk + excluded.at_risk,
      charges_pending = daily_metrics.charges_pending + excluded.charges_pending,
      charges_succeeded = daily_metrics.charges_succeeded + excluded.charges_succeeded,
      charges_failed = daily_metrics.charges_failed + excluded.charges_failed,
      recovered = daily_metrics.recovered + excluded.recovered,
      revenue = daily_metrics.revenue + excluded.revenue,
      refunds = daily_metrics.refunds + excluded.refunds,
      credit_balance = daily_metrics.credit_balance + excluded.credit_balance,
      credit_issued = daily_metrics.credit_issued + excluded.credit_issued,
      credit_redeemed = daily_metrics.credit_redeemed + excluded.credit_redeemed,
      credit_expired = daily_metrics.credit_expired + excluded.credit_expired,
      points_issued = daily_metrics.points_issued + excluded.points_issued,
      points_redeemed = daily_metrics.points_redeemed + excluded.points_redeemed,
      coupons_issued = daily_metrics.coupons_issued + excluded.coupons_issued,
      offers_shown = daily_metrics.offers_shown + excluded.offers_shown,
      offers_accepted = daily_metrics.offers_accepted + excluded.offers_accepted,
      offers_saved = daily_metrics.offers_saved + excluded.offers_saved),
  cancellations as (
    insert into daily_cancellations (store_id, plan_id, day, reason, cancellations)
    select store, plan_id, day, detail, amount from moved where metric = 'cancellations'
    on conflict (store_id, plan_id, day, reason)
      do update set cancellations = daily_cancellations.cancellations + excluded.cancellations),
  totals as (
    insert into metric_totals (store_id, plan_id, metric, amount)
    select store, plan_id, metric, sum(amount) from moved group by plan_id, metric
    on conflict (store_id, plan_id, metric) do update set amount = metric_totals.amount + excluded.amount)
  select count(*), max(id) into rolled_up, last_taken from taken;
  perform end_rollup(store, 'metrics', mark, last_taken, rolled_up = most);
  return rolled_up;
end $$;
