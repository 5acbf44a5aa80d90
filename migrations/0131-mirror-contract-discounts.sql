-- expand: code from 0016 can run on this schema.
-- What renewals of product subscriptions get of a tier: one row for each tier with a main plan.
create table contract_discount_terms (
  store_id bigint not null references stores,
  tier text not null check (tier in ('vip', 'elite')),
  -- The hash of the tier's name and of the perk; null: the perk does not count on renewals.
  terms_hash text,
  primary key (store_id, tier)
);
select protect_table('contract_discount_terms');

-- The contracts of products on which a discount of ours is wanted, or may be.
create table contract_discounts (
  store_id bigint not null references stores,
  subscription_id bigint not null,
  -- Whose perks count; null: none.
  tier text check (tier in ('vip', 'elite')),
  -- As of contract_discount_terms when it was last derived.
  terms_hash text,
  -- Whether the contract had a discount of ours when it was last compared.
  is_on boolean not null default false,
  -- Store time: when it is compared with the platform next.
  due_at timestamptz not null,
  -- Rises with each change of what is wanted: one that comes during a comparison is not lost.
  version integer not null default 0,
  attempts integer not null default 0,
  last_error text,
  -- Why the contract cannot have what is wanted, in words.
  problem text,
  compared_at timestamptz,
  lease_token integer not null default 0,
  lease_owner bigint,
  leased_until timestamptz,
  primary key (store_id, subscription_id),
  foreign key (store_id, subscription_id) references subscriptions,
  check ((tier is null) = (terms_hash is null))
);
create index contract_discounts_due on contract_discounts (store_id, due_at);
select protect_table('contract_discounts');
