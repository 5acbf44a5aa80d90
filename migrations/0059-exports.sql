-- expand: code from 0016 can run on this schema.
-- When what is shown of an order or a subscription last changed by something else than its own row (store time).
create table export_changes (
  store_id bigint not null references stores,
  kind text not null check (kind in ('order', 'subscription')),
  row_id bigint not null,
  changed_at timestamptz not null,
  primary key (store_id, kind, row_id)
) with (fillfactor = 80);
create index export_changes_by_time on export_changes (store_id, kind, changed_at, row_id);
select protect_table('export_changes');

-- The ids of every thousandth entry of a store's ledger, counted from the oldest: pages by number find their rows from here.
create table export_marks (
  store_id bigint not null references stores,
  rank bigint not null check (rank > 0 and rank % 1000 = 0),
  entry_id bigint not null,
  primary key (store_id, rank)
);
select protect_table('export_marks');

-- Services that keep reward points for the shop, and the balances that they told us.
create table reward_integrations (
  store_id bigint not null references stores,
  key text not null check (key ~ '^[a-z][a-z0-9_]{0,39}$'),
  is_active boolean not null default true,
  -- Whether the balance is shown to customers in the storefront.
  is_shown boolean not null default true,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, key)
);
select protect_table('reward_integrations');

create table reward_balances (
  store_id bigint not null references stores,
  key text not null,
  member_id bigint not null,
  points bigint not null,
  updated_at timestamptz not null,
  primary key (store_id, key, member_id),
  foreign key (store_id, key) references reward_integrations,
  foreign key (store_id, member_id) references members
);
select protect_table('reward_balances');
