-- Stores, their keys, and the two walls between them: explicit store_id predicates, and row-level security.

-- Puts row-level security on a table: the store role sees the rows of the store it has entered, the operator role all.
create function protect_table(name regclass) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security', name);
  execute format('alter table %s force row level security', name);
  execute format('create policy one_store on %s to perennial_store
    using (store_id = nullif(current_setting(''perennial.store_id'', true), '''')::bigint)
    with check (store_id = nullif(current_setting(''perennial.store_id'', true), '''')::bigint)', name);
  execute format('create policy all_stores on %s to perennial_operator using (true) with check (true)', name);
  execute format('grant select, insert, update, delete on %s to perennial_store, perennial_operator', name);
end $$;

create table stores (
  store_id bigint generated always as identity primary key,
  domain text not null unique check (domain = lower(domain) and length(domain) between 3 and 253),
  name text not null check (length(name) between 1 and 200),
  timezone text not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  rate_plan text not null check (rate_plan in ('starter', 'growth', 'enterprise')),
  sandbox boolean not null default false,
  -- The test clock of a sandbox store. Null: the store lives in real time.
  clock_at timestamptz check (clock_at is null or sandbox),
  platform_profile text not null check (platform_profile in ('platform', 'shopify')),
  platform_url text not null,
  -- Ciphertext under the installation's master key: {accessToken, appSecret, proxySecret}.
  platform_credentials bytea not null,
  -- {dunning: {retryAfterDays, onFailure}, …}: what the store owner may set, defaults left out.
  settings jsonb not null default '{}',
  status text not null default 'active' check (status in ('active', 'uninstalled')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
select protect_table('stores');

-- Binds the transaction to one store and tells that store's time. Null when there is no such store.
create function enter_store(store bigint) returns timestamptz language sql volatile as $$
  select set_config('perennial.store_id', store::text, true);
  select date_trunc('milliseconds', coalesce(clock_at, clock_timestamp())) from stores where store_id = store;
$$;

create table api_keys (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  name text not null check (length(name) between 1 and 200),
  mode text not null check (mode in ('test', 'live')),
  key_hash bytea not null,
  key_hint text not null,
  scopes text[] not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz,
  primary key (store_id, id),
  unique (store_id, key_hash)
);
select protect_table('api_keys');

-- Facts, written in the transaction of the change they tell. The order of id is the order of telling.
create table events (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  event_id uuid not null default gen_random_uuid(),
  type text not null,
  -- Events of one object are told in order: 'subscription:12', 'member:5'.
  object_key text not null,
  -- json, not jsonb: the payload goes out as these bytes.
  data json not null,
  refs jsonb not null default '{}',
  occurred_at timestamptz not null,
  dispatched boolean not null default false,
  primary key (store_id, id)
);
create index events_waiting on events (store_id, id) where not dispatched;
create index events_by_object on events (store_id, object_key, id);
select protect_table('events');

-- Housekeeping and calls to the platform that must happen, once or more, after a commit.
create table jobs (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  kind text not null,
  -- At most one waiting job of a kind per key.
  dedupe_key text not null,
  payload jsonb not null,
  -- Store time; the lease is real time, since a crash happens in real time.
  run_at timestamptz not null,
  attempts integer not null default 0,
  last_error text,
  -- Raised when the job is wanted again while it runs, so that the run under way does not end it.
  version integer not null default 0,
  lease_token integer not null default 0,
  lease_owner bigint,
  leased_until timestamptz,
  primary key (store_id, id),
  unique (store_id, kind, dedupe_key)
);
create index jobs_due on jobs (store_id, run_at);
select protect_table('jobs');

-- Running processes that take leases. Each holds a session advisory lock on its id for as long as it lives.
create sequence worker_ids;
grant usage on sequence worker_ids to perennial_store, perennial_operator;

-- Requests counted per store, family and window; losing them in a crash only forgives a minute.
create unlogged table rate_windows (
  store_id bigint not null,
  bucket text not null,
  window_start timestamptz not null,
  used integer not null,
  primary key (store_id, bucket, window_start)
);
select protect_table('rate_windows');
