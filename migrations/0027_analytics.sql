-- Analytics: what happened per shop-local day, kept by the writes, so that reading a year costs the same whatever the store
-- has behind it. Writers append changes (never a shared counter, which they would queue for); the analytics engine folds
-- them into days. A reader adds folded and not yet folded in one snapshot, so it sees every commit at once.
--
-- Figures are amounts that are summed over days. Those marked (s) are differences of a state, whose sum is the state.
--   members_active (s), members_paused (s), members_new, members_cancelled    from members
--   yearly_value (s), at_risk (s), cancellations (detail: the reason)         from subscriptions
--   charges_pending (s), charges_succeeded, charges_failed, recovered         from billing_attempts
--   revenue, refunds                                                          from billing_attempts, orders
--   credit_balance (s), credit_issued, credit_redeemed, credit_expired        from credit_entries
--   points_issued, points_redeemed                                            from points_entries

-- One row for all figures of a day, since a year of days is read at once.
create table daily_figures (
  store_id bigint not null references stores,
  -- 0: the whole store, those without a plan included.
  plan_id bigint not null,
  day date not null,
  members_active bigint not null default 0,
  members_paused bigint not null default 0,
  members_new bigint not null default 0,
  members_cancelled bigint not null default 0,
  yearly_value numeric not null default 0,
  at_risk bigint not null default 0,
  charges_pending bigint not null default 0,
  charges_succeeded bigint not null default 0,
  charges_failed bigint not null default 0,
  recovered bigint not null default 0,
  revenue bigint not null default 0,
  refunds bigint not null default 0,
  credit_balance bigint not null default 0,
  credit_issued bigint not null default 0,
  credit_redeemed bigint not null default 0,
  credit_expired bigint not null default 0,
  points_issued bigint not null default 0,
  points_redeemed bigint not null default 0,
  primary key (store_id, plan_id, day)
  -- Room on each page for the next version of today's row.
) with (fillfactor = 70);
select protect_table('daily_figures');

create table daily_cancellations (
  store_id bigint not null references stores,
  plan_id bigint not null,
  day date not null,
  reason text not null,
  cancellations bigint not null,
  primary key (store_id, plan_id, day, reason)
);
select protect_table('daily_cancellations');

-- The sum of all days, from which a state is counted back: a period needs no days before it.
create table figure_totals (
  store_id bigint not null references stores,
  plan_id bigint not null,
  figure text not null,
  amount numeric not null,
  primary key (store_id, plan_id, figure)
) with (fillfactor = 50);
select protect_table('figure_totals');

-- The folded figures, one row each.
create view folded_figures with (security_invoker = true) as
  select d.store_id, d.plan_id, d.day, f.figure, ''::text as detail, f.amount
    from daily_figures d
   cross join lateral (values
     ('members_active', d.members_active::numeric),
     ('members_paused', d.members_paused::numeric),
     ('members_new', d.members_new::numeric),
     ('members_cancelled', d.members_cancelled::numeric),
     ('yearly_value', d.yearly_value::numeric),
     ('at_risk', d.at_risk::numeric),
     ('charges_pending', d.charges_pending::numeric),
     ('charges_succeeded', d.charges_succeeded::numeric),
     ('charges_failed', d.charges_failed::numeric),
     ('recovered', d.recovered::numeric),
     ('revenue', d.revenue::numeric),
     ('refunds', d.refunds::numeric),
     ('credit_balance', d.credit_balance::numeric),
     ('credit_issued', d.credit_issued::numeric),
     ('credit_redeemed', d.credit_redeemed::numeric),
     ('credit_expired', d.credit_expired::numeric),
     ('points_issued', d.points_issued::numeric),
     ('points_redeemed', d.points_redeemed::numeric)) f(figure, amount)
   where f.amount <> 0
  union all
  select c.store_id, c.plan_id, c.day, 'cancellations', c.reason, c.cancellations from daily_cancellations c;
grant select on folded_figures to perennial_store, perennial_operator;

-- Not yet folded. No foreign key: each row was made from rows that have one, and lives for a moment.
create table figure_changes (
  store_id bigint not null,
  id bigint generated always as identity,
  -- Null: counts for the whole store only. A plan's changes count for both.
  plan_id bigint,
  day date not null,
  figure text not null,
  detail text not null default '',
  amount numeric not null,
  primary key (store_id, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
select protect_table('figure_changes');

-- How each member's and subscription's part in the figures changed, kept for good: their rows only tell the present.
create table standing_changes (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  subject text not null check (subject in ('member', 'subscription')),
  subject_id bigint not null,
  at timestamptz not null,
  plan_id bigint,
  day date not null,
  figure text not null,
  detail text not null default '',
  amount numeric not null,
  primary key (store_id, id)
);
select protect_table('standing_changes');

-- Which orders are subscriptions' orders: `checkout` where one began, else a renewal's.
create table subscription_orders (
  store_id bigint not null references stores,
  order_id bigint not null,
  plan_id bigint,
  checkout boolean not null,
  primary key (store_id, order_id),
  foreign key (store_id, order_id) references orders,
  foreign key (store_id, plan_id) references plans
);
select protect_table('subscription_orders');

-- What the platform says was paid back, in all; and each time it said more (or less), when we learned of it.
alter table orders add column refunded_minor bigint not null default 0;
create table order_refunds (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  order_id bigint not null,
  amount_minor bigint not null check (amount_minor <> 0),
  known_at timestamptz not null,
  primary key (store_id, id),
  foreign key (store_id, order_id) references orders
);
create index order_refunds_by_order on order_refunds (store_id, order_id);
select protect_table('order_refunds');

-- The plan at the time of writing: a member's or subscription's plan may be another one later.
alter table billing_attempts add column plan_id bigint;
alter table credit_entries add column plan_id bigint;
alter table points_entries add column plan_id bigint;

create function note_plan_of_member() returns trigger language plpgsql as $$
begin
  new.plan_id := (select m.plan_id from members m where m.store_id = new.store_id and m.id = new.member_id);
  return new;
end $$;
create trigger note_plan before insert on credit_entries for each row execute function note_plan_of_member();
create trigger note_plan before insert on points_entries for each row execute function note_plan_of_member();

create function note_plan_of_subscription() returns trigger language plpgsql as $$
begin
  new.plan_id := (select s.plan_id from subscriptions s where s.store_id = new.store_id and s.id = new.subscription_id);
  return new;
end $$;
create trigger note_plan before insert on billing_attempts for each row execute function note_plan_of_subscription();

-- ── What a row comes to ────────────────────────────────────────────────────────────────────────────────────────────

create function shop_day(at timestamptz, zone text) returns date language sql immutable as
  $$ select (at at time zone zone)::date $$;

-- What a subscription brings in a year, in parts of a minor unit: a whole number for every interval count up to 28 (the
-- number here is the least common multiple of 1 to 28), so that sums are exact and are rounded once, when they are read.
create function yearly_value(status text, price_minor bigint, "interval" text, interval_count integer)
returns numeric language sql immutable as $$
  select case when status = 'active' then
    round(price_minor::numeric * 80313433200
          * case "interval" when 'day' then 365 when 'week' then 52 when 'month' then 12 else 1 end / interval_count)
  else 0 end
$$;

-- The change of a member's standing on a day. One who was none before (`was` is null) began on `since`.
create function member_moves(was text, was_plan bigint, is_now text, plan bigint, since date, today date)
returns table (plan_id bigint, day date, figure text, detail text, amount numeric) language sql immutable as $$
  select m.plan_id, m.day, m.figure, ''::text, sum(m.amount)::numeric
    from (values
      (was_plan, today, 'members_active', -(was = 'active')::int),
      (was_plan, today, 'members_paused', -(was = 'paused')::int),
      (was_plan, today, 'members_cancelled', (was in ('active', 'paused') and is_now = 'cancelled')::int),
      (plan, case when was is null then least(since, today) else today end, 'members_active', (is_now = 'active')::int),
      (plan, case when was is null then least(since, today) else today end, 'members_paused', (is_now = 'paused')::int),
      (plan, least(since, today), 'members_new', (was is null)::int)
    ) m(plan_id, day, figure, amount)
   where m.amount <> 0
   group by m.plan_id, m.day, m.figure having sum(m.amount) <> 0
$$;

-- The change of a subscription's part on a day. Its value counts from the day its trial ends, known ahead.
create function subscription_moves(
  was text, was_plan bigint, was_value numeric, was_from date, was_risk bigint,
  is_now text, plan bigint, value numeric, value_from date, risk bigint, reason text, today date)
returns table (plan_id bigint, day date, figure text, detail text, amount numeric) language sql immutable as $$
  select m.plan_id, m.day, m.figure, m.detail, sum(m.amount)
    from (values
      (was_plan, greatest(today, was_from), 'yearly_value', '', -was_value),
      (plan, greatest(today, value_from), 'yearly_value', '', value),
      (was_plan, today, 'at_risk', '', -was_risk::numeric),
      (plan, today, 'at_risk', '', risk::numeric),
      (plan, today, 'cancellations', coalesce(reason, ''),
        (was in ('active', 'paused') and is_now not in ('active', 'paused'))::int::numeric)
    ) m(plan_id, day, figure, detail, amount)
   where m.amount <> 0
   group by m.plan_id, m.day, m.figure, m.detail having sum(m.amount) <> 0
$$;

-- What an attempt comes to; a day that is null leaves its part out. One that was voided never reached the platform.
create function attempt_figures(status text, error_code text, amount_minor bigint, recovered boolean, opened date, ended date)
returns table (day date, figure text, amount numeric) language sql immutable as $$
  select m.day, m.figure, m.amount
    from (values
      (opened, 'charges_pending', 1::numeric),
      (ended, 'charges_pending', -1),
      (ended, 'charges_succeeded', (status = 'success')::int),
      (ended, 'charges_failed', (status = 'failed' and error_code <> 'voided')::int),
      (ended, 'revenue', case when status = 'success' then amount_minor else 0 end),
      (ended, 'recovered', case when status = 'success' and recovered then amount_minor else 0 end)
    ) m(day, figure, amount)
   where m.day is not null and m.amount <> 0
$$;

-- Whether the cycle of an attempt had been declined before it.
create function cycle_declined(store bigint, subscription bigint, cycle integer, number integer)
returns boolean language sql stable as $$
  select exists (
    select from billing_attempts e
     where e.store_id = store and e.subscription_id = subscription and e.cycle_index = cycle
       and e.attempt_number < number and e.status = 'failed' and e.error_code <> 'voided')
$$;

-- What a checkout brought in: nothing while it is not paid.
create function checkout_revenue(financial_status text, total_minor bigint) returns bigint language sql immutable as $$
  select case when financial_status in ('paid', 'partially_refunded', 'refunded') then total_minor else 0 end
$$;

-- What a ledger entry comes to, by its type (the Data API's codes): some move the balance only.
create function credit_figures(type smallint, amount_minor bigint)
returns table (figure text, amount numeric) language sql immutable as $$
  select m.figure, m.amount
    from (values
      ('credit_balance', amount_minor::numeric),
      (case when type in (1, 2, 5, 10, 11, 12) then 'credit_issued' end, amount_minor),
      (case when type in (3, 4) then 'credit_redeemed' end, -amount_minor),
      (case when type = 8 then 'credit_expired' end, -amount_minor)
    ) m(figure, amount)
   where m.figure is not null
$$;

-- ── Changes that the writes leave behind ───────────────────────────────────────────────────────────────────────────
-- Amounts in another currency than the store's are in no figure of money. Old and new rows are added up rather than
-- joined, since a plan for a join of one row is kept for one of many.

create function append_standing_changes() returns trigger language plpgsql as $$
begin
  insert into figure_changes (store_id, plan_id, day, figure, detail, amount)
  select n.store_id, n.plan_id, n.day, n.figure, n.detail, sum(n.amount) from new_rows n
   group by n.store_id, n.plan_id, n.day, n.figure, n.detail having sum(n.amount) <> 0;
  return null;
end $$;
create trigger append_figures after insert on standing_changes
  referencing new table as new_rows for each statement execute function append_standing_changes();

create function append_member_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into standing_changes (store_id, subject, subject_id, at, plan_id, day, figure, detail, amount)
    select n.store_id, 'member', n.id, n.updated_at, f.*
      from new_rows n join stores s on s.store_id = n.store_id
     cross join lateral member_moves(null, null, n.status, n.plan_id,
       shop_day(n.member_since, s.timezone), shop_day(n.updated_at, s.timezone)) f
     where n.status is not null;
  else
    insert into standing_changes (store_id, subject, subject_id, at, plan_id, day, figure, detail, amount)
    select n.store_id, 'member', n.id, n.updated_at, f.*
      from (select b.store_id, b.id, max(b.was) as was, max(b.was_plan) as was_plan, max(b.status) as status,
                   max(b.plan_id) as plan_id, max(b.member_since) as member_since, max(b.updated_at) as updated_at
              from (select store_id, id, status as was, plan_id as was_plan, null as status, null::bigint as plan_id,
                           null::timestamptz as member_since, null::timestamptz as updated_at from old_rows
                    union all
                    select store_id, id, null, null, status, plan_id, member_since, updated_at from new_rows) b
             group by b.store_id, b.id
            having (max(b.was), max(b.was_plan)) is distinct from (max(b.status), max(b.plan_id))) n
      join stores s on s.store_id = n.store_id
     cross join lateral member_moves(n.was, n.was_plan, n.status, n.plan_id,
       shop_day(n.member_since, s.timezone), shop_day(n.updated_at, s.timezone)) f;
  end if;
  return null;
end $$;
create trigger append_figures_new after insert on members
  referencing new table as new_rows for each statement execute function append_member_changes();
create trigger append_figures after update on members
  referencing old table as old_rows new table as new_rows for each statement execute function append_member_changes();

create function append_subscription_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into standing_changes (store_id, subject, subject_id, at, plan_id, day, figure, detail, amount)
    select n.store_id, 'subscription', n.id, n.updated_at, f.*
      from new_rows n join stores s on s.store_id = n.store_id
     cross join lateral subscription_moves(null, null, null, null, null, n.status, n.plan_id,
       case when n.currency = s.currency then yearly_value(n.status, n.price_minor, n.interval, n.interval_count) end,
       shop_day(n.trial_ends_at, s.timezone),
       case when n.currency = s.currency and n.status = 'active' and n.declines > 0 then n.price_minor end,
       n.cancel_reason, shop_day(least(n.created_at, n.updated_at), s.timezone)) f;
    insert into subscription_orders (store_id, order_id, plan_id, checkout)
    select distinct on (n.store_id, n.origin_order_id) n.store_id, n.origin_order_id, n.plan_id, true
      from new_rows n where n.origin_order_id is not null
     order by n.store_id, n.origin_order_id, n.id
    on conflict do nothing;
  else
    insert into standing_changes (store_id, subject, subject_id, at, plan_id, day, figure, detail, amount)
    select n.store_id, 'subscription', n.id, n.updated_at, f.*
      from (select b.store_id, b.id, max(b.updated_at) as updated_at, max(b.cancel_reason) as cancel_reason,
                   max(b.status) filter (where b.old) as was, max(b.status) filter (where not b.old) as status,
                   max(b.plan_id) filter (where b.old) as was_plan, max(b.plan_id) filter (where not b.old) as plan_id,
                   max(b.value) filter (where b.old) as was_value, max(b.value) filter (where not b.old) as value,
                   max(b.from_day) filter (where b.old) as was_from, max(b.from_day) filter (where not b.old) as from_day,
                   max(b.risk) filter (where b.old) as was_risk, max(b.risk) filter (where not b.old) as risk,
                   max(b.timezone) as timezone
              from (select x.store_id, x.id, x.old, x.status, x.plan_id, x.updated_at, x.cancel_reason, s.timezone,
                           case when x.currency = s.currency
                             then yearly_value(x.status, x.price_minor, x.interval, x.interval_count) end as value,
                           shop_day(x.trial_ends_at, s.timezone) as from_day,
                           case when x.currency = s.currency and x.status = 'active' and x.declines > 0
                             then x.price_minor end as risk
                      from (select true as old, store_id, id, status, plan_id, price_minor, currency, interval, interval_count,
                                   trial_ends_at, declines, null::timestamptz as updated_at, null as cancel_reason
                              from old_rows
                            union all
                            select false, store_id, id, status, plan_id, price_minor, currency, interval, interval_count,
                                   trial_ends_at, declines, updated_at, cancel_reason
                              from new_rows) x
                      join stores s on s.store_id = x.store_id) b
             group by b.store_id, b.id) n
     cross join lateral subscription_moves(n.was, n.was_plan, n.was_value, n.was_from, n.was_risk,
       n.status, n.plan_id, n.value, n.from_day, n.risk, n.cancel_reason, shop_day(n.updated_at, n.timezone)) f
     where (n.was, n.was_plan, n.was_value, n.was_from, n.was_risk)
           is distinct from (n.status, n.plan_id, n.value, n.from_day, n.risk);
  end if;
  return null;
end $$;
create trigger append_figures_new after insert on subscriptions
  referencing new table as new_rows for each statement execute function append_subscription_changes();
create trigger append_figures after update on subscriptions
  referencing old table as old_rows new table as new_rows for each statement execute function append_subscription_changes();

create function append_attempt_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into figure_changes (store_id, plan_id, day, figure, amount)
    select n.store_id, n.plan_id, f.day, f.figure, sum(f.amount)
      from new_rows n join stores s on s.store_id = n.store_id
     cross join lateral attempt_figures(n.status, n.error_code, case when n.currency = s.currency then n.amount_minor else 0 end,
       n.status = 'success' and n.attempt_number > 1
         and cycle_declined(n.store_id, n.subscription_id, n.cycle_index, n.attempt_number),
       shop_day(n.created_at, s.timezone), shop_day(n.completed_at, s.timezone)) f
     group by n.store_id, n.plan_id, f.day, f.figure having sum(f.amount) <> 0;
    insert into subscription_orders (store_id, order_id, plan_id, checkout)
    select n.store_id, n.order_id, n.plan_id, false from new_rows n where n.order_id is not null
    on conflict do nothing;
  else
    -- An attempt ends once, and gets its order then: what has ended and had not, less what had ended before.
    insert into figure_changes (store_id, plan_id, day, figure, amount)
    select n.store_id, n.plan_id, f.day, f.figure, sum(f.amount * n.sign)
      from (select 1 as sign, store_id, plan_id, subscription_id, cycle_index, attempt_number, status, error_code, currency,
                   amount_minor, completed_at from new_rows where status <> 'pending'
            union all
            select -1, store_id, plan_id, subscription_id, cycle_index, attempt_number, status, error_code, currency,
                   amount_minor, completed_at from old_rows where status <> 'pending') n
      join stores s on s.store_id = n.store_id
     cross join lateral attempt_figures(n.status, n.error_code, case when n.currency = s.currency then n.amount_minor else 0 end,
       n.status = 'success' and n.attempt_number > 1
         and cycle_declined(n.store_id, n.subscription_id, n.cycle_index, n.attempt_number),
       null, shop_day(n.completed_at, s.timezone)) f
     group by n.store_id, n.plan_id, f.day, f.figure having sum(f.amount * n.sign) <> 0;
    insert into subscription_orders (store_id, order_id, plan_id, checkout)
    select n.store_id, n.order_id, n.plan_id, false from new_rows n where n.order_id is not null
    on conflict do nothing;
  end if;
  return null;
end $$;
create trigger append_figures_new after insert on billing_attempts
  referencing new table as new_rows for each statement execute function append_attempt_changes();
create trigger append_figures after update on billing_attempts
  referencing old table as old_rows new table as new_rows for each statement execute function append_attempt_changes();

-- An order that turns out to be a subscription's. It is held while it is read, so that a refund told at the same time is
-- counted once: here, or by the trigger below, which then sees the link.
create function append_order_links() returns trigger language plpgsql as $$
begin
  perform from orders o join new_rows n on n.store_id = o.store_id and n.order_id = o.id order by o.id for share of o;
  insert into figure_changes (store_id, plan_id, day, figure, amount)
  select n.store_id, n.plan_id, shop_day(o.processed_at, s.timezone), 'revenue',
         sum(checkout_revenue(o.financial_status, o.total_minor))
    from new_rows n join stores s on s.store_id = n.store_id
    join orders o on o.store_id = n.store_id and o.id = n.order_id and o.currency = s.currency
   where n.checkout and checkout_revenue(o.financial_status, o.total_minor) <> 0
   group by 1, 2, 3
  union all
  select n.store_id, n.plan_id, shop_day(r.known_at, s.timezone), 'refunds', sum(r.amount_minor)
    from new_rows n join stores s on s.store_id = n.store_id
    join orders o on o.store_id = n.store_id and o.id = n.order_id and o.currency = s.currency
    join order_refunds r on r.store_id = o.store_id and r.order_id = o.id
   group by 1, 2, 3;
  return null;
end $$;
create trigger append_figures after insert on subscription_orders
  referencing new table as new_rows for each statement execute function append_order_links();

create function append_order_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into order_refunds (store_id, order_id, amount_minor, known_at)
    select n.store_id, n.id, n.refunded_minor, n.updated_at from new_rows n where n.refunded_minor <> 0;
    return null;
  end if;
  insert into order_refunds (store_id, order_id, amount_minor, known_at)
  select b.store_id, b.id, sum(b.refunded), max(b.updated_at)
    from (select store_id, id, -refunded_minor as refunded, null::timestamptz as updated_at from old_rows
          union all select store_id, id, refunded_minor, updated_at from new_rows) b
   group by b.store_id, b.id having sum(b.refunded) <> 0;
  insert into figure_changes (store_id, plan_id, day, figure, amount)
  select b.store_id, l.plan_id, f.day, f.figure, sum(f.amount)
    from (select -1 as sign, store_id, id, currency, refunded_minor, financial_status, total_minor, processed_at,
                 null::timestamptz as updated_at from old_rows
          union all
          select 1, store_id, id, currency, refunded_minor, financial_status, total_minor, processed_at, updated_at
            from new_rows) b
    join stores s on s.store_id = b.store_id and s.currency = b.currency
    join subscription_orders l on l.store_id = b.store_id and l.order_id = b.id
   cross join lateral (
     select shop_day(b.processed_at, s.timezone) as day, 'revenue' as figure,
            b.sign * checkout_revenue(b.financial_status, b.total_minor) as amount where l.checkout) f
   group by b.store_id, l.plan_id, f.day, f.figure having sum(f.amount) <> 0;
  insert into figure_changes (store_id, plan_id, day, figure, amount)
  select b.store_id, l.plan_id, shop_day(b.updated_at, s.timezone), 'refunds', sum(b.refunded)
    from (select store_id, id, max(currency) as currency, sum(refunded) as refunded, max(updated_at) as updated_at
            from (select store_id, id, null as currency, -refunded_minor as refunded, null::timestamptz as updated_at
                    from old_rows
                  union all select store_id, id, currency, refunded_minor, updated_at from new_rows) sides
           group by store_id, id having sum(refunded) <> 0) b
    join stores s on s.store_id = b.store_id and s.currency = b.currency
    join subscription_orders l on l.store_id = b.store_id and l.order_id = b.id
   group by 1, 2, 3;
  return null;
end $$;
create trigger append_figures_new after insert on orders
  referencing new table as new_rows for each statement execute function append_order_changes();
create trigger append_figures after update on orders
  referencing old table as old_rows new table as new_rows for each statement execute function append_order_changes();

create function append_credit_changes() returns trigger language plpgsql as $$
begin
  insert into figure_changes (store_id, plan_id, day, figure, amount)
  select n.store_id, n.plan_id, shop_day(n.created_at, s.timezone), f.figure, sum(f.amount)
    from new_rows n join stores s on s.store_id = n.store_id
   cross join lateral credit_figures(n.type, n.amount_minor) f
   group by 1, 2, 3, 4 having sum(f.amount) <> 0;
  return null;
end $$;
create trigger append_figures after insert on credit_entries
  referencing new table as new_rows for each statement execute function append_credit_changes();

create function append_points_changes() returns trigger language plpgsql as $$
begin
  insert into figure_changes (store_id, plan_id, day, figure, amount)
  select n.store_id, n.plan_id, shop_day(n.created_at, s.timezone),
         case when n.points > 0 then 'points_issued' else 'points_redeemed' end, sum(abs(n.points))
    from new_rows n join stores s on s.store_id = n.store_id
   group by 1, 2, 3, 4;
  return null;
end $$;
create trigger append_figures after insert on points_entries
  referencing new table as new_rows for each statement execute function append_points_changes();
