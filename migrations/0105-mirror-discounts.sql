-- expand: code from 0016 can run on this schema.
-- One row for each store: when its automatic discounts are next compared with the platform (real time).
create table discount_stores (
  store_id bigint not null references stores,
  next_at timestamptz not null,
  -- Somebody has asked for a comparison, and it has not begun.
  is_asked boolean not null default false,
  -- Perks of the main plans that the discounts do not give, as of the last comparison: [{subject, message}].
  not_enforced jsonb not null default '[]',
  failures integer not null default 0,
  last_error text,
  finished_at timestamptz,
  lease_token integer not null default 0,
  lease_owner bigint,
  leased_until timestamptz,
  primary key (store_id)
);
create index discount_stores_due on discount_stores (store_id, next_at);
select protect_table('discount_stores');

-- The automatic discounts of ours. A row stays when its discount is ended, which can be begun again.
create table discount_nodes (
  store_id bigint not null references stores,
  slot text not null check (slot in ('prices', 'shipping', 'vip_prices', 'elite_prices', 'vip_shipping', 'elite_shipping')),
  -- The platform's number; null where there is none now.
  platform_id text,
  is_active boolean not null default false,
  -- Why the discount cannot be as it is wanted, in words.
  problem text,
  primary key (store_id, slot)
);
select protect_table('discount_nodes');

-- The segments of customers that native discounts are for.
create table discount_segments (
  store_id bigint not null references stores,
  tier text not null check (tier in ('vip', 'elite')),
  platform_id text not null,
  primary key (store_id, tier)
);
select protect_table('discount_segments');

insert into discount_stores (store_id, next_at) select store_id, now() from stores where connected_at is not null;
