create table plans (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  name text not null check (length(name) between 1 and 100),
  type text not null check (type in ('vip', 'elite')),
  tier_name text not null check (length(tier_name) between 1 and 100),
  price_minor bigint not null check (price_minor >= 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  interval text not null check (interval in ('day', 'week', 'month', 'year')),
  interval_count integer not null check (interval_count between 1 and 28),
  trial_days integer not null default 0 check (trial_days between 0 and 365),
  credit_minor bigint not null default 0 check (credit_minor >= 0),
  platform_product_id text not null,
  platform_variant_id text not null,
  platform_selling_plan_group_id text not null,
  platform_selling_plan_id text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id),
  unique (store_id, name),
  unique (store_id, platform_selling_plan_id)
);
select protect_table('plans');
