-- expand: code from 0016 can run on this schema.
-- What an order says besides its totals, as of details_at: null while it is known only as the order of a charge or a signup. An earlier
-- version that writes the row leaves these columns as they are; the next message or walk brings them up to date.
alter table orders
  add column customer_name text,
  add column subtotal_minor bigint,
  add column shipping_minor bigint,
  add column app_id text,
  -- The name of the app that took the order; null while it is not known, then source_name stands in.
  add column channel text,
  add column brand text,
  -- [{code, amountMinor}]
  add column coupons jsonb,
  -- [{name, value}]
  add column attributes jsonb,
  -- [{id, productId, variantId, title, quantity, priceMinor, discountMinor, sellingPlanId, contractId}]
  add column lines jsonb,
  add column details_at timestamptz,
  -- Of the last message and of the last read that were applied at details_at, so that a repetition is known without a comparison.
  add column message_digest text,
  add column read_digest text;
create index orders_by_change on orders (store_id, updated_at, id);
create index orders_without_channel on orders (store_id, app_id) where app_id is not null and channel is null;
alter table orders set (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);

-- The refunds of the platform, one row each; order_refunds has the changes of their sum for the metrics.
create table platform_refunds (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  platform_refund_id text not null check (platform_refund_id ~ '^[0-9]{1,20}$'),
  order_id bigint not null,
  -- What was paid back so far, in the order's currency.
  amount_minor bigint not null,
  -- The refund's own time.
  refunded_at timestamptz not null,
  -- As of when the amount is known (platform time).
  revision_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id),
  unique (store_id, platform_refund_id),
  foreign key (store_id, order_id) references orders
);
create index platform_refunds_by_order on platform_refunds (store_id, order_id);
select protect_table('platform_refunds');

create table order_transactions (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  platform_transaction_id text not null check (platform_transaction_id ~ '^[0-9]{1,20}$'),
  order_id bigint not null,
  -- The platform's words in lower case: sale, authorization, capture, refund, void, …; success, failure, pending, …
  kind text not null,
  status text not null,
  gateway text,
  amount_minor bigint not null,
  -- The transaction that a refund, capture or void belongs to.
  platform_parent_id text,
  processed_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id),
  unique (store_id, platform_transaction_id),
  foreign key (store_id, order_id) references orders
);
create index order_transactions_by_order on order_transactions (store_id, order_id);
select protect_table('order_transactions');

create table order_disputes (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  platform_dispute_id text not null check (platform_dispute_id ~ '^[0-9]{1,20}$'),
  order_id bigint not null,
  -- chargeback or inquiry: what it began as, and what it is now.
  began_as text not null,
  type text not null,
  status text not null,
  reason text,
  network_reason_code text,
  -- Null while only the order's summary of it is known.
  amount_minor bigint,
  currency text,
  initiated_at timestamptz not null,
  finalized_at timestamptz,
  -- When the platform reported its present state, which is when it was last updated.
  reported_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id),
  unique (store_id, platform_dispute_id),
  foreign key (store_id, order_id) references orders
);
create index order_disputes_by_order on order_disputes (store_id, order_id, initiated_at);
select protect_table('order_disputes');

-- What the platform reported about an order that cannot be right, for `perennial doctor`. One row per kind and subject.
create table order_discrepancies (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  platform_order_id text not null,
  kind text not null,
  subject text not null,
  message text not null,
  found_at timestamptz not null,
  -- A later read of the order has shown what is right.
  settled_at timestamptz,
  primary key (store_id, id),
  unique (store_id, kind, subject)
);
create index order_discrepancies_open on order_discrepancies (store_id, platform_order_id) where settled_at is null;
select protect_table('order_discrepancies');

-- The names of the apps that take orders, each read from the platform once.
create table sales_channels (
  store_id bigint not null references stores,
  app_id text not null,
  name text not null,
  primary key (store_id, app_id)
);
select protect_table('sales_channels');

-- Walks over the platform's orders by time of change: of the recent ones on a schedule, because messages get lost, and of those since a
-- date on demand. Schedules are real time, the places are the platform's.
create table order_walks (
  store_id bigint not null references stores,
  kind text not null check (kind in ('recent', 'import')),
  -- Null: it is not to run.
  next_at timestamptz,
  -- Every change up to here is known.
  cursor_at timestamptz not null,
  -- The present walk: when it began (store time), and its place after the last page. Null between walks.
  started_at timestamptz,
  page_after text,
  seen integer not null default 0,
  changed integer not null default 0,
  -- Consecutive failures since the last page that was read.
  failures integer not null default 0,
  last_error text,
  finished_at timestamptz,
  lease_token integer not null default 0,
  lease_owner bigint,
  leased_until timestamptz,
  primary key (store_id, kind)
);
create index order_walks_due on order_walks (store_id, next_at) where next_at is not null;
select protect_table('order_walks');
