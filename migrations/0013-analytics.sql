-- What happened per shop-local day, kept up to date by the writes, so that reading a year costs the same however much
-- history a store has. Writers append changes (a shared counter would make them wait for each other) and the analytics
-- engine rolls them up into days. A reader adds both in one snapshot, so it sees every commit at once.
--
-- Metrics are amounts that are summed over days. Those marked (s) are differences of a state; their sum is the state.
--   members_active (s), members_paused (s), members_new, members_cancelled    from members
--   yearly_value (s), at_risk (s), cancellations (detail: the reason)         from subscriptions
--   charges_pending (s), charges_succeeded, charges_failed, recovered         from billing_attempts
--   revenue, refunds                                                          from billing_attempts, orders
--   credit_balance (s), credit_issued, credit_redeemed, credit_expired        from credit_entries
--   points_issued, points_redeemed                                            from points_entries

-- One row for all metrics of a day, since a year of days is read at once.
create table daily_metrics (
  store_id bigint not null references stores,
  -- 0: the whole store, including what belongs to no plan.
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
  -- Each page has room for the next version of today's row.
) with (fillfactor = 70);
select protect_table('daily_metrics');

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
create table metric_totals (
  store_id bigint not null references stores,
  plan_id bigint not null,
  metric text not null,
  amount numeric not null,
  primary key (store_id, plan_id, metric)
) with (fillfactor = 50);
select protect_table('metric_totals');

-- The rolled-up metrics, one row each.
create view rolled_up_metrics with (security_invoker = true) as
  select d.store_id, d.plan_id, d.day, f.metric, ''::text as detail, f.amount
    from daily_metrics d
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
     ('points_redeemed', d.points_redeemed::numeric)) f(metric, amount)
   where f.amount <> 0
  union all
  select c.store_id, c.plan_id, c.day, 'cancellations', c.reason, c.cancellations from daily_cancellations c;
grant select on rolled_up_metrics to perennial_store, perennial_operator;

-- Changes that are not rolled up yet. There is no foreign key: each was made from rows that have one, and is soon deleted.
create table metric_changes (
  store_id bigint not null,
  id bigint generated always as identity,
  -- Null: counts for the whole store only. A change with a plan counts for both.
  plan_id bigint,
  day date not null,
  metric text not null,
  detail text not null default '',
  amount numeric not null,
  primary key (store_id, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
select protect_table('metric_changes');

-- Each change of a member's or subscription's part in the metrics, stored permanently, since their own rows have only the current state.
create table status_changes (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  subject text not null check (subject in ('member', 'subscription')),
  subject_id bigint not null,
  at timestamptz not null,
  plan_id bigint,
  day date not null,
  metric text not null,
  detail text not null default '',
  amount numeric not null,
  primary key (store_id, id)
);
select protect_table('status_changes');

-- Which orders belong to subscriptions. Checkout: the order that began one; otherwise a renewal.
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
