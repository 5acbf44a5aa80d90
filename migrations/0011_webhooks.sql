-- Webhooks out: who wants to hear of events, and every delivery of one.

create table webhook_endpoints (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  url text not null check (length(url) between 1 and 2048),
  -- Event types it hears of. Null: all of them, those to come included.
  events text[] check (cardinality(events) > 0),
  description text not null default '' check (length(description) <= 500),
  -- Ciphertext of the signing secret under the installation's master key.
  secret bytea not null,
  status text not null default 'enabled' check (status in ('enabled', 'disabled')),
  disabled_reason text,
  disabled_at timestamptz,
  -- When tries began to fail without one success since. Null: the last try succeeded, or there was none.
  failing_since timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id),
  check ((status = 'disabled') = (disabled_at is not null)),
  check ((status = 'disabled') = (disabled_reason is not null))
);
select protect_table('webhook_endpoints');

-- The queue of deliveries and their history at once: a row is open while next_try_at is set.
create table webhook_deliveries (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  endpoint_id bigint not null,
  event_row bigint not null,
  -- What receivers deduplicate by; the same over all tries.
  webhook_id text not null check (webhook_id ~ '^wh_[0-9a-f]{32}$'),
  event_type text not null,
  object_key text not null,
  -- The exact bytes that are signed and sent, made once.
  body text not null,
  -- waiting: no try is finished yet. cancelled: given up, because the endpoint was disabled.
  status text not null default 'waiting' check (status in ('waiting', 'retrying', 'delivered', 'failed', 'cancelled')),
  tries integer not null default 0 check (tries >= 0),
  -- Store time.
  next_try_at timestamptz,
  lease_token integer not null default 0,
  lease_owner bigint,
  leased_until timestamptz,
  created_at timestamptz not null,
  finished_at timestamptz,
  primary key (store_id, id),
  unique (store_id, webhook_id),
  -- Whatever happens to the fan-out, an endpoint has one delivery of an event.
  unique (store_id, event_row, endpoint_id),
  foreign key (store_id, endpoint_id) references webhook_endpoints,
  foreign key (store_id, event_row) references events,
  check ((status in ('waiting', 'retrying')) = (next_try_at is not null)),
  check ((status in ('waiting', 'retrying')) = (finished_at is null)),
  check (status <> 'waiting' or tries = 0)
);
-- Due work is looked for endpoint by endpoint, so that a long queue of one does not hide the others'.
create index webhook_deliveries_open on webhook_deliveries (store_id, endpoint_id, next_try_at, id)
  where next_try_at is not null;
-- First tries of one object at one endpoint go in order.
create index webhook_deliveries_first_tries on webhook_deliveries (store_id, endpoint_id, object_key, id)
  where status = 'waiting';
create index webhook_deliveries_leased on webhook_deliveries (lease_owner) where lease_owner is not null;
select protect_table('webhook_deliveries');

create table webhook_tries (
  store_id bigint not null references stores,
  delivery_id bigint not null,
  try_number integer not null check (try_number >= 1),
  -- Store time; the duration is real.
  started_at timestamptz not null,
  duration_ms integer not null check (duration_ms >= 0),
  response_code integer,
  -- Why the try failed, in one word; null when it was a success.
  failure text,
  -- The beginning of the receiver's answer.
  response_text text not null default '',
  primary key (store_id, delivery_id, try_number),
  foreign key (store_id, delivery_id) references webhook_deliveries,
  check (failure is not null or response_code between 200 and 299)
);
select protect_table('webhook_tries');
