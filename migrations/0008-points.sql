-- Loyalty points. A balance is the sum of its entries; entries are only added.

create table points_accounts (
  store_id bigint not null references stores,
  member_id bigint not null,
  balance bigint not null,
  updated_at timestamptz not null,
  primary key (store_id, member_id),
  foreign key (store_id, member_id) references members
);
select protect_table('points_accounts');

create table points_entries (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  member_id bigint not null,
  points bigint not null check (points <> 0),
  balance_after bigint not null,
  reason text not null check (length(reason) between 1 and 500),
  order_id bigint,
  -- The member's plan when the entry was written.
  plan_id bigint,
  -- The cause of the entry. A second entry for the same cause cannot be written.
  operation_id text not null check (length(operation_id) between 1 and 300),
  created_at timestamptz not null,
  primary key (store_id, id),
  unique (store_id, operation_id),
  foreign key (store_id, member_id) references members,
  foreign key (store_id, order_id) references orders
);
create index points_entries_by_member on points_entries (store_id, member_id, id desc);
select protect_table('points_entries');
