-- expand: code from 0016 can run on this schema.
-- The tier that a customer is in. `tier_id` null: none any more.
create table loyalty_customer_tiers (
  store_id bigint not null references stores,
  member_id bigint not null,
  tier_id bigint,
  -- When it became this one.
  entered_at timestamptz not null,
  -- When it may be lost at the earliest, by the store's clock; null: it needs nothing.
  review_at timestamptz,
  primary key (store_id, member_id),
  foreign key (store_id, member_id) references members,
  foreign key (store_id, tier_id) references loyalty_tiers,
  check (tier_id is not null or review_at is null)
);
create index loyalty_customer_tiers_of_tier on loyalty_customer_tiers (store_id, tier_id, member_id) where tier_id is not null;
create index loyalty_customer_tiers_due on loyalty_customer_tiers (store_id, review_at) where review_at is not null;
select protect_table('loyalty_customer_tiers');

-- The rewards of which tiers a customer has had: each once, also where the tier is entered again.
create table loyalty_tier_rewards (
  store_id bigint not null references stores,
  member_id bigint not null,
  tier_id bigint not null,
  given_at timestamptz not null,
  primary key (store_id, member_id, tier_id),
  foreign key (store_id, member_id) references members,
  foreign key (store_id, tier_id) references loyalty_tiers
);
select protect_table('loyalty_tier_rewards');

-- What is left of each order after refunds and disputes, as tiers count it.
create table loyalty_spending (
  store_id bigint not null references stores,
  order_id bigint not null,
  member_id bigint not null,
  kept_minor bigint not null check (kept_minor >= 0),
  -- When the order was placed.
  spent_at timestamptz not null,
  primary key (store_id, order_id),
  foreign key (store_id, order_id) references orders,
  foreign key (store_id, member_id) references members
);
create index loyalty_spending_by_member on loyalty_spending (store_id, member_id, spent_at);
select protect_table('loyalty_spending');

-- A store that has tiers, and how far it is with what a change of them asks for.
create table loyalty_tier_stores (
  store_id bigint primary key references stores,
  -- Nobody moves: loyalty or its tiers are off.
  is_frozen boolean not null default false,
  -- The setting by which all were placed; null: not known.
  review text,
  -- The walk over all customers after a change; null: there is none to do.
  walk_due_at timestamptz,
  walk_after_id bigint not null default 0,
  -- The walk over the orders from before the first tier.
  orders_due_at timestamptz,
  orders_after_id bigint not null default 0
);
select protect_table('loyalty_tier_stores');
insert into loyalty_tier_stores (store_id, walk_due_at, orders_due_at)
select store_id, max(updated_at), max(updated_at) from loyalty_tiers group by store_id;

-- By what the points of a cause are multiplied: the multiplier of the customer's tier when it was counted first.
alter table loyalty_counts add column multiplier_hundredths int not null default 100 check (multiplier_hundredths > 0);

-- A coupon may come from entering a tier.
alter table loyalty_coupons
  add column tier_id bigint,
  add foreign key (store_id, tier_id) references loyalty_tiers,
  drop constraint loyalty_coupons_check,
  add constraint loyalty_coupons_check check (num_nonnulls(rule_id, template_id, tier_id) = 1);
