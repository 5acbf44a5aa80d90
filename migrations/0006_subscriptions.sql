create table subscriptions (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  member_id bigint not null,
  plan_id bigint,
  platform_contract_id text not null check (platform_contract_id ~ '^[0-9]{1,20}$'),
  platform_revision text not null,
  name text not null,
  status text not null check (status in ('active', 'paused', 'cancelled', 'failed', 'expired')),
  price_minor bigint not null check (price_minor >= 0),
  currency text not null,
  interval text not null check (interval in ('day', 'week', 'month', 'year')),
  interval_count integer not null check (interval_count >= 1),
  -- The moment of cycle anchor_cycle. Cycle n falls n - anchor_cycle intervals after it, in the shop's zone; a date is
  -- never counted from the one before.
  anchor_at timestamptz not null,
  anchor_cycle integer not null check (anchor_cycle >= 1),
  -- The last cycle that was paid (0 during a trial), and the one to be billed next: cycles that fall into a pause are passed over.
  cycle_index integer not null check (cycle_index >= 0),
  next_cycle integer not null,
  next_billing_at timestamptz,
  -- When billing must look at this row: the next date, or a retry in dunning. Null while an attempt is open, while a
  -- hard decline waits for a new payment method, and whenever nothing may be charged.
  billing_due_at timestamptz,
  -- Definite declines of the cycle being billed.
  declines integer not null default 0,
  max_cycles integer,
  trial_ends_at timestamptz,
  paused_at timestamptz,
  resumes_at timestamptz,
  -- When it ended, in whichever of the three ways.
  cancelled_at timestamptz,
  cancel_reason text check (length(cancel_reason) <= 200),
  cancel_comment text check (length(cancel_comment) <= 1024),
  origin_order_id bigint,
  payment_method jsonb,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id),
  unique (store_id, platform_contract_id),
  foreign key (store_id, member_id) references members,
  foreign key (store_id, plan_id) references plans,
  foreign key (store_id, origin_order_id) references orders,
  check (next_cycle > cycle_index),
  check (status = 'active' or (next_billing_at is null and billing_due_at is null)),
  check ((status = 'paused') = (paused_at is not null)),
  check (status = 'paused' or resumes_at is null),
  check ((status in ('cancelled', 'failed', 'expired')) = (cancelled_at is not null)),
  check ((cancelled_at is null) = (cancel_reason is null))
);
create index subscriptions_due on subscriptions (store_id, billing_due_at) where billing_due_at is not null;
create index subscriptions_resuming on subscriptions (store_id, resumes_at) where resumes_at is not null;
create index subscriptions_by_member on subscriptions (store_id, member_id);
create index subscriptions_newest on subscriptions (store_id, created_at desc, id desc);
select protect_table('subscriptions');
