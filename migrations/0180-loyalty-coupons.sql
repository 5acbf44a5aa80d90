-- expand: code from 0016 can run on this schema.
-- Coupons that customers have: rewards of rules, and what points have bought. Each is a discount code of the platform.
create table loyalty_coupons (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  member_id bigint not null,
  -- Where it comes from: a reward, or a template that points have bought.
  rule_id bigint,
  template_id bigint,
  -- Of the rule or template, then.
  name text not null,
  type text not null check (type in ('amount_off_products', 'amount_off_orders', 'buy_x_get_y', 'free_shipping', 'free_product')),
  -- What it takes off; of a free product or free shipping it is all.
  percent_hundredths int check (percent_hundredths between 1 and 10000),
  amount_minor bigint check (amount_minor > 0),
  product_ids text[] not null,
  collection_ids text[] not null,
  -- What the goods have to cost.
  minimum_minor bigint check (minimum_minor > 0),
  -- The platform ignores case.
  code text not null check (length(code) between 1 and 100),
  -- pending: it is wanted.
  status text not null default 'pending' check (status in ('pending', 'active', 'ended')),
  -- deleted: by hand, on the platform. revoked: by an operator, or since its reward is no longer earned. refused: it could not be made.
  ended_by text check (ended_by in ('used', 'expired', 'deleted', 'revoked', 'refused')),
  usage_count int not null default 0 check (usage_count >= 0),
  -- Store time; the platform does not take it from then on.
  expires_at timestamptz,
  platform_discount_id text,
  -- The points that have bought it.
  points_entry_id bigint,
  -- Identifies the cause: one has one coupon.
  operation_id text not null,
  -- Why the platform does not make it, in words.
  problem text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  ended_at timestamptz,
  -- When it was taken off the platform, or was found to be gone.
  deleted_at timestamptz,
  -- Since when (store time) it may be on the platform.
  sent_at timestamptz,
  -- Real time; after it the latest call that makes it has ended.
  settles_at timestamptz,
  -- When there is something to do next; null: nothing.
  due_at timestamptz,
  -- Not before this (real time): a call may still be under way, or the platform did not respond.
  rests_until timestamptz,
  attempts int not null default 0,
  last_error text,
  lease_token int not null default 0,
  lease_owner bigint,
  leased_until timestamptz,
  primary key (store_id, id),
  unique (store_id, operation_id),
  foreign key (store_id, member_id) references members,
  foreign key (store_id, rule_id) references loyalty_rules,
  foreign key (store_id, template_id) references loyalty_templates,
  foreign key (store_id, points_entry_id) references points_entries,
  check (num_nonnulls(rule_id, template_id) = 1),
  check (num_nonnulls(percent_hundredths, amount_minor) = 1),
  check ((status = 'ended') = (ended_by is not null and ended_at is not null)),
  check (status <> 'active' or platform_discount_id is not null)
);
create unique index loyalty_coupons_by_code on loyalty_coupons (store_id, upper(code));
create unique index loyalty_coupons_by_discount on loyalty_coupons (store_id, platform_discount_id) where platform_discount_id is not null;
create index loyalty_coupons_by_member on loyalty_coupons (store_id, member_id, id);
create index loyalty_coupons_due on loyalty_coupons (store_id, due_at) where due_at is not null;
select protect_table('loyalty_coupons');

-- The orders that have used a coupon.
create table loyalty_coupon_uses (
  store_id bigint not null references stores,
  coupon_id bigint not null,
  order_id bigint not null,
  primary key (store_id, coupon_id, order_id),
  foreign key (store_id, coupon_id) references loyalty_coupons,
  foreign key (store_id, order_id) references orders
);
select protect_table('loyalty_coupon_uses');

alter table loyalty_awards
  add column coupon_id bigint,
  add foreign key (store_id, coupon_id) references loyalty_coupons;
