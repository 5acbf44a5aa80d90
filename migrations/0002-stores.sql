create table stores (
  store_id bigint generated always as identity primary key,
  domain text not null unique check (domain = lower(domain) and length(domain) between 3 and 253),
  name text not null check (length(name) between 1 and 200),
  timezone text not null,
  -- The time zones that the shop used before, in order. Subscriptions follow a change of zone in batches.
  past_timezones text[] not null default '{}',
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  rate_plan text not null check (rate_plan in ('starter', 'growth', 'enterprise')),
  sandbox boolean not null default false,
  -- The test clock of a sandbox store. Null: the store uses real time.
  clock_at timestamptz check (clock_at is null or sandbox),
  platform_profile text not null check (platform_profile in ('platform', 'shopify')),
  platform_url text not null,
  -- Ciphertext under the installation's master key: {accessToken, appSecret, proxySecret}.
  platform_credentials bytea not null,
  -- {dunning: {retryAfterDays, onFailure}, …}: what the store owner may set. Defaults are left out.
  settings jsonb not null default '{}',
  -- Disconnected: the platform removed the app. The store's data stays, and the store may come back.
  status text not null default 'active' check (status in ('active', 'disconnected')),
  -- Null until the platform knows the store and its webhooks are registered. Creating the store again continues from there.
  connected_at timestamptz,
  -- The platform was restored and its changes meanwhile are not known yet: nothing is billed until they are.
  catching_up boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
select protect_table('stores');

alter table facts add foreign key (store_id) references stores;
alter table fact_consumers add foreign key (store_id) references stores;
alter table fact_retries add foreign key (store_id) references stores;
alter table fact_history add foreign key (store_id) references stores;
alter table jobs add foreign key (store_id) references stores;
alter table idempotent_responses add foreign key (store_id) references stores;
alter table rollup_marks add foreign key (store_id) references stores;

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

-- Messages to the people who run a store: whole sentences, ready to be sent.
create table alerts (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  kind text not null,
  subject text not null check (length(subject) between 1 and 200),
  message text not null check (length(message) between 1 and 2000),
  created_at timestamptz not null,
  primary key (store_id, id)
);
select protect_table('alerts');
