-- expand: code from 0016 can run on this schema.
-- What customers are given on a contract of theirs for a number of renewals: a discount, or a product that costs nothing.
create table contract_grants (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  member_id bigint not null,
  -- The contract that has it; null: it waits for one.
  subscription_id bigint,
  -- Identifies the cause: one has one grant.
  operation_id text not null check (length(operation_id) between 1 and 300),
  -- Of what gives it; customers see it on their orders.
  label text not null check (length(label) between 1 and 255),
  -- By it the grant is recognised on the platform.
  key text not null check (key ~ '^[2-9A-HJ-NP-Z]{12}$'),
  kind text not null check (kind in ('discount', 'free_product')),
  percent int check (percent between 1 and 100),
  amount_minor bigint check (amount_minor > 0),
  product_id text,
  -- For how many renewals; null: without an end.
  cycles int check (cycles > 0),
  -- What is left of it when its contract ends is given on another of the customer; otherwise it ends with the contract.
  is_transferable boolean not null,
  status text not null default 'pending' check (status in ('pending', 'active', 'ended')),
  -- removed: by somebody else, on the platform. revoked: here. refused: the platform does not give it. over: its contract has ended.
  ended_by text check (ended_by in ('used', 'removed', 'revoked', 'refused', 'over')),
  -- The contract has it on the platform, as far as is known.
  is_on boolean not null default false,
  -- Of the discount or line there.
  platform_id text,
  used_cycles int not null default 0 check (used_cycles >= 0),
  -- Of these, on contracts before.
  used_before int not null default 0 check (used_before >= 0),
  -- Why the platform does not give it, in words.
  problem text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Since when its contract has it.
  applied_at timestamptz,
  ended_at timestamptz,
  primary key (store_id, id),
  unique (store_id, operation_id),
  unique (store_id, key),
  foreign key (store_id, member_id) references members,
  foreign key (store_id, subscription_id) references subscriptions,
  check (num_nonnulls(percent, amount_minor, product_id) = 1),
  check ((kind = 'free_product') = (product_id is not null)),
  check ((status = 'ended') = (ended_by is not null and ended_at is not null)),
  check (not is_on or subscription_id is not null),
  check (status <> 'active' or is_on),
  check (used_cycles >= used_before)
);
create index contract_grants_by_subscription on contract_grants (store_id, subscription_id) where status <> 'ended' or is_on;
create index contract_grants_waiting on contract_grants (store_id, member_id) where status = 'pending' and subscription_id is null;
create index contract_grants_by_member on contract_grants (store_id, member_id, id);
select protect_table('contract_grants');

-- The contracts that have or may have grants on the platform, and when each is looked at next.
create table granted_contracts (
  store_id bigint not null references stores,
  subscription_id bigint not null,
  -- Grows with everything that is wanted anew.
  version int not null default 1,
  due_at timestamptz not null,
  -- Not before this (real time): a call may still be under way, or the platform did not respond.
  rests_until timestamptz,
  -- Real time; after it the latest call whose answer was lost has ended.
  settles_at timestamptz,
  attempts int not null default 0,
  last_error text,
  lease_token int not null default 0,
  lease_owner bigint,
  leased_until timestamptz,
  primary key (store_id, subscription_id),
  foreign key (store_id, subscription_id) references subscriptions
);
create index granted_contracts_due on granted_contracts (store_id, due_at);
select protect_table('granted_contracts');
