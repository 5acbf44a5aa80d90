-- Store credit. A balance is the sum of its entries; entries are only added.

create table credit_accounts (
  store_id bigint not null references stores,
  member_id bigint not null,
  balance_minor bigint not null,
  -- The position of the member's last entry, and so the exact total of the history.
  entries bigint not null default 0 check (entries >= 0),
  updated_at timestamptz not null,
  primary key (store_id, member_id),
  foreign key (store_id, member_id) references members
);
select protect_table('credit_accounts');

create table credit_entries (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  member_id bigint not null,
  -- 1, 2, 3, … per member without a gap, so that a page of a history reads only its own rows.
  position bigint not null check (position >= 1),
  -- The type codes of the Data API: 2 added by hand, 3 deducted by hand, 8 expired, …
  type smallint not null check (type between 1 and 13),
  amount_minor bigint not null check (amount_minor <> 0),
  balance_after_minor bigint not null,
  reason text not null check (length(reason) between 1 and 500),
  order_id bigint,
  -- The member's plan when the entry was written.
  plan_id bigint,
  -- The cause of the entry. A second entry for the same cause cannot be written.
  operation_id text not null check (length(operation_id) between 1 and 300),
  expires_at timestamptz check (expires_at is null or amount_minor > 0),
  created_at timestamptz not null,
  primary key (store_id, id),
  unique (store_id, operation_id),
  constraint credit_entries_by_position unique (store_id, member_id, position),
  foreign key (store_id, member_id) references members,
  foreign key (store_id, order_id) references orders
);
select protect_table('credit_entries');

-- What remains of credit that was added, by the entry that added it. A lot that is used up has no row.
create table credit_lots (
  store_id bigint not null references stores,
  entry_id bigint not null,
  member_id bigint not null,
  remaining_minor bigint not null check (remaining_minor > 0),
  expires_at timestamptz,
  primary key (store_id, entry_id),
  foreign key (store_id, entry_id) references credit_entries,
  foreign key (store_id, member_id) references members
);
-- The order of spending: what expires first, then what was added first.
create index credit_lots_by_member on credit_lots (store_id, member_id, expires_at, entry_id);
create index credit_lots_expiring on credit_lots (store_id, expires_at) where expires_at is not null;
select protect_table('credit_lots');
