-- expand: code from 0016 can run on this schema.
-- The owners of the metafields that we keep on the platform: the shop (`owner_id` is 0), customers (members.id), and the automatic
-- discounts of ours. Rows stay when nothing is wanted any more: the token of a lease must not begin again.
create table metafield_owners (
  store_id bigint not null references stores,
  kind text not null check (kind in ('shop', 'customer', 'discount')),
  owner_id bigint not null,
  -- When what is wanted is next compared with what is known to be there (store time); null while nothing is known to differ.
  due_at timestamptz,
  -- Since when (store time) it waits; it counts only while `due_at` is set.
  waits_since timestamptz,
  -- Rises with each change of what may be wanted: what was compared before does not end it.
  version integer not null default 1,
  -- Tries in a row that came to nothing.
  attempts integer not null default 0,
  last_error text,
  -- Why the metafields cannot be as they are wanted, in words. It is not tried again by itself.
  problem text,
  -- The platform is read before anything is written: what is known may be wrong.
  is_read_first boolean not null default false,
  -- When its metafields were last written or read (real time): a file that was begun before says nothing of it.
  synced_at timestamptz,
  changed_at timestamptz not null,
  lease_token integer not null default 0,
  lease_owner bigint,
  leased_until timestamptz,
  primary key (store_id, kind, owner_id)
);
create index metafield_owners_due on metafield_owners (store_id, due_at) where due_at is not null;
create index metafield_owners_with_problem on metafield_owners (store_id, kind, owner_id) where problem is not null or attempts > 3;
select protect_table('metafield_owners');

-- What is on the platform as far as we know. `digest` is the platform's for its value, and `value_hash` ours.
create table known_metafields (
  store_id bigint not null references stores,
  kind text not null,
  owner_id bigint not null,
  key text not null,
  value_hash text not null,
  digest text not null,
  primary key (store_id, kind, owner_id, key),
  foreign key (store_id, kind, owner_id) references metafield_owners
);
select protect_table('known_metafields');

-- One row for each store: what its metafields need, and the comparison of all of them on a schedule (real time).
create table metafield_stores (
  store_id bigint not null references stores,
  -- The key of `svc_hash`. It never leaves this table.
  hash_secret bytea not null,
  -- The platform's number of the shop; null until it was read, and with it what the shop had before.
  shop_id text,
  -- Metafields that were set and deleted since the store was connected.
  written bigint not null default 0,
  deleted bigint not null default 0,
  next_at timestamptz not null,
  phase text not null default 'start' check (phase in ('start', 'wait', 'read', 'members')),
  after_id bigint not null default 0,
  -- Somebody has asked for a comparison, and it has not begun: the one that is under way may not show what happened since it began.
  is_asked boolean not null default false,
  bulk_operation_id text,
  bulk_started_at timestamptz,
  -- Customers of the present walk, or of the last one: compared, and found to differ.
  compared integer not null default 0,
  differed integer not null default 0,
  failures integer not null default 0,
  last_error text,
  finished_at timestamptz,
  lease_token integer not null default 0,
  lease_owner bigint,
  leased_until timestamptz,
  primary key (store_id)
);
create index metafield_stores_due on metafield_stores (store_id, next_at);
select protect_table('metafield_stores');

-- Stores of before begin with the first walk.
insert into metafield_stores (store_id, hash_secret, next_at)
select store_id, decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'), now() from stores
 where connected_at is not null;
insert into metafield_owners (store_id, kind, owner_id, due_at, waits_since, changed_at)
select store_id, 'shop', 0, coalesce(clock_at, now()), coalesce(clock_at, now()), coalesce(clock_at, now()) from stores
 where connected_at is not null;
