create table orders (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  platform_order_id text not null check (platform_order_id ~ '^[0-9]{1,20}$'),
  member_id bigint,
  name text not null,
  number text not null,
  email text,
  currency text not null,
  total_minor bigint not null,
  tax_minor bigint not null,
  discount_minor bigint not null,
  -- The sum of what was paid back, as last reported by the platform.
  refunded_minor bigint not null default 0,
  financial_status text not null,
  gateway text,
  country_code text,
  province text,
  tags text[] not null,
  discount_codes text[] not null,
  source_name text,
  cancelled_at timestamptz,
  processed_at timestamptz not null,
  platform_updated_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id),
  unique (store_id, platform_order_id),
  foreign key (store_id, member_id) references members
);
create index orders_by_member on orders (store_id, member_id, id);
select protect_table('orders');

-- Each change of orders.refunded_minor (negative: it became less), with the time at which we learned of it.
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
