-- expand: code from 0016 can run on this schema.
-- What an order is, as far as that follows from it and from the contracts it belongs to: docs/orders.md.
create table order_effects (
  store_id bigint not null references stores,
  order_id bigint not null,
  -- Since when it is known here (store time): an order that is to have a contract waits ten minutes for it.
  seen_at timestamptz not null,
  -- When it is to be looked at again (store time): at the end of that time, or because something about it became known.
  due_at timestamptz,
  -- Rises with each request to look at it again, so that one that comes meanwhile is not lost.
  version integer not null default 1,
  -- Null: it waits for its contract.
  classified_at timestamptz,
  -- The tier that the customer held, active, when the order was placed; as first decided, or since a contract became known.
  active_tier_name text,
  checkout_type text check (checkout_type in ('VIP', 'Product Subscription', 'PAYG')),
  order_tag text,
  charge_number integer,
  autocharge_status text,
  -- When one of the four above changed.
  changed_at timestamptz not null,
  primary key (store_id, order_id),
  foreign key (store_id, order_id) references orders,
  check ((classified_at is null) = (checkout_type is null) and (classified_at is null) = (order_tag is null)
         and (classified_at is null) = (autocharge_status is null))
);
create index order_effects_due on order_effects (store_id, due_at) where due_at is not null;
select protect_table('order_effects');

-- The contracts that an order belongs to. Plan and tier are those of the time when that became known.
create table order_links (
  store_id bigint not null references stores,
  order_id bigint not null,
  subscription_id bigint not null,
  attempt_id bigint,
  part text not null check (part in ('trial', 'signup', 'renewal')),
  plan_id bigint,
  -- The tier of a membership; null for a product plan, and for a contract without a plan of ours.
  tier_name text,
  -- It is the contract's n-th order.
  order_number integer not null check (order_number >= 1),
  linked_at timestamptz not null,
  primary key (store_id, order_id, subscription_id),
  foreign key (store_id, order_id) references orders,
  foreign key (store_id, subscription_id) references subscriptions,
  foreign key (store_id, attempt_id) references billing_attempts,
  foreign key (store_id, plan_id) references plans
);
create index order_links_by_subscription on order_links (store_id, subscription_id, order_id);
select protect_table('order_links');

-- When a customer ordered first, of the orders that are known and were not cancelled.
create table first_orders (
  store_id bigint not null references stores,
  member_id bigint not null,
  first_at timestamptz not null,
  membership_at timestamptz,
  membership_renewal_at timestamptz,
  product_at timestamptz,
  product_renewal_at timestamptz,
  -- Of the first order; null while that waits for its contract.
  checkout_type text,
  changed_at timestamptz not null,
  primary key (store_id, member_id),
  foreign key (store_id, member_id) references members
);
select protect_table('first_orders');

-- Lost disputes about orders of memberships whose consequence has been drawn, which happens once.
create table lost_disputes (
  store_id bigint not null references stores,
  platform_dispute_id text not null,
  order_id bigint not null,
  handled_at timestamptz not null,
  primary key (store_id, platform_dispute_id),
  foreign key (store_id, order_id) references orders
);
select protect_table('lost_disputes');

-- Orders from before are looked at in the background.
insert into order_effects (store_id, order_id, seen_at, due_at, changed_at)
select store_id, id, created_at, updated_at, updated_at from orders;
