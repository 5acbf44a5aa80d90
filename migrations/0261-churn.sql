-- expand: code from 0016 can run on this schema.
-- What a store has changed of the reasons for a cancellation. One without a row is as it is everywhere.
create table churn_reasons (
  store_id bigint not null references stores,
  alias text not null check (alias in ('technical_issues', 'enough_items', 'too_expensive', 'not_need_subscription', 'not_using_enough',
                                       'not_found_products', 'order_issues', 'use_another_service', 'other')),
  title text not null check (length(title) between 1 and 100),
  description text check (length(description) between 1 and 500),
  -- Those with a lower one come first.
  position int not null check (position between 1 and 100),
  is_on boolean not null,
  updated_at timestamptz not null,
  primary key (store_id, alias)
);
select protect_table('churn_reasons');

-- What may be offered to people who cancel.
create table churn_offers (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  name text not null check (length(name) between 1 and 255),
  description text check (length(description) between 1 and 1000),
  type text not null check (type in ('discount_price', 'change_frequency', 'add_store_credits')),
  -- Of its amounts: that of the shop when it was created.
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  percent int check (percent between 1 and 100),
  amount_minor bigint check (amount_minor > 0),
  -- For how many cycles a discount is; null: without an end.
  cycles int check (cycles > 0),
  target text check (target in ('line_item', 'shipping_line')),
  is_of_each_item boolean not null default false,
  interval text check (interval in ('day', 'week', 'month', 'year')),
  interval_count int check (interval_count > 0),
  credit_minor bigint check (credit_minor > 0),
  -- Who is offered it on the storefront: members for so many days, whose last offer was accepted so many days ago, not in a trial.
  min_member_days int not null default 0 check (min_member_days between 0 and 3660),
  min_days_since_offer int not null default 0 check (min_days_since_offer between 0 and 3660),
  is_for_trials boolean not null default true,
  is_on boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id),
  check ((type = 'discount_price') = (target is not null)),
  check ((type = 'discount_price') = (num_nonnulls(percent, amount_minor) = 1)),
  check ((type = 'change_frequency') = (interval is not null and interval_count is not null)),
  check ((type = 'add_store_credits') = (credit_minor is not null)),
  check (cycles is null or type = 'discount_price'),
  check (not is_of_each_item or amount_minor is not null),
  check (target is distinct from 'shipping_line' or percent = 100)
);
select protect_table('churn_offers');

-- For which reasons an offer is made.
create table churn_offer_reasons (
  store_id bigint not null references stores,
  alias text not null,
  offer_id bigint not null,
  primary key (store_id, alias, offer_id),
  foreign key (store_id, offer_id) references churn_offers
);
create index churn_offer_reasons_by_offer on churn_offer_reasons (store_id, offer_id);
select protect_table('churn_offer_reasons');

-- The offers that were accepted on contracts, each as it was then.
create table contract_offers (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  subscription_id bigint not null,
  offer_id bigint not null,
  name text not null,
  description text,
  type text not null check (type in ('discount_price', 'change_frequency', 'add_store_credits')),
  currency text not null,
  percent int,
  amount_minor bigint,
  cycles int,
  target text,
  is_of_each_item boolean not null,
  interval text,
  interval_count int,
  credit_minor bigint,
  -- applying: the platform is being asked. What it does not do leaves no row.
  status text not null check (status in ('applying', 'active', 'cancelled')),
  -- Real time; after it nobody waits for an answer, and what was applied is taken back.
  answer_by timestamptz,
  -- The reason that was shown with it, where it is known, and the plan then.
  reason text,
  plan_id bigint,
  -- What the platform or the ledger has of it.
  grant_id bigint,
  discount_title text,
  credit_entry_id bigint,
  former_interval text,
  former_interval_count int,
  next_billing_at timestamptz,
  -- The latest attempt before it: a later one that succeeds is the next charge.
  attempt_before bigint,
  accepted_at timestamptz not null,
  -- Since when its contract has ended; null while it lives.
  lost_at timestamptz,
  ended_at timestamptz,
  -- used: of a discount, all its cycles. charged: the next charge was paid. revoked: by a person. removed: on the platform, by somebody
  -- else. lost: a day after the contract has ended.
  ended_by text check (ended_by in ('used', 'charged', 'revoked', 'removed', 'lost')),
  updated_at timestamptz not null,
  primary key (store_id, id),
  -- One is used once on a contract.
  unique (store_id, subscription_id, offer_id),
  foreign key (store_id, subscription_id) references subscriptions,
  foreign key (store_id, offer_id) references churn_offers,
  foreign key (store_id, grant_id) references contract_grants,
  check ((status = 'applying') = (answer_by is not null)),
  check ((status = 'cancelled') = (ended_at is not null and ended_by is not null))
);
-- A contract has one at a time.
create unique index contract_offers_live on contract_offers (store_id, subscription_id) where status <> 'cancelled';
create index contract_offers_by_subscription on contract_offers (store_id, subscription_id, id desc);
create unique index contract_offers_by_grant on contract_offers (store_id, grant_id) where grant_id is not null;
create index contract_offers_applying on contract_offers (store_id, answer_by) where status = 'applying';
create index contract_offers_lost on contract_offers (store_id, lost_at) where status = 'active' and lost_at is not null;
create index contract_offers_by_time on contract_offers (store_id, accepted_at, id);
select protect_table('contract_offers');

-- How often an offer was shown for a reason on a day of the shop: to whom is not recorded. 0 is a reason without offers.
create table churn_shown (
  store_id bigint not null references stores,
  day date not null,
  alias text not null,
  offer_id bigint not null,
  times bigint not null check (times > 0),
  primary key (store_id, day, alias, offer_id)
);
select protect_table('churn_shown');
