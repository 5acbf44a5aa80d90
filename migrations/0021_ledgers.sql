-- Store credit and loyalty points. A balance is the sum of its ledger; entries are only added.

create table credit_accounts (
  store_id bigint not null references stores,
  member_id bigint not null,
  balance_minor bigint not null,
  updated_at timestamptz not null,
  primary key (store_id, member_id),
  foreign key (store_id, member_id) references members
);
select protect_table('credit_accounts');

create table credit_entries (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  member_id bigint not null,
  -- The type codes of the Data API: 2 added by hand, 3 deducted by hand, 8 expired, …
  type smallint not null check (type between 1 and 13),
  amount_minor bigint not null check (amount_minor <> 0),
  balance_after_minor bigint not null,
  reason text not null check (length(reason) between 1 and 500),
  order_id bigint,
  -- What caused the entry, once: a second entry for the same cause cannot be written.
  operation_id text not null check (length(operation_id) between 1 and 300),
  expires_at timestamptz check (expires_at is null or amount_minor > 0),
  created_at timestamptz not null,
  primary key (store_id, id),
  unique (store_id, operation_id),
  foreign key (store_id, member_id) references members,
  foreign key (store_id, order_id) references orders
);
create index credit_entries_by_member on credit_entries (store_id, member_id, id desc);
select protect_table('credit_entries');

-- What is left of credit that came in, by the entry that brought it; a lot that is used up has no row.
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
-- The order of spending: what expires first, then what came first.
create index credit_lots_by_member on credit_lots (store_id, member_id, expires_at, entry_id);
create index credit_lots_expiring on credit_lots (store_id, expires_at) where expires_at is not null;
select protect_table('credit_lots');

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
  operation_id text not null check (length(operation_id) between 1 and 300),
  created_at timestamptz not null,
  primary key (store_id, id),
  unique (store_id, operation_id),
  foreign key (store_id, member_id) references members,
  foreign key (store_id, order_id) references orders
);
create index points_entries_by_member on points_entries (store_id, member_id, id desc);
select protect_table('points_entries');

-- The Member resource as the direct API and the events tell it: one definition, since its fields come from four modules.
-- members.loyalty_points and members.store_credit_minor are read by no one any more; a later release drops them.
create view member_resources with (security_invoker = true) as
  select m.store_id, m.id, m.platform_customer_id, m.email, m.first_name, m.last_name, m.status, m.plan_id,
         p.name as plan_name, p.tier_name as tier, coalesce(l.balance, 0) as loyalty_points,
         coalesce(c.balance_minor, 0) as store_credit_minor, m.birth_date, m.member_since, m.next_billing_at,
         m.created_at, greatest(m.updated_at, c.updated_at, l.updated_at) as updated_at
    from members m
    left join plans p on p.store_id = m.store_id and p.id = m.plan_id
    left join credit_accounts c on c.store_id = m.store_id and c.member_id = m.id
    left join points_accounts l on l.store_id = m.store_id and l.member_id = m.id
   where m.status is not null;
grant select on member_resources to perennial_store, perennial_operator;
