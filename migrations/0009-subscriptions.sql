create table subscriptions (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  -- Who pays: the customer of the platform's contract.
  member_id bigint not null,
  -- Who holds the membership, when it was given away. Null: the payer.
  receiver_member_id bigint,
  gifted_at timestamptz,
  -- Null: the subscription is of no plan of ours.
  plan_id bigint,
  plan_version integer,
  platform_contract_id text not null check (platform_contract_id ~ '^[0-9]{1,20}$'),
  platform_revision text not null,
  name text not null,
  status text not null check (status in ('active', 'paused', 'cancelled', 'failed', 'expired')),
  -- The status that the API shows and filters by.
  public_status text not null generated always as
    (case when status in ('active', 'paused') then status else 'cancelled' end) stored,
  price_minor bigint not null check (price_minor >= 0),
  currency text not null,
  interval text not null check (interval in ('day', 'week', 'month', 'year')),
  interval_count integer not null check (interval_count >= 1),
  max_cycles integer,
  -- The moment of cycle anchor_cycle. Cycle n is n - anchor_cycle intervals after it, in the shop's time zone. A date is
  -- never calculated from the previous one.
  anchor_at timestamptz not null,
  anchor_cycle integer not null check (anchor_cycle >= 1),
  -- How many entries of stores.past_timezones the anchor and the dates have followed.
  timezone_rebases integer not null default 0 check (timezone_rebases >= 0),
  -- The last cycle that was paid (0 during a trial), and the one to bill next. Cycles during a pause or an outage are missed.
  cycle_index integer not null check (cycle_index >= 0),
  next_cycle integer not null,
  -- How many cycles were paid: max_cycles counts these, since a missed cycle does not count.
  cycles_paid integer not null default 0 check (cycles_paid >= 0),
  -- The cycle that was being charged, was declined or was due when the subscription was paused or cancelled. If its period
  -- has not ended when the subscription comes back, it is billed.
  past_due_cycle integer,
  next_billing_at timestamptz,
  -- The next billing date of the platform's contract when we last read or set it. A different date there means that
  -- somebody moved it. Null until it was read once.
  platform_next_billing_at timestamptz,
  -- When billing must process this row: the next date, or a retry in dunning. Null while an attempt is open, while a hard
  -- decline waits for a new payment method, and whenever nothing may be charged.
  billing_due_at timestamptz,
  -- Definite declines of the cycle being billed.
  declines integer not null default 0,
  -- Definite failures of that cycle because products are out of stock. They have a retry schedule of their own.
  inventory_failures integer not null default 0 check (inventory_failures >= 0),
  -- When a charge that waits for a new payment method ends. Null: nothing waits, or it waits without a limit.
  payment_method_deadline timestamptz,
  trial_ends_at timestamptz,
  paused_at timestamptz,
  resumes_at timestamptz,
  -- Dunning paused it. A late payment resumes it.
  paused_by_dunning boolean not null default false,
  -- When it ended, whether cancelled, failed or expired.
  cancelled_at timestamptz,
  cancel_reason text check (length(cancel_reason) <= 200),
  cancel_comment text check (length(cancel_comment) <= 1024),
  -- Until when our cancellation can be undone; the platform's contract is only paused until then. Null afterwards, and
  -- where there is no such period.
  grace_ends_at timestamptz,
  origin_order_id bigint,
  -- Which of the customer's payment methods is charged, by the last part of its global id: two cards can look the same.
  -- Null until it was seen.
  platform_payment_method_id text,
  payment_method jsonb,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id),
  unique (store_id, platform_contract_id),
  foreign key (store_id, member_id) references members,
  foreign key (store_id, receiver_member_id) references members,
  foreign key (store_id, plan_id) references plans,
  foreign key (store_id, plan_id, plan_version) references plan_versions,
  foreign key (store_id, origin_order_id) references orders,
  check (next_cycle > cycle_index),
  check (status = 'active' or (next_billing_at is null and billing_due_at is null)),
  check ((status = 'paused') = (paused_at is not null)),
  check (status = 'paused' or resumes_at is null),
  check ((status in ('cancelled', 'failed', 'expired')) = (cancelled_at is not null)),
  check ((cancelled_at is null) = (cancel_reason is null)),
  check (grace_ends_at is null or status = 'cancelled'),
  check (payment_method_deadline is null or (status = 'active' and billing_due_at is null)),
  check (receiver_member_id <> member_id),
  check ((receiver_member_id is null) = (gifted_at is null)),
  check (past_due_cycle is null or status in ('active', 'paused', 'cancelled')),
  check (not paused_by_dunning or status = 'paused')
);
-- Due rows are claimed by date and, where dates are equal, by id. Many are equal, after an import or at midnight, and
-- with both columns in the index a claim does not have to sort them.
create index subscriptions_due on subscriptions (store_id, billing_due_at, id) where billing_due_at is not null;
create index subscriptions_resuming on subscriptions (store_id, resumes_at, id) where resumes_at is not null;
create index subscriptions_payment_method_deadline on subscriptions (store_id, payment_method_deadline, id) where payment_method_deadline is not null;
create index subscriptions_in_grace on subscriptions (store_id, grace_ends_at) where grace_ends_at is not null;
create index subscriptions_by_member on subscriptions (store_id, member_id);
create index subscriptions_by_receiver on subscriptions (store_id, receiver_member_id) where receiver_member_id is not null;
-- Contract ids as numbers, the order in which the platform lists contracts: fewer digits first.
create index subscriptions_by_contract_number
  on subscriptions (store_id, length(platform_contract_id), platform_contract_id collate "C")
  where status in ('active', 'paused');
-- One index per facet of the list: all, by status, by plan, by plan and status.
create index subscriptions_newest on subscriptions (store_id, created_at desc, id desc);
create index subscriptions_by_status on subscriptions (store_id, public_status, created_at desc, id desc);
create index subscriptions_newest_of_plan on subscriptions (store_id, plan_id, created_at desc, id desc)
  where plan_id is not null;
create index subscriptions_of_plan_by_status on subscriptions
  (store_id, plan_id, public_status, created_at desc, id desc) where plan_id is not null;
select protect_table('subscriptions');

-- The history of each contract as people read it: who did what, when, and with which note.
create table contract_activities (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  subscription_id bigint not null,
  -- Whose contract it is. It changes when the platform merges customers.
  member_id bigint not null,
  -- One of the closed list in src/subscriptions/activity.ts.
  kind text not null check (kind ~ '^[a-z_]{3,40}$'),
  actor text not null check (actor ~ '^[a-z_]{3,40}$'),
  actor_id text check (length(actor_id) between 1 and 200),
  text text not null check (length(text) between 1 and 500),
  notes text check (length(notes) between 1 and 1024),
  -- The names at that time.
  plan_group_name text,
  plan_name text not null,
  refs jsonb not null default '{}',
  -- What caused it: a repetition of the same operation writes nothing.
  cause text check (length(cause) between 1 and 300),
  occurred_at timestamptz not null,
  primary key (store_id, id),
  foreign key (store_id, subscription_id) references subscriptions,
  foreign key (store_id, member_id) references members
);
create unique index contract_activities_by_cause on contract_activities (store_id, cause) where cause is not null;
create index contract_activities_by_subscription on contract_activities (store_id, subscription_id, id desc);
select protect_table('contract_activities');

-- A requested change of terms that the platform's contract does not have yet. Null: that term does not change.
create table subscription_changes (
  store_id bigint not null references stores,
  subscription_id bigint not null,
  plan_id bigint,
  price_minor bigint check (price_minor >= 0),
  -- The price of one unit, when a version of the plan is to apply to those who had joined before.
  line_price_minor bigint check (line_price_minor >= 0),
  interval text check (interval in ('day', 'week', 'month', 'year')),
  interval_count integer check (interval_count between 1 and 28),
  platform_payment_method_id text check (length(platform_payment_method_id) between 1 and 255),
  actor text not null check (actor ~ '^[a-z_]{3,40}$'),
  actor_id text check (length(actor_id) between 1 and 200),
  requested_at timestamptz not null,
  -- Increased when another request replaces this one, so that work on the earlier one does not end it.
  version integer not null default 1,
  primary key (store_id, subscription_id),
  foreign key (store_id, subscription_id) references subscriptions,
  foreign key (store_id, plan_id) references plans,
  check ((interval is null) = (interval_count is null)),
  check (num_nonnulls(plan_id, price_minor, line_price_minor, interval, platform_payment_method_id) > 0)
);
select protect_table('subscription_changes');
