-- A plan is a VIP or Elite membership, or a subscription to products that the store already sells (type 'product'),
-- which gives no tier.
create table plans (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  name text not null check (length(name) between 1 and 100),
  type text not null check (type in ('vip', 'elite', 'product')),
  -- Disabled: nobody can join any more, and the subscriptions of the plan go on.
  status text not null default 'enabled' check (status in ('enabled', 'disabled')),
  tier_name text check (length(tier_name) between 1 and 100),
  -- Price, cadence and credit are those of this version.
  current_version integer not null default 1 check (current_version >= 1),
  price_minor bigint not null check (price_minor >= 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  interval text not null check (interval in ('day', 'week', 'month', 'year')),
  interval_count integer not null check (interval_count between 1 and 28),
  max_cycles integer check (max_cycles between 1 and 1000),
  trial_type text check (trial_type in ('next_billing_date', 'days')),
  trial_days integer not null default 0 check (trial_days between 0 and 365),
  trial_price_minor bigint not null default 0,
  credit_type text not null default 'storecredit'
    check (credit_type in ('coupon', 'function', 'storecredit', 'giftcard')),
  credit_minor bigint not null default 0 check (credit_minor >= 0),
  -- ISO 3166-1 alpha-2; empty: every country.
  allowed_countries text[] not null default '{}',
  -- Their shape is in src/plans/perks.ts.
  perks jsonb not null default '{}' check (jsonb_typeof(perks) = 'object'),
  -- The platform's products that a product plan sells; empty for a membership.
  product_ids text[] not null default '{}',
  -- The product of a membership; null for a product plan.
  platform_product_id text,
  platform_variant_id text,
  platform_selling_plan_group_id text not null,
  platform_selling_plan_id text not null,
  -- Held while a change is sent to the platform, so that of two changes at the same time neither is lost there.
  lease_token integer not null default 0,
  leased_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id),
  unique (store_id, name),
  unique (store_id, platform_selling_plan_id),
  check ((type = 'product') = (tier_name is null)),
  check ((type = 'product') = (platform_product_id is null)),
  check ((type = 'product') = (product_ids <> '{}')),
  check ((trial_type = 'days') = (trial_days > 0)),
  check (trial_price_minor between 0 and price_minor)
);
select protect_table('plans');

-- What a plan has cost, and since when. Several versions may share a selling plan of the platform.
create table plan_versions (
  store_id bigint not null references stores,
  plan_id bigint not null,
  version integer not null check (version >= 1),
  price_minor bigint not null check (price_minor >= 0),
  interval text not null check (interval in ('day', 'week', 'month', 'year')),
  interval_count integer not null check (interval_count between 1 and 28),
  credit_minor bigint not null check (credit_minor >= 0),
  platform_selling_plan_id text not null,
  -- new: those who join from then on. running: also those who had joined, from their next cycle.
  applies_to text not null check (applies_to in ('new', 'running')),
  created_at timestamptz not null,
  primary key (store_id, plan_id, version),
  foreign key (store_id, plan_id) references plans
);
select protect_table('plan_versions');

-- Plans with what they sell and all their versions. A contract of the platform is matched against it.
create view sold_plans with (security_invoker = true) as
  select p.store_id, p.id, p.name, p.type, p.status, p.tier_name, p.price_minor, p.currency, p.interval, p.interval_count,
         p.max_cycles, p.trial_type, p.trial_days, p.trial_price_minor, p.credit_minor, p.credit_type, p.allowed_countries,
         p.perks, p.current_version, p.platform_product_id, p.platform_variant_id, p.platform_selling_plan_group_id,
         p.platform_selling_plan_id, p.created_at, p.updated_at,
         case when p.type = 'product' then p.product_ids else array[p.platform_product_id] end as product_ids,
         coalesce((select jsonb_agg(jsonb_build_object('version', v.version, 'sellingPlanId', v.platform_selling_plan_id,
                                                       'sinceMs', floor(extract(epoch from v.created_at) * 1000))
                                    order by v.version)
                     from plan_versions v where v.store_id = p.store_id and v.plan_id = p.id), '[]') as versions
    from plans p;
grant select on sold_plans to perennial_store, perennial_operator;
