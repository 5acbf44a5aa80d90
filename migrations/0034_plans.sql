-- A plan is a VIP or Elite membership, or a subscription of products that the store already sells: that gives no tier.
alter table plans
  drop constraint plans_type_check,
  add constraint plans_type_check check (type in ('vip', 'elite', 'product')),
  alter column tier_name drop not null,
  -- The product of a membership. A product plan has none of its own.
  alter column platform_product_id drop not null,
  alter column platform_variant_id drop not null,
  -- The platform's products that a product plan sells; empty for a membership.
  add column product_ids text[] not null default '{}',
  -- Disabled: takes no new joins, and what runs under it goes on.
  add column status text not null default 'enabled' check (status in ('enabled', 'disabled')),
  -- ISO 3166-1 alpha-2; empty: every country.
  add column allowed_countries text[] not null default '{}',
  -- src/plans/perks.ts.
  add column perks jsonb not null default '{}' check (jsonb_typeof(perks) = 'object'),
  add column credit_type text not null default 'storecredit'
    check (credit_type in ('coupon', 'function', 'storecredit', 'giftcard')),
  -- Price, rhythm and credit of the plan are those of this version.
  add column current_version integer not null default 1 check (current_version >= 1),
  add column max_cycles integer check (max_cycles between 1 and 1000),
  add column trial_type text check (trial_type in ('next_billing_date', 'days')),
  add column trial_price_minor bigint not null default 0,
  -- Held while the platform is told of a change, so that of two changes at once neither is lost there.
  add column lease_token integer not null default 0,
  add column leased_until timestamptz;

update plans set trial_type = 'days' where trial_days > 0;

alter table plans
  add check ((type = 'product') = (tier_name is null)),
  add check ((type = 'product') = (platform_product_id is null)),
  add check ((type = 'product') = (product_ids <> '{}')),
  add check ((trial_type = 'days') = (trial_days > 0)),
  add check (trial_price_minor between 0 and price_minor);

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
  -- Whom it was made for: those who join from then on, or also those who had joined, from their next cycle.
  applies_to text not null check (applies_to in ('new', 'running')),
  created_at timestamptz not null,
  primary key (store_id, plan_id, version),
  foreign key (store_id, plan_id) references plans
);
select protect_table('plan_versions');

insert into plan_versions (store_id, plan_id, version, price_minor, interval, interval_count, credit_minor,
                           platform_selling_plan_id, applies_to, created_at)
  select store_id, id, 1, price_minor, interval, interval_count, credit_minor, platform_selling_plan_id, 'new', created_at
    from plans;

-- The version of its plan that a subscription runs under; null when it is of no plan of ours.
alter table subscriptions add column plan_version integer;
update subscriptions set plan_version = 1 where plan_id is not null;
alter table subscriptions add foreign key (store_id, plan_id, plan_version) references plan_versions;

-- The price of one of what is sold under the plan, where a version of it is to hold for who has joined before.
alter table subscription_changes
  add column line_price_minor bigint check (line_price_minor >= 0),
  drop constraint subscription_changes_check1,
  add constraint subscription_changes_check1
    check (num_nonnulls(plan_id, price_minor, line_price_minor, interval, platform_payment_method_id) > 0);

-- Plans with what they sell and every version of theirs, which a contract of the platform is looked up in.
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
