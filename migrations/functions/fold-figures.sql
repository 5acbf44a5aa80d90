-- Moves up to `most` changes into the figures of their days and into the totals, and returns how many it moved. Does
-- nothing while another process does it. One statement: a reader sees a change as waiting or as folded, never both.
create or replace function fold_figures(store bigint, most integer default 5000) returns integer language plpgsql as $$
declare
  mark record;
  folded integer;
  last_taken bigint;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('figures', store)) then return 0; end if;
  select * into mark from begin_fold(store, 'figures');
  with taken as (
    -- By a range, which is read from the index whatever the planner takes the table to be like.
    delete from figure_changes
     where store_id = store and id > mark.folded_to
       and id <= coalesce((select c.id from figure_changes c where c.store_id = store and c.id > mark.folded_to
                            order by c.id offset most - 1 limit 1), 9223372036854775807)
    returning id, plan_id, day, figure, detail, amount),
  moved as (
    select f.plan_id, t.day, t.figure, t.detail, sum(t.amount) as amount
      from taken t
     cross join lateral (select 0::bigint as plan_id union all select t.plan_id where t.plan_id is not null) f
     group by f.plan_id, t.day, t.figure, t.detail having sum(t.amount) <> 0),
  days as (
    insert into daily_figures (store_id, plan_id, day,
                               members_active, members_paused, members_new, members_cancelled, yearly_value, at_risk,
                               charges_pending, charges_succeeded, charges_failed, recovered, revenue, refunds,
                               credit_balance, credit_issued, credit_redeemed, credit_expired, points_issued,
                               points_redeemed)
    select store, plan_id, day,
           coalesce(sum(amount) filter (where figure = 'members_active'), 0) as members_active,
           coalesce(sum(amount) filter (where figure = 'members_paused'), 0) as members_paused,
           coalesce(sum(amount) filter (where figure = 'members_new'), 0) as members_new,
           coalesce(sum(amount) filter (where figure = 'members_cancelled'), 0) as members_cancelled,
           coalesce(sum(amount) filter (where figure = 'yearly_value'), 0) as yearly_value,
           coalesce(sum(amount) filter (where figure = 'at_risk'), 0) as at_risk,
           coalesce(sum(amount) filter (where figure = 'charges_pending'), 0) as charges_pending,
           coalesce(sum(amount) filter (where figure = 'charges_succeeded'), 0) as charges_succeeded,
           coalesce(sum(amount) filter (where figure = 'charges_failed'), 0) as charges_failed,
           coalesce(sum(amount) filter (where figure = 'recovered'), 0) as recovered,
           coalesce(sum(amount) filter (where figure = 'revenue'), 0) as revenue,
           coalesce(sum(amount) filter (where figure = 'refunds'), 0) as refunds,
           coalesce(sum(amount) filter (where figure = 'credit_balance'), 0) as credit_balance,
           coalesce(sum(amount) filter (where figure = 'credit_issued'), 0) as credit_issued,
           coalesce(sum(amount) filter (where figure = 'credit_redeemed'), 0) as credit_redeemed,
           coalesce(sum(amount) filter (where figure = 'credit_expired'), 0) as credit_expired,
           coalesce(sum(amount) filter (where figure = 'points_issued'), 0) as points_issued,
           coalesce(sum(amount) filter (where figure = 'points_redeemed'), 0) as points_redeemed
      from moved where figure <> 'cancellations' group by plan_id, day
    on conflict (store_id, plan_id, day) do update set
      members_active = daily_figures.members_active + excluded.members_active,
      members_paused = daily_figures.members_paused + excluded.members_paused,
      members_new = daily_figures.members_new + excluded.members_new,
      members_cancelled = daily_figures.members_cancelled + excluded.members_cancelled,
      yearly_value = daily_figures.yearly_value + excluded.yearly_value,
      at_risk = daily_figures.at_risk + excluded.at_risk,
      charges_pending = daily_figures.charges_pending + excluded.charges_pending,
      charges_succeeded = daily_figures.charges_succeeded + excluded.charges_succeeded,
      charges_failed = daily_figures.charges_failed + excluded.charges_failed,
      recovered = daily_figures.recovered + excluded.recovered,
      revenue = daily_figures.revenue + excluded.revenue,
      refunds = daily_figures.refunds + excluded.refunds,
      credit_balance = daily_figures.credit_balance + excluded.credit_balance,
      credit_issued = daily_figures.credit_issued + excluded.credit_issued,
      credit_redeemed = daily_figures.credit_redeemed + excluded.credit_redeemed,
      credit_expired = daily_figures.credit_expired + excluded.credit_expired,
      points_issued = daily_figures.points_issued + excluded.points_issued,
      points_redeemed = daily_figures.points_redeemed + excluded.points_redeemed),
  cancellations as (
    insert into daily_cancellations (store_id, plan_id, day, reason, cancellations)
    select store, plan_id, day, detail, amount from moved where figure = 'cancellations'
    on conflict (store_id, plan_id, day, reason)
      do update set cancellations = daily_cancellations.cancellations + excluded.cancellations),
  totals as (
    insert into figure_totals (store_id, plan_id, figure, amount)
    select store, plan_id, figure, sum(amount) from moved group by plan_id, figure
    on conflict (store_id, plan_id, figure) do update set amount = figure_totals.amount + excluded.amount)
  select count(*), max(id) into folded, last_taken from taken;
  perform end_fold(store, 'figures', mark, last_taken, folded = most);
  return folded;
end $$;
