-- Subscriptions that are created through our API. The row is written before the platform is asked for the contract, which
-- carries the key: whoever reads that contract first finds here how it begins, and a repeated request finds the contract
-- that was made although its response was lost. A job finishes what nobody requests again.
create table subscription_creations (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  create_key text not null check (length(create_key) between 1 and 100),
  -- The caller's name for the request. Without one, an unfinished request is recognised by its fingerprint.
  idempotency_key text check (length(idempotency_key) between 1 and 255),
  fingerprint bytea not null,
  platform_customer_id text not null check (platform_customer_id ~ '^[0-9]{1,20}$'),
  actor text not null check (actor ~ '^[a-z_]{3,40}$'),
  actor_id text check (length(actor_id) between 1 and 200),
  -- Real time: when the platform was last asked to make it.
  requested_at timestamptz not null default clock_timestamp(),
  -- Null until the contract was read.
  subscription_id bigint,
  -- When the caller got a response. Until then the same request is a repetition of this one.
  answered_at timestamptz,
  abandoned_at timestamptz,
  created_at timestamptz not null,
  primary key (store_id, id),
  unique (store_id, create_key),
  unique (store_id, idempotency_key),
  foreign key (store_id, subscription_id) references subscriptions
);
create unique index subscription_creations_open on subscription_creations (store_id, fingerprint)
  where answered_at is null and idempotency_key is null;
create index subscription_creations_of_subscription on subscription_creations (store_id, subscription_id)
  where subscription_id is not null;
select protect_table('subscription_creations');

-- Contracts of live subscriptions that the platform did not find by id. The row is deleted when it finds them again.
create table missing_contracts (
  store_id bigint not null references stores,
  subscription_id bigint not null,
  primary key (store_id, subscription_id),
  foreign key (store_id, subscription_id) references subscriptions
);
select protect_table('missing_contracts');

-- Contracts of the platform that could not be read or recorded, with the reason. A sync continues without them and reads
-- them again later. The row is deleted when the contract is recorded, or no longer exists on the platform.
create table quarantined_contracts (
  store_id bigint not null references stores,
  contract_id text not null check (contract_id ~ '^[0-9]{1,20}$'),
  reason text not null check (length(reason) <= 500),
  since timestamptz not null,
  primary key (store_id, contract_id)
);
select protect_table('quarantined_contracts');
