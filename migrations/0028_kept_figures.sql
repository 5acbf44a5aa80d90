-- Analytics, the second part: what the changes of figures are folded into, the same made from the rows behind them, and what
-- was there before figures were kept.

-- ── Folding ────────────────────────────────────────────────────────────────────────────────────────────────────────

-- Moves up to `most` changes into the figures of their days and into the totals, and tells how many it moved. Does
-- nothing while another process is at it. One statement: a reader sees a change as waiting or as folded, never both.
create function fold_figures(store bigint, most integer default 5000) returns integer language plpgsql as $$
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

-- ── The same, from the rows ────────────────────────────────────────────────────────────────────────────────────────

-- Every figure of a store as the rows behind it say. Reads all of its history.
create function figures_of_rows(store bigint)
returns table (plan_id bigint, day date, figure text, detail text, amount numeric) language sql stable as $$
  with s as (select timezone, currency from stores where store_id = store)
  select c.plan_id, c.day, c.figure, c.detail, c.amount from standing_changes c where c.store_id = store
  union all
  select a.plan_id, f.day, f.figure, '', f.amount
    from s cross join billing_attempts a
   cross join lateral attempt_figures(a.status, a.error_code, case when a.currency = s.currency then a.amount_minor else 0 end,
     a.status = 'success' and a.attempt_number > 1 and cycle_declined(store, a.subscription_id, a.cycle_index, a.attempt_number),
     shop_day(a.created_at, s.timezone), shop_day(a.completed_at, s.timezone)) f
   where a.store_id = store
  union all
  select l.plan_id, shop_day(o.processed_at, s.timezone), 'revenue', '', checkout_revenue(o.financial_status, o.total_minor)
    from s cross join subscription_orders l
    join orders o on o.store_id = store and o.id = l.order_id and o.currency = s.currency
   where l.store_id = store and l.checkout
  union all
  select l.plan_id, shop_day(r.known_at, s.timezone), 'refunds', '', r.amount_minor
    from s cross join subscription_orders l
    join orders o on o.store_id = store and o.id = l.order_id and o.currency = s.currency
    join order_refunds r on r.store_id = store and r.order_id = o.id
   where l.store_id = store
  union all
  select e.plan_id, shop_day(e.created_at, s.timezone), f.figure, '', f.amount
    from s cross join credit_entries e cross join lateral credit_figures(e.type, e.amount_minor) f where e.store_id = store
  union all
  select e.plan_id, shop_day(e.created_at, s.timezone),
         case when e.points > 0 then 'points_issued' else 'points_redeemed' end, '', abs(e.points)
    from s cross join points_entries e where e.store_id = store
$$;

-- Where what is kept differs from what the rows say; none when all is well. Plan 0 is the whole store.
create function figure_differences(store bigint)
returns table (plan_id bigint, day date, figure text, detail text, expected numeric, kept numeric) language sql stable as $$
  with by_rows as (
    select r.plan_id, r.day, r.figure, r.detail, sum(r.amount) as amount
      from figures_of_rows(store) r group by r.plan_id, r.day, r.figure, r.detail),
  wanted as (
    select 0::bigint as plan_id, r.day, r.figure, r.detail, sum(r.amount) as amount from by_rows r
     group by r.day, r.figure, r.detail
    union all
    select r.plan_id, r.day, r.figure, r.detail, r.amount from by_rows r where r.plan_id is not null),
  held as (
    select h.plan_id, h.day, h.figure, h.detail, sum(h.amount) as amount
      from (select d.plan_id, d.day, d.figure, d.detail, d.amount from folded_figures d where d.store_id = store
            union all
            select 0, c.day, c.figure, c.detail, c.amount from figure_changes c
             where c.store_id = store and c.id > folded_to(store, 'figures')
            union all
            select c.plan_id, c.day, c.figure, c.detail, c.amount from figure_changes c
             where c.store_id = store and c.id > folded_to(store, 'figures') and c.plan_id is not null) h
     group by h.plan_id, h.day, h.figure, h.detail)
  select coalesce(w.plan_id, h.plan_id), coalesce(w.day, h.day), coalesce(w.figure, h.figure),
         coalesce(w.detail, h.detail), coalesce(w.amount, 0), coalesce(h.amount, 0)
    from wanted w full join held h
      on h.plan_id = w.plan_id and h.day = w.day and h.figure = w.figure and h.detail = w.detail
   where coalesce(w.amount, 0) <> coalesce(h.amount, 0)
$$;

-- Brings the kept figures of a store in line with its rows and tells how many differed. Safe while others write: what
-- differs is found and corrected in one statement, by changes that count as any others.
create function rebuild_figures(store bigint) returns bigint language plpgsql as $$
declare corrected bigint;
begin
  perform pg_advisory_xact_lock(hashtextextended('figures', store));
  delete from fold_marks where store_id = store and changes = 'figures';
  with wrong as materialized (
    select d.plan_id, d.day, d.figure, d.detail, d.expected - d.kept as amount from figure_differences(store) d),
  appended as (
    insert into figure_changes (store_id, plan_id, day, figure, detail, amount)
    select store, w.plan_id, w.day, w.figure, w.detail, w.amount from wrong w where w.plan_id > 0
    union all
    -- What a plan's correction brings to the whole store, taken off again.
    select store, null, w.day, w.figure, w.detail, sum(case when w.plan_id = 0 then w.amount else -w.amount end)
      from wrong w group by w.day, w.figure, w.detail
    having sum(case when w.plan_id = 0 then w.amount else -w.amount end) <> 0)
  select count(*) into corrected from wrong;
  delete from figure_totals t where t.store_id = store;
  insert into figure_totals (store_id, plan_id, figure, amount)
  select store, d.plan_id, d.figure, sum(d.amount) from folded_figures d
   where d.store_id = store group by d.plan_id, d.figure;
  return corrected;
end $$;

-- ── What was there before ──────────────────────────────────────────────────────────────────────────────────────────
-- The rows tell when a subscription began, and when it ended or was paused last; earlier pauses and prices are not known.

update billing_attempts a set plan_id = s.plan_id from subscriptions s where s.store_id = a.store_id and s.id = a.subscription_id;
update credit_entries e set plan_id = m.plan_id from members m where m.store_id = e.store_id and m.id = e.member_id;
update points_entries e set plan_id = m.plan_id from members m where m.store_id = e.store_id and m.id = e.member_id;

insert into standing_changes (store_id, subject, subject_id, at, plan_id, day, figure, detail, amount)
select b.store_id, 'subscription', b.id, b.at, f.*
  from (select u.*, s.timezone, u.currency = s.currency as ours from subscriptions u join stores s on s.store_id = u.store_id) x
 cross join lateral (
   -- As it began, and as it is since it was paused or ended; a decline is taken to be of its last change.
   select x.store_id, x.id, x.created_at as at, null::text as was, 'active' as is_now, 0 as declines, 0 as was_declines
   union all
   select x.store_id, x.id, coalesce(x.paused_at, x.cancelled_at, x.updated_at), 'active', x.status, x.declines, 0
    where x.status <> 'active' or x.declines > 0) b
 cross join lateral subscription_moves(
   b.was, x.plan_id,
   case when x.ours and b.was is not null then yearly_value(b.was, x.price_minor, x.interval, x.interval_count) end,
   shop_day(x.trial_ends_at, x.timezone), null,
   b.is_now, x.plan_id,
   case when x.ours then yearly_value(b.is_now, x.price_minor, x.interval, x.interval_count) end,
   shop_day(x.trial_ends_at, x.timezone),
   case when x.ours and b.is_now = 'active' and b.declines > 0 then x.price_minor end,
   x.cancel_reason, shop_day(b.at, x.timezone)) f;

insert into standing_changes (store_id, subject, subject_id, at, plan_id, day, figure, detail, amount)
select x.store_id, 'member', x.id, b.at, f.*
  from (select m.*, s.timezone from members m join stores s on s.store_id = m.store_id where m.status is not null) x
  left join lateral (
    select max(u.cancelled_at) as cancelled_at, max(u.paused_at) as paused_at from subscriptions u
     where u.store_id = x.store_id and u.member_id = x.id) u on true
 cross join lateral (
   select x.member_since as at, null::text as was, 'active' as is_now
   union all
   select coalesce(case x.status when 'cancelled' then u.cancelled_at else u.paused_at end, x.updated_at), 'active', x.status
    where x.status <> 'active') b
 cross join lateral member_moves(b.was, x.plan_id, b.is_now, x.plan_id,
   shop_day(x.member_since, x.timezone), shop_day(b.at, x.timezone)) f;

insert into subscription_orders (store_id, order_id, plan_id, checkout)
select distinct on (store_id, origin_order_id) store_id, origin_order_id, plan_id, true
  from subscriptions where origin_order_id is not null order by store_id, origin_order_id, id
on conflict do nothing;
insert into subscription_orders (store_id, order_id, plan_id, checkout)
select store_id, order_id, plan_id, false from billing_attempts where order_id is not null
on conflict do nothing;

-- What the triggers above did not see: attempts and ledger entries.
select rebuild_figures(store_id) from stores;
