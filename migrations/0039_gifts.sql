-- A membership can be given away: the giver stays the contract's customer and pays for it, the receiver holds it.
alter table subscriptions add column receiver_member_id bigint;
alter table subscriptions add column gifted_at timestamptz;
alter table subscriptions add foreign key (store_id, receiver_member_id) references members;
alter table subscriptions add check (receiver_member_id <> member_id);
alter table subscriptions add check ((receiver_member_id is null) = (gifted_at is null));
create index subscriptions_by_receiver on subscriptions (store_id, receiver_member_id) where receiver_member_id is not null;

-- Subscriptions that somebody here makes: noted before the platform is asked for the contract, which bears the key. Whoever
-- sees that contract first knows by it how it begins, and a repetition finds what was made when the answer was lost.
create table subscription_creations (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  create_key text not null check (length(create_key) between 1 and 100),
  -- The caller's own name for the request; without one an unfinished request is known again by what it asks for.
  idempotency_key text check (length(idempotency_key) between 1 and 255),
  fingerprint bytea not null,
  platform_customer_id text not null check (platform_customer_id ~ '^[0-9]{1,20}$'),
  actor text not null check (actor ~ '^[a-z_]{3,40}$'),
  actor_id text check (length(actor_id) between 1 and 200),
  -- Real time: when the platform was last asked to make it.
  asked_at timestamptz not null default clock_timestamp(),
  -- Null until the contract was seen.
  subscription_id bigint,
  -- When whoever asked for it was told; until then the same request means this one.
  answered_at timestamptz,
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
